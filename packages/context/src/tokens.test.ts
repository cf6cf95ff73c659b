import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { estimate, loadExactCounter } from './tokens.ts';

const sources = fs.readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts'));
const texts = sources.map((name) => fs.readFileSync(path.join(import.meta.dirname, name)));

test('counts exactly, also what looks like the end of a text', async () => {
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

test('estimates nothing for nothing, and words of every length', () => {
  expect(estimate.count(Buffer.from(''))).toBe(0);
  expect(estimate.count(Buffer.from('word'))).toBe(1);
  expect(estimate.count(Buffer.from('a'.repeat(52)))).toBe(10);
  expect(estimate.count(Buffer.from('日本'))).toBe(2);
});

test('counts in time that grows with the text, whatever it holds', async () => {
  const { count } = await loadExactCounter();
  expect(count(Buffer.from(`a ${'x'.repeat(300_000)} b`))).toBeGreaterThan(30_000);
  expect(count(Buffer.from(' '.repeat(300_000)))).toBeGreaterThan(1_000);
});
