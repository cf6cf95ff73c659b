import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { redactSecrets } from './content.ts';

function linesOf(name: string): string[] {
  const lines = fs
    .readFileSync(path.join(import.meta.dirname, 'fixture', name), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(60);
  return lines;
}

test.each(linesOf('secret-lines.txt'))('has a secret: %s', (line) => {
  expect(redactSecrets(`first\n${line}\nlast`)).toMatch(/^first\n.*\[an? /);
});

test.each(linesOf('plain-lines.txt'))('has no secret: %s', (line) => {
  expect(redactSecrets(`first\n${line}\nlast`)).toBe(`first\n${line}\nlast`);
});

test('judges each line of a file by itself', () => {
  const plain = linesOf('plain-lines.txt').join('\n');
  expect(redactSecrets(plain)).toBe(plain);
});
