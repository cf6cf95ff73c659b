import { describe, expect, test } from 'vitest';
import { isOutline, newFaults, openSyntax } from '../index.ts';

const syntax = openSyntax();

async function read(text: string, language = 'typescript') {
  const content = Buffer.from(text);
  const outline = await syntax.outline(content, language);
  if (!isOutline(outline)) throw new Error(outline.message);
  return { content, outline };
}

const faults = async (before: string, after: string, language?: string) =>
  newFaults(await read(before, language), await read(after, language));

const GOOD = 'function a() {\n  return 1;\n}\n\nfunction b() {\n  return 2;\n}\n';

describe('an edit', () => {
  test('that closes no brace brings in an error, with its line', async () => {
    const found = await faults(GOOD, GOOD.replace('return 1;\n}', 'return 1;\n'));
    expect(found).toHaveLength(1);
    expect(found[0]?.missing).toBe('}');
  });

  test('that adds stray text brings in an error where it stands', async () => {
    const found = await faults(GOOD, GOOD.replace('return 2;', 'return 2 2 );'));
    expect(found.map(({ line }) => line)).toEqual([6]);
  });

  test('of a good file that stays good brings in none', async () => {
    expect(await faults(GOOD, GOOD.replace('1', '100'))).toEqual([]);
  });

  test.each([
    ['above', (text: string) => `const x = 1;\n${text}`],
    ['below', (text: string) => `${text}const x = 1;\n`],
    ['in the same line', (text: string) => text.replace('return 1', 'return 10')],
  ])('%s an error that was there is not blamed for it', async (_, edit) => {
    const broken = GOOD.replace('return 1;', 'return 1; )');
    expect((await read(broken)).outline.faults.length).toBeGreaterThan(0);
    expect(await faults(broken, edit(broken))).toEqual([]);
  });

  test('that adds an error to a file that had one is told that one', async () => {
    const broken = GOOD.replace('return 1;', 'return 1; )');
    const found = await faults(broken, broken.replace('return 2;', 'return 2; ]'));
    expect(found.map(({ line }) => line)).toEqual([6]);
  });

  test('that mends an error brings in none', async () => {
    expect(await faults(GOOD.replace('return 1;', 'return 1; )'), GOOD)).toEqual([]);
  });

  test('of an embedded script is seen', async () => {
    const page = '<p>a</p>\n<script>\nlet a = 1;\n</script>\n';
    expect((await read(page, 'html')).outline.faults).toEqual([]);
    expect((await faults(page, page.replace('= 1', '= ='), 'html')).map(({ line }) => line)).toEqual([3]);
  });
});

test.each([
  ['python', 'def f():\n    return (1\n'],
  ['go', 'package a\n\nfunc f() {\n\treturn 1 +\n}\n'],
  ['rust', 'fn f() -> { 1 }\n'],
  ['java', 'class A { void f( { } }\n'],
  ['c', 'int f(void) { return 1; \n'],
  ['ruby', 'def f\n  1\n'],
  ['php', '<?php function f( { }\n'],
  ['json', '{ "a": 1, }\n'],
  ['bash', 'if true; then\n  echo\n'],
  ['css', 'a { b: c\n'],
  ['kotlin', 'fun f( { }\n'],
  ['swift', 'func f( { }\n'],
  ['yaml', 'a: [1\nb: 2\n'],
  ['toml', '[a\nb = 1\n'],
  ['elixir', 'defmodule A do\n  def f(\nend\n'],
])('a broken file of %s has errors', async (language, text) => {
  expect((await read(text, language)).outline.faults.length).toBeGreaterThan(0);
});

test.each([
  ['bash', 'if a; then\n  # none\nfi\n', 'if a; then\n  b\nfi\n'],
  ['bash', 'if a; then b; else\nfi\n', 'if a; then b; elif c; then d; else e; fi\n'],
  ['bash', 'if a; then b; elif c; then\nfi\n', 'case a in b) ;; esac\n'],
  ['bash', 'for a in b; do\ndone\n', 'for a in b; do c; done\n'],
  ['bash', 'f() { }\n', 'f() { :; }\n'],
  ['go', 'package a\n\nconst (\n\tA int\n\tB = 1\n)\n', 'package a\n\nconst (\n\tA = iota\n\tB\n)\n'],
])('what the grammar of %s takes is an error all the same: %j', async (language, bad, good) => {
  expect((await read(bad, language)).outline.faults).toHaveLength(1);
  expect((await read(good, language)).outline.faults).toEqual([]);
});
