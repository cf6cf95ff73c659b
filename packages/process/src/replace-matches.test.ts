import { expect, test } from 'vitest';
import { replaceMatches } from './replace-matches.ts';

const replace = (pattern: string, replacement: string, ...texts: string[]) =>
  replaceMatches({ pattern, flags: 'gmu', replacement }, texts, 5_000);

test('replaces every match in every text, and tells where they were', async () => {
  expect(await replace('(b)(.)', '$2$1', 'abcabd', 'none', '')).toEqual([
    { text: 'acbadb', count: 2, start: 1, end: 6 },
    { text: 'none', count: 0, start: 0, end: 0 },
    { text: '', count: 0, start: 0, end: 0 },
  ]);
});

test('matches at line boundaries, and where nothing is', async () => {
  expect(await replace('^', '> ', 'a\r\nb')).toEqual([{ text: '> a\r> \n> b', count: 3, start: 0, end: 3 }]);
});

test('stops a pattern that backtracks', async () => {
  const hostile = replaceMatches({ pattern: '(a+)+$', flags: 'g', replacement: '' }, [`${'a'.repeat(40)}!`], 200);
  await expect(hostile).rejects.toMatchObject({ code: 'timeout', suggestion: expect.any(String) });
});

test('stops a replacement that grows beyond memory', async () => {
  await expect(replace('', 'x'.repeat(1_000_000), 'y'.repeat(5_000))).rejects.toMatchObject({ code: 'resource_limit' });
});
