import { describe, expect, test } from 'vitest';
import { isOutline, LANGUAGE_NAMES, openSyntax } from './index.ts';

const syntax = openSyntax();
const reasonOf = async (content: Buffer, language: string, limitMs?: number) => {
  const answer = await syntax.outline(content, language, limitMs === undefined ? {} : { limitMs });
  return isOutline(answer) ? undefined : answer.reason;
};

test('a language without a grammar is an answer', async () => {
  expect(await syntax.outline(Buffer.from('a'), 'cobol')).toEqual({
    reason: 'no_grammar',
    message: 'no syntax tree for cobol here',
  });
  expect(await reasonOf(Buffer.from('a'), '../javascript/tree-sitter-javascript')).toBe('no_grammar');
  expect(await reasonOf(Buffer.from('a'), 'constructor')).toBe('no_grammar');
});

test('refuses a binary file', async () => {
  expect(await reasonOf(Buffer.from('let a = 1;\0'), 'javascript')).toBe('binary');
});

test('refuses a file over two mebibytes, and reads one of them', async () => {
  const line = 'let a = b.call(c, 1);\n';
  const most = Buffer.alloc(2 * 1024 * 1024, line);
  expect(await reasonOf(Buffer.concat([most, Buffer.from(' ')]), 'javascript')).toBe('too_large');
  expect(await reasonOf(most, 'javascript', 60_000)).toBeUndefined();
}, 90_000);

test('keeps 20,000 symbols, and says that there were more', async () => {
  const outline = await syntax.outline(Buffer.from('let a;\n'.repeat(25_000)), 'javascript', { limitMs: 60_000 });
  expect(isOutline(outline) && outline.symbols.length).toBe(20_000);
  expect(isOutline(outline) && outline.truncated).toBe(true);
});

test('stops at the deadline, and parses the next file from its start', async () => {
  const slow = Buffer.from('a<'.repeat(400_000));
  const started = performance.now();
  expect(await reasonOf(slow, 'typescript', 100)).toBe('too_slow');
  expect(performance.now() - started).toBeLessThan(5_000);
  const next = await syntax.outline(Buffer.from('let b = 1;'), 'typescript');
  expect(isOutline(next) && next.symbols.map(({ name }) => name)).toEqual(['b']);
});

test('the memory of the parser is bounded, and a later file is read', async () => {
  const hungry = Buffer.from('a<'.repeat(1_000_000));
  const before = process.memoryUsage().rss;
  expect(await reasonOf(hungry, 'typescript', 60_000)).toBe('too_complex');
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  expect(await reasonOf(Buffer.from('let b = 1;'), 'typescript')).toBeUndefined();
}, 90_000);

test.each([
  ['typescript', 'a<'],
  ['cpp', 'a<b<'],
  ['csharp', 'a is '],
])(
  'what is ambiguous in 400 kB of %s is given up before it takes much memory',
  async (language, piece) => {
    const before = process.memoryUsage().rss;
    await openSyntax().outline(Buffer.from(piece.repeat(400_000 / piece.length)), language, { limitMs: 60_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  },
  90_000,
);

describe('deep nesting', () => {
  test.each([
    ['brackets', 'javascript', '['.repeat(50_000)],
    ['functions', 'javascript', 'function a() {'.repeat(5_000)],
    ['classes', 'python', Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}class A:\n`).join('')],
    ['objects', 'json', '{"a":'.repeat(50_000)],
    ['elements', 'html', '<div id="a">'.repeat(20_000)],
    ['namespaces', 'cpp', 'namespace a {'.repeat(5_000)],
    ['declarators', 'c', `int ${'('.repeat(5_000)}a${')'.repeat(5_000)};`],
    ['quotations, beyond what its scanner has room for', 'markdown', '> '.repeat(5_000)],
    ['lists', 'yaml', '- '.repeat(5_000)],
    ['strings', 'kotlin', '"${'.repeat(1_100)],
    ['what can be read in many ways', 'rust', `x = ${'%w('.repeat(3_000)}`],
  ])(
    'of %s ends, and the next file is read',
    async (_, language, text) => {
      const started = performance.now();
      await syntax.outline(Buffer.from(text), language, { limitMs: 1_000 });
      expect(performance.now() - started).toBeLessThan(15_000);
      expect(await reasonOf(Buffer.from('let b = 1;'), 'typescript', 10_000)).toBeUndefined();
    },
    60_000,
  );
});

test('a scanner that goes over a long word again and again is stopped', async () => {
  const word = 'E'.repeat(6_000);
  const started = performance.now();
  expect(await reasonOf(Buffer.from(`<?php $a = <<<${word}\nfoo\n${word};\n`), 'swift', 300)).toBe('too_slow');
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('a minified file has symbols', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => `function f${i}(a,b){return a+b*${i}}`).join('');
  const outline = await syntax.outline(Buffer.from(text), 'javascript', { limitMs: 60_000 });
  expect(isOutline(outline) && outline.symbols.length).toBe(20_000);
});

test.each(LANGUAGE_NAMES)('an empty file of %s has no symbols and no errors', async (language) => {
  for (const text of ['', '\n', '\ufeff']) {
    const outline = await syntax.outline(Buffer.from(text), language);
    expect(outline).toMatchObject({ language, symbols: [], imports: [], truncated: false });
  }
});

test('a thousand files leave the memory where it was', async () => {
  const content = Buffer.from('export class A { run() { return [1, 2, 3]; } }\n'.repeat(20));
  const read = async (count: number) => {
    for (let i = 0; i < count; i++) await syntax.outline(content, 'typescript');
    return process.memoryUsage().rss;
  };
  const before = await read(300);
  expect((await read(1_000)) - before).toBeLessThan(64 * 1024 * 1024);
}, 60_000);

test('tells objects that hold functions from others in little time, whatever is in their texts', async () => {
  const content = Buffer.from(`export const a = { b: { c: "${'):'.repeat(400_000)}" } };\n`);
  const started = performance.now();
  expect(await reasonOf(content, 'javascript', 60_000)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(10_000);
}, 60_000);
