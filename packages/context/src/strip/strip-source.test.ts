import fs from 'node:fs';
import path from 'node:path';
import { sourceLanguageOf } from '@jinn/syntax';
import { describe, expect, test } from 'vitest';
import { createSyntaxCompiler } from '../../../syntax/src/compile.ts';
import { SAMPLES } from '../../../syntax/src/fixture/outline-samples.ts';
import { createRuntime } from '../../../syntax/src/runtime.ts';
import { openSourceStripper } from './strip-source.ts';

const both = await openSourceStripper({ comments: true, emptyLines: true });
const comments = await openSourceStripper({ comments: true, emptyLines: false });
const lines = await openSourceStripper({ comments: false, emptyLines: true });

const strip = (stripper: typeof both, name: string, text: string) => stripper.strip(Buffer.from(text), name).toString();

/** Returns a function that lists the tokens of a text in the language of a file, without comments and blanks. */
async function readerOfTokens(file: string) {
  const compiled = createSyntaxCompiler()({ optimize: false });
  const runtime = compiled && (await createRuntime(compiled));
  const grammar = runtime?.loadGrammar(sourceLanguageOf(file) ?? '');
  const parser = grammar && runtime?.createParser(grammar);
  return (text: string): string[] => {
    const cursor = parser?.parse(text)?.walk();
    const tokens: string[] = [];
    if (!cursor) throw new Error(`no grammar for ${file}`);
    for (let isOver = false; !isOver; ) {
      const isComment = /comment|marginalia|haddock|raw_text/.test(cursor.nodeType); // Raw text is another language.
      if (!isComment && cursor.gotoFirstChild()) continue;
      const token = cursor.nodeText.replace(/\s+/g, ' ').trim();
      if (!isComment && token !== '') tokens.push(token);
      while (!cursor.gotoNextSibling() && !isOver) isOver = !cursor.gotoParent();
    }
    return tokens;
  };
}

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
    ['a.go', 'package a // x\n\n// go:build linux\nvar s = `// no`\n', 'package a\n\nvar s = `// no`\n'],
    ['a.ts', '// alone', ''],
    ['a.ts', 'let a = "unterminated // no\nlet b = 1;\n', 'let a = "unterminated // no\nlet b = 1;\n'],
  ])('of %s are removed, and nothing else: %j', ([name, text, expected]) => {
    expect(strip(comments, name, text)).toBe(expected);
  });

  test.for<[string, ...string[]]>([
    [
      'a.go',
      '//go:build linux',
      '// +build linux',
      '//go:embed a.txt',
      '//go:generate x',
      '//export F',
      '//line a.y:1',
    ],
    ['Dockerfile', '# syntax=docker/dockerfile:1', '# escape=`', '#check=skip=all'],
    ['a.rb', '#!/usr/bin/env ruby', '# frozen_string_literal: true', '# -*- coding: utf-8 -*-', '# encoding: utf-8'],
    ['a.py', '#!/usr/bin/python3', '# -*- coding: latin-1 -*-'],
    ['b.py', '# vim: set fileencoding=latin-1 :', '# /// script', '# dependencies = ["x"]', '#', '# ///'],
    ['a.ts', '/// <reference types="node" />', '/** @jsx h */', '/* @jsxImportSource preact */'],
    ['a.js', '#!/usr/bin/env node', "import(/* webpackChunkName: 'x' */ './x');", '/*:: type T = string; */'],
    ['a.html', '<!--[if IE]><p>x</p><![endif]-->', '<!--#include virtual="/a.html" -->'],
    [
      'a.sql',
      'SELECT /*+ INDEX(t i) */ a FROM t;',
      '/*!40101 SET NAMES utf8 */;',
      '-- +goose Up',
      '-- name: GetA :one',
    ],
    ['a.sh', '#!/bin/sh', '#SBATCH --ntasks=4'],
    ['a.sol', '// SPDX-License-Identifier: MIT', 'contract A {}', '/// @solidity memory-safe-assembly'],
    ['Package.swift', '// swift-tools-version:5.9'],
    ['a.dart', '// @dart=2.9'],
    ['a.graphql', '#import "./a.graphql"'],
    ['a.hs', '{-# LANGUAGE GADTs #-}', '-- stack script --resolver lts-20'],
    ['a.java', '///usr/bin/env jbang "$0" "$@" ; exit $?', '//DEPS info.picocli:picocli:4.5.0'],
    ['a.php', '<?php', '#[Route("/a")]', '/** @ORM\\Entity */', 'class A {}'],
    ['a.yml', '#cloud-config', 'a: 1'],
    [
      'a.css',
      'a { background: url(http://e.org/*/b.png) }',
      '@import url( //e.org/*.css );',
      "b { content: '/* no */' }",
    ],
    ['b.html', '<style>', 'a { background: url(http://e.org/*/b.png) } b { background: url(/*.png) }', '</style>'],
  ])('that are code stay in %s', ([name, ...code]) => {
    const text = `${code.join('\n')}\n`;
    expect(strip(comments, name, text)).toBe(text);
  });

  test.for<[string, string, string]>([
    ['a.go', '/* gone */\n\n// #define N 3\n\nimport "C"\n', '\n\nimport "C"\n'],
    [
      'b.go',
      '// gone\n\n// #include <a.h>\n/*\n#define N 3\n*/\nimport "C" // gone\n',
      '\n// #include <a.h>\n/*\n#define N 3\n*/\nimport "C"\n',
    ],
    [
      'c.go',
      'import (\n\t"fmt" // gone\n\t// #define N 3\n\t"C"\n)\n',
      'import (\n\t"fmt"\n\t// #define N 3\n\t"C"\n)\n',
    ],
    ['a.py', 'import a\nimport b\n# encoding: the words\n# /// x\n\n# gone\n', 'import a\nimport b\n# /// x\n\n'],
    ['a.ts', '// @ts-check\n//# sourceMappingURL=a.map\n//go:build x\nf();\n', 'f();\n'],
    [
      'a.css',
      'a{b:url(http://e.org/*/b.png)}/* gone */\n/* url( */c{}\n/* x ) */\n',
      'a{b:url(http://e.org/*/b.png)}\nc{}\n',
    ],
    ['a.java', '//TODO gone\nclass A {}\n', 'class A {}\n'],
  ])('of %s that only look like code are removed: %j', ([name, text, expected]) => {
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

test.for(SAMPLES.map(({ file, content }) => [file, content] as const))(
  'of the sample %s, the parser reads the same tokens',
  async ([file, content]) => {
    const tokensOf = await readerOfTokens(file);
    const stripped = both.strip(content, file);
    expect(tokensOf(stripped.toString())).toEqual(tokensOf(content.toString()));
  },
);

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
