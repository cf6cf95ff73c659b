import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { SAMPLES } from './fixture/outline-samples.ts';
import {
  docLineOf,
  findSymbols,
  isOutline,
  LANGUAGE_NAMES,
  newFaults,
  openSyntax,
  signatureOf,
  sourceLanguageOf,
} from './index.ts';

const syntax = openSyntax();
const LIMIT_MS = 500;

/** Reads content as a language, and whatever can be asked about its symbols. */
async function exercise(content: Buffer, language: string): Promise<void> {
  const outline = await syntax.outline(content, language, { limitMs: LIMIT_MS });
  if (!isOutline(outline)) {
    return;
  }
  for (const symbol of outline.symbols) {
    const { start, end, nameStart, nameEnd, startLine, endLine } = symbol;
    expect(0 <= start && start <= nameStart && nameStart <= nameEnd && nameEnd <= end).toBe(true);
    expect(end).toBeLessThanOrEqual(content.length);
    expect(startLine).toBeLessThanOrEqual(endLine);
    expect(signatureOf(content, symbol).length).toBeLessThanOrEqual(200);
    docLineOf(content, symbol);
  }
  for (const symbol of outline.symbols.slice(0, 5)) {
    expect(findSymbols(outline, `${symbol.path}[${symbol.overload}]`).length).toBeGreaterThan(0);
  }
  for (const { start, end } of [...outline.faults, ...outline.imports])
    expect(start <= end && end <= content.length).toBe(true);
  expect(newFaults({ content, outline }, { content, outline })).toEqual([]);
}

const anySample = fc.constantFrom(
  ...SAMPLES.map(({ file, content }) => ({ content, language: sourceLanguageOf(file) ?? '' })),
);

test('a name of white space is none', async () => {
  const css = Buffer.concat([Buffer.from([0xa0]), Buffer.from('{ color: red }\n.a { color: blue }\n')]);
  await exercise(css, 'css');
});

test('random bytes never throw', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 4_000 }),
      fc.constantFrom(...LANGUAGE_NAMES),
      async (bytes, language) => {
        await exercise(Buffer.from(bytes), language);
      },
    ),
    { numRuns: 300 / inject('runsDivisor') },
  );
}, 120_000);

test('sources with bytes cut out, repeated, replaced and put elsewhere never throw', async () => {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(60),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc
        .constantFrom('{', '}', '(', ')', '"', '/*', '<', "'", '`', '\n', '\r\n', 'é', '😀')
        .map((text) => Buffer.from(text)),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      anySample,
      fc.array(edit, { minLength: 1, maxLength: 12 }),
      async ({ content, language }, edits) => {
        let mutated = content;
        for (const { at, length, bytes } of edits) {
          const start = Math.floor(at * mutated.length);
          mutated = Buffer.concat([mutated.subarray(0, start), bytes, mutated.subarray(start + length)]);
        }
        await exercise(mutated, language);
      },
    ),
    { numRuns: 700 / inject('runsDivisor') },
  );
}, 120_000);

test('a source read as another language never throws', async () => {
  for (const { content } of SAMPLES) for (const language of LANGUAGE_NAMES) await exercise(content, language);
}, 120_000);

test('text of brackets and quotes alone never throws', async () => {
  const brackets = fc.string({ unit: fc.constantFrom(...'{}()[]<>"\'`/*#\n =:;,.$@%a1-é'), maxLength: 800 });
  await fc.assert(
    fc.asyncProperty(brackets, fc.constantFrom(...LANGUAGE_NAMES), (text, language) =>
      exercise(Buffer.from(text), language),
    ),
    { numRuns: 700 / inject('runsDivisor') },
  );
}, 120_000);
