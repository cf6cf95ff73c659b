import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSourceStripper } from './strip-source.ts';

const both = await openSourceStripper({ comments: true, emptyLines: true });
const comments = await openSourceStripper({ comments: true, emptyLines: false });
const lines = await openSourceStripper({ comments: false, emptyLines: true });

const strip = (stripper: typeof both, name: string, text: string) => stripper.strip(Buffer.from(text), name).toString();

describe('comments', () => {
  test.for<[string, string, string]>([
    ['a.ts', '// one\nconst a = 1; // two\n\n/* three\n   four */\nlet b;\n', 'const a = 1;\n\nlet b;\n'],
    [
      'a.ts',
      "const s = '// no'; const t = `/* no */\n\n// no`; /* yes */\n",
      "const s = '// no'; const t = `/* no */\n\n// no`;\n",
    ],
    ['a.ts', 'f(/* x */ y, /* z */);\nlet/**/a=b/**/+/**/+c;\n', 'f(y,);\nlet a=b + +c;\n'],
    ['a.ts', 'return /* a\n b */ x\n  /** doc */ go();\n', 'return\nx\n  go();\n'],
    ['a.ts', 'const r = /[/*]/; // c\r\nconst b = 1;\r\n', 'const r = /[/*]/;\r\nconst b = 1;\r\n'],
    [
      'a.py',
      '#!/usr/bin/python3\n# gone\nx = "# no"  # gone\n"""doc # no"""\n',
      '#!/usr/bin/python3\nx = "# no"\n"""doc # no"""\n',
    ],
    ['a.rs', '/// doc\nfn a() {} // é ü\n//! x\n', 'fn a() {}\n'],
    ['a.sh', '#!/bin/sh\necho "#no" $# # yes\ncat <<E\n# no\nE\n', '#!/bin/sh\necho "#no" $#\ncat <<E\n# no\nE\n'],
    [
      'a.html',
      '<p>a</p><!-- x -->\n<script>\n// y\nlet a; // z\n</script>\n',
      '<p>a</p>\n<script>\nlet a;\n</script>\n',
    ],
    ['a.css', 'a { /* x */ color: red; }\n', 'a { color: red; }\n'],
    ['a.go', 'package a // x\n\n//go:build linux\nvar s = `// no`\n', 'package a\n\nvar s = `// no`\n'],
    ['a.ts', '// alone', ''],
    ['a.ts', 'let a = "unterminated // no\nlet b = 1;\n', 'let a = "unterminated // no\nlet b = 1;\n'],
  ])('of %s are removed, and nothing else: %j', ([name, text, expected]) => {
    expect(strip(comments, name, text)).toBe(expected);
  });

  test('stay where there is no syntax tree, which is told', () => {
    for (const [name, text] of [
      ['a.txt', '# one\n\n'],
      ['b.unknown', '// two\n'],
    ] as const) {
      expect(strip(both, name, text)).toBe(text);
    }
    expect([...both.untouched]).toEqual(['a.txt', 'b.unknown']);
  });
});

describe('empty lines', () => {
  test.for<[string, string, string]>([
    ['a.ts', '\na\n  \n\t\n`x\n\n y`\n\n', 'a\n`x\n\n y`\n'],
    ['a.py', 'def a():\n\n    """d\n\n    e"""\n\n    return 1\n', 'def a():\n    """d\n\n    e"""\n    return 1\n'],
    ['a.yaml', 'a: 1\n\nb: |\n  x\n\n  y\n\nc: 2\n', 'a: 1\nb: |\n  x\n\n  y\nc: 2\n'],
    ['a.md', '# A\n\nb\n\nc\n', '# A\n\nb\n\nc\n'],
    ['a.ts', '// c\n\na;\n', '// c\na;\n'],
  ])('of %s are removed, but not in strings: %j', ([name, text, expected]) => {
    expect(strip(lines, name, text)).toBe(expected);
  });
});

test('of real sources, all tokens stay in their order', () => {
  const folder = path.join(import.meta.dirname, '../../../syntax/src/grammars');
  for (const name of fs.readdirSync(folder)) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    const stripped = strip(both, name, text);
    expect(stripped).not.toMatch(/^[ \t]*(?:\/\/|\/\*|\n)/m);
    // Strings of these files hold no `//`, so that an expression can tell the comments here.
    const expected = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').replace(/\s+/g, '');
    expect(stripped.replace(/\s+/g, '')).toBe(expected);
  }
});
