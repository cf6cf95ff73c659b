import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from './errors.ts';

test('docs/errors.md says a line on each code', () => {
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  expect(listed).toEqual([...ERROR_CODES]);
});
