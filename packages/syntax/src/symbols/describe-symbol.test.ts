import { expect, test } from 'vitest';
import { docLineOf, isOutline, openSyntax, signatureOf } from '../index.ts';

const syntax = openSyntax();

async function describeFirst(text: string, language = 'typescript'): Promise<[string, string | undefined]> {
  const content = Buffer.from(text);
  const outline = await syntax.outline(content, language);
  const [symbol] = isOutline(outline) ? outline.symbols : [];
  if (!symbol) throw new Error('there is no symbol');
  return [signatureOf(content, symbol), docLineOf(content, symbol)];
}

test('a signature is one line without the body', async () => {
  const [signature] = await describeFirst(
    'export async function run(\n  a: number,\n\tb: string,\n): Promise<void> {\n  a;\n}\n',
  );
  expect(signature).toBe('export async function run( a: number, b: string, ): Promise<void>');
});

test('a long signature is cut, and a long value is not read', async () => {
  const [signature] = await describeFirst(`const a = '${'x'.repeat(10_000)}';`);
  expect(signature).toHaveLength(200);
  expect(signature.endsWith('…')).toBe(true);
});

test.each([
  ['/** Runs it. */', 'Runs it.'],
  ['/**\n * Runs it.\n * Twice.\n */', 'Runs it.'],
  ['/*\n\n  Runs it.\n*/', 'Runs it.'],
  ['// Runs it.\n// Twice.', 'Runs it.'],
  ['/// Runs it.', 'Runs it.'],
  ['// ----------\n// Runs it.\n// ----------', 'Runs it.'],
  ['// Führt aus: 漢字', 'Führt aus: 漢字'],
  ['// ------', undefined],
])('the doc line of %j is %j', async (comment, line) => {
  expect((await describeFirst(`${comment}\nfunction run() {}\n`))[1]).toBe(line);
});

test.each([
  ['an empty line below it', '// Something else.\n\nfunction run() {}\n'],
  ['code before it', 'let a = 1; // Something else.\nfunction run() {}\n'],
])('a comment with %s documents nothing', async (_, text) => {
  const content = Buffer.from(text);
  const outline = await syntax.outline(content, 'typescript');
  const run = isOutline(outline) ? outline.symbols.find(({ name }) => name === 'run') : undefined;
  expect(run?.doc).toBeUndefined();
  expect(run?.start).toBe(text.indexOf('function'));
});

test('an interpreter line and the comment of a whole file document nothing', async () => {
  expect((await describeFirst('#!/bin/sh\nrun() { :; }\n', 'bash'))[1]).toBeUndefined();
  expect((await describeFirst('//! A crate.\nfn run() {}\n', 'rust'))[1]).toBeUndefined();
});

test('the string that begins a body documents it, in Python', async () => {
  expect((await describeFirst("def run():\n    r'''\n    Runs it.\n    '''\n", 'python'))[1]).toBe('Runs it.');
});

test.each([
  ['python', 'async def main(a, b="# no"): # body comment\n    return 1\n', 'async def main(a, b="# no")'],
  ['typescript', 'function run(a = "x // y") // why\n{\n}\n', 'function run(a = "x // y")'],
  ['typescript', 'function run(a = "x // y") {\n}\n', 'function run(a = "x // y")'],
])('a signature of %s has no comment that stands before the body: %j', async (language, text, signature) => {
  expect((await describeFirst(text, language))[0]).toBe(signature);
});

test.each([
  ['python', 'def f(\n  a,  # one\n  b="x # y",\n):  # two\n  pass\n', 'def f( a, b="x # y", )'],
  ['typescript', 'function g( // one\n a: string, /* two */ ): void {\n}\n', 'function g( a: string, ): void'],
  ['ruby', 'def q(a) # hi\n  1\nend\n', 'def q(a)'],
  ['rust', "fn f<'a>(\n  x: &'a str, // one\n) {\n}\n", "fn f<'a>( x: &'a str, )"],
])('a signature of %s has no comment in it: %j', async (language, text, signature) => {
  expect((await describeFirst(text, language))[0]).toBe(signature);
});
