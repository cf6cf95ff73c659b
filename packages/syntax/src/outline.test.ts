import { describe, expect, test } from 'vitest';
import { SAMPLES, type Sample } from './fixture/outline-samples.ts';
import { showOutline } from './fixture/show-outline.ts';
import { isOutline, LANGUAGE_NAMES, type Outline, openSyntax, sourceLanguageOf } from './index.ts';

const syntax = openSyntax();

async function outlineOf(content: Buffer, file: string): Promise<Outline> {
  const outline = await syntax.outline(content, sourceLanguageOf(file, content) ?? '');
  if (!isOutline(outline)) throw new Error(`${file}: ${outline.message}`);
  return outline;
}

const kindsAndPaths = ({ symbols }: Outline) => symbols.map(({ kind, path, overload }) => [kind, path, overload]);
const lines = ({ symbols }: Outline) => symbols.map(({ startLine, line, endLine }) => [startLine, line, endLine]);

test('types of Flow are read in a file that says that it has them', async () => {
  const text =
    'export class A<T: string = any> {\n  f(a?: number): void {\n    if (a) {\n    }\n  }\n}\ntype B = {a: string};\n';
  const named = async (content: string) => kindsAndPaths(await outlineOf(Buffer.from(content), 'a.js')).map(String);
  expect(await named(`/**\n * @flow strict\n */\n${text}`)).toEqual(['class,A,0', 'method,A/f,0', 'type,B,0']);
  expect(await named(text)).not.toContain('class,A,0');
  // One error that holds most of the file is more than several small ones.
  const spread = `${text}type C = {a?: ?{b: ?string, ...}, ...};\nfunction d(e: ?{f: ?boolean, ...}) {}\n`;
  expect(await named(`// @flow\n${spread}`)).toContain('class,A,0');
});

test('every language has a sample', () => {
  expect(SAMPLES.map(({ file }) => sourceLanguageOf(file)).toSorted()).toEqual(LANGUAGE_NAMES.toSorted());
});

describe.each(SAMPLES)('$file', async ({ file, content, outline: expected }: Sample) => {
  const outline = await outlineOf(content, file);

  test('has the symbols, ranges, signatures and docs that are written down', () => {
    expect(showOutline(content, outline)).toBe(expected);
    expect(outline.faults).toEqual([]);
    expect(outline.truncated).toBe(false);
  });

  test('has names where they are said to be, and ranges that hold one another', () => {
    for (const symbol of outline.symbols) {
      const { start, end, nameStart, nameEnd, signatureStart, body, doc } = symbol;
      const name = plainName(content.toString('utf8', nameStart, nameEnd));
      if (!MADE_UP.has(symbol.name)) expect(plainName(symbol.name)).toContain(name);
      expect([start, signatureStart, nameStart, nameEnd, end]).toSatisfy(isAscending);
      for (const part of [body, doc]) if (part) expect([start, part.start, part.end, end]).toSatisfy(isAscending);
      const parent = outline.symbols[symbol.parent];
      if (parent) expect([parent.start, start, end, parent.end]).toSatisfy(isAscending);
      expect(symbol.depth).toBe(parent ? parent.depth + 1 : 0);
      expect(content.toString('utf8', start, end)).toBe(content.toString('utf8', start, end).trim());
    }
  });

  test('is the same with CRLF', async () => {
    const crlf = Buffer.from(content.toString().replaceAll('\n', '\r\n'));
    const read = await outlineOf(crlf, file);
    expect(kindsAndPaths(read)).toEqual(kindsAndPaths(outline));
    expect(lines(read)).toEqual(lines(outline));
    expect(textsOf(crlf, read).map((text) => text.replaceAll('\r\n', '\n'))).toEqual(textsOf(content, outline));
  });

  test('is the same behind a byte order mark', async () => {
    const marked = Buffer.concat([Buffer.from('\ufeff'), content]);
    const read = await outlineOf(marked, file);
    expect(kindsAndPaths(read)).toEqual(kindsAndPaths(outline));
    expect(textsOf(marked, read)).toEqual(textsOf(content, outline));
  });

  test.each(['utf8', 'latin1'] as const)('has byte offsets where characters are not ASCII, in %s', async (encoding) => {
    const words = encoding === 'utf8' ? 'of thïngs 😀 漢字' : 'of thïngs';
    const plain = Buffer.from(content.toString(), encoding);
    const other = Buffer.from(content.toString().replaceAll('of things', words), encoding);
    const read = await outlineOf(other, file);
    expect(kindsAndPaths(read)).toEqual(kindsAndPaths(outline));
    expect(textsOf(other, read, encoding).map((text) => text.replaceAll(words, 'of things'))).toEqual(
      textsOf(plain, await outlineOf(plain, file), encoding),
    );
  });
});

/** Names of symbols that have none. */
const MADE_UP = new Set(['default', '__struct__', 'Companion']);

function plainName(name: string): string {
  return name.replaceAll('"', '').replace(/\s+/g, ' ').trim();
}

/** The text of each symbol, of its name, and of each range of imports. */
function textsOf(content: Buffer, { symbols, imports }: Outline, encoding: BufferEncoding = 'utf8'): string[] {
  const whole = [...symbols, ...imports].map(({ start, end }) => content.toString(encoding, start, end));
  return [...whole, ...symbols.map(({ nameStart, nameEnd }) => content.toString(encoding, nameStart, nameEnd))];
}

function isAscending(numbers: number[]): boolean {
  return numbers.every((number, i) => i === 0 || (numbers[i - 1] as number) <= number);
}
