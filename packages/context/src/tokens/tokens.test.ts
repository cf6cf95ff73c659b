import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { estimate, loadExactCounter } from './tokens.ts';

const sources = fs.readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts'));
const texts = sources.map((name) => fs.readFileSync(path.join(import.meta.dirname, name)));

test('counts exactly, also text that looks like an end mark', async () => {
  const { count } = await loadExactCounter();
  expect(count(Buffer.from('hello world'))).toBe(2);
  expect(count(Buffer.from('<|endoftext|>'))).toBeGreaterThan(1);
});

test('estimates real sources to a tenth of what is counted', async () => {
  const exact = await loadExactCounter();
  const sum = (count: (text: Buffer) => number) => texts.reduce((total, text) => total + count(text), 0);
  const ratio = sum(estimate.count) / sum(exact.count);
  expect(ratio).toBeGreaterThan(0.9);
  expect(ratio).toBeLessThan(1.1);
});

test('estimates sources that are escaped in JSON as well', async () => {
  const exact = await loadExactCounter();
  const escaped = texts.map((text) => Buffer.from(JSON.stringify(text.toString())));
  const sum = (count: (text: Buffer) => number) => escaped.reduce((total, text) => total + count(text), 0);
  const ratio = sum(estimate.count) / sum(exact.count);
  expect(ratio).toBeGreaterThan(0.95);
  expect(ratio).toBeLessThan(1.05);
});

test.for([
  ['Russian', 'ru'],
  ['Ukrainian', 'uk'],
  ['Arabic', 'ar'],
  ['Persian', 'fa'],
  ['Hebrew', 'he'],
  ['Hindi', 'hi'],
  ['Thai', 'th'],
  ['Chinese', 'zh'],
  ['Japanese', 'ja'],
  ['Korean', 'ko'],
  ['German', 'de'],
  ['French', 'fr'],
  ['Vietnamese', 'vi'],
])('estimates %s to a third', async ([, locale]) => {
  const exact = await loadExactCounter();
  const names = new Intl.DisplayNames([locale as string], { type: 'language' });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' });
  const words = 'en de fr ru zh ja pt it es ko nl sv pl tr ar he el hi'
    .split(' ')
    .map((language) => names.of(language));
  const days = Array.from({ length: 12 }, (_, month) => day.format(new Date(2026, month, 2 * month + 1)));
  const text = Buffer.from([...words, ...days].join(', '));
  expect(estimate.count(text) / exact.count(text)).toBeGreaterThan(2 / 3);
  expect(estimate.count(text) / exact.count(text)).toBeLessThan(4 / 3);
});

test.for([
  ['JSON', JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ id: i, price: i * 1.37, tags: ['alpha', 'beta'] })))],
  [
    'a log',
    Array.from(
      { length: 50 },
      (_, i) => `2026-11-21T10:${10 + (i % 50)}:07.1${i}Z INFO [worker-${i}] status=200 ms=${i * 7}\n`,
    ).join(''),
  ],
  ['small statements', Array.from({ length: 40 }, (_, i) => `export const x${i} = ${i};\n`).join('')],
  ['empty lines', '\n'.repeat(2_000)],
] as const)('estimates %s to a fifth', async ([, text]) => {
  const exact = await loadExactCounter();
  const ratio = estimate.count(Buffer.from(text)) / exact.count(Buffer.from(text));
  expect(ratio).toBeGreaterThan(0.8);
  expect(ratio).toBeLessThan(1.2);
});

test('estimates 0 for no text, and words of every length', () => {
  expect(estimate.count(Buffer.from(''))).toBe(0);
  expect(estimate.count(Buffer.from('word'))).toBe(1);
  expect(estimate.count(Buffer.from('a'.repeat(52)))).toBe(8);
  expect(estimate.count(Buffer.from('日本'))).toBe(2);
  expect(estimate.count(Buffer.from('\n'))).toBe(1);
});

test('counts in time that grows with the text, whatever it holds', async () => {
  const { count } = await loadExactCounter();
  expect(count(Buffer.from(`a ${'x'.repeat(300_000)} b`))).toBeGreaterThan(30_000);
  expect(count(Buffer.from(' '.repeat(300_000)))).toBeGreaterThan(1_000);
});
