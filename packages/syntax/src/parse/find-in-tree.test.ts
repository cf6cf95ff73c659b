import { expect, test } from 'vitest';
import { createOutlines } from '../index.ts';

test.each([
  ['a.ts', 'const a = `x\ny\n\n\n`;\nconst b = 1;\n', [2, 3, 4, 5]],
  ['a.py', 'q = """\nx\n"""\nr = 1\n', [2, 3]],
  ['a.go', 'package a\nvar q = `\nx`\n', [3]],
  ['A.java', 'class A {\n  String q = """\n    x\n    """;\n}\n', [3, 4]],
  ['a.rs', 'const A: &str = "x\n  y";\nfn f() {}\n', [2]],
  ['a.cpp', 'template <typename T>\nclass A {\n};\n', []],
  ['a.txt', '`\n`', []],
])('%s: %j has the lines %j within strings', async (path, text, lines) => {
  expect(await createOutlines().textLines({ path, content: Buffer.from(text) })).toEqual(lines);
});
