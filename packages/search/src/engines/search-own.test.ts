import { defineTool } from '@jinn/core';
import { compilePattern } from '@jinn/core/regex';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { limitsFrom, NO_HITS } from '../query/search-query.ts';
import { startsAt } from '../query/search-targets.ts';
import { searchTree } from './search-tree.ts';

/** Counts the files with an "a", if that takes no more processor time. Other work of the process can run between them. */
const countFiles = defineTool({
  name: 'count_files',
  effect: 'read',
  description: 'Count files.',
  input: (z) => z.strictObject({ ownMs: z.number(), otherMs: z._default(z.number(), 0) }),
  examples: [],
  async run({ ownMs, otherMs }, outer) {
    const checkpoint = async () => burn(otherMs);
    const ctx = { ...outer, checkpoint };
    const options = { literal: false, caseInsensitive: false, lines: 'single' } as const;
    const pattern = compilePattern({ ...options, pattern: 'a', suggestion: '', acrossSuggestion: '' });
    const where = { starts: startsAt(ctx, '.'), filter: undefined, hidden: false, noIgnore: false };
    const limits = limitsFrom(60_000, 60_000, ownMs);
    const { counts } = await searchTree(where, { pattern, crossesLines: false, window: NO_HITS, limits, ctx });
    return { text: String(counts.size) };
  },
});

function burn(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('ends when its processor time is over, and says how far it came', async () => {
  const root = makeTempDirectory();
  makeTree(root, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d${i % 2}/f${i}`, 'a\n'])));
  const count = (ownMs: number, environment = {}) => call(countFiles, { ownMs }, { root, environment });
  const own = { JINN_RIPGREP: 'off' };
  expect(await count(60_000, own)).toMatchObject({ result: '200' });
  expect(await count(0, own)).toMatchObject({
    error_code: 'timeout',
    error: 'after 0 seconds of processor time 0 of 200 files were searched',
    suggestion: expect.stringContaining('timeout'),
  });
  expect(await count(0, process.env)).toMatchObject({ result: '200' });
});

test('the work of others in the same process is not counted', { tags: 'slow' }, async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, 'a\n']));
  const where = { files, environment: { JINN_RIPGREP: 'off' } };
  expect(await call(countFiles, { ownMs: 500, otherMs: 3 }, where)).toMatchObject({ result: '200' });
});

test('its own work is counted, file by file', async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, 'a b\n'.repeat(20_000)]));
  const where = { files, environment: { JINN_RIPGREP: 'off' } };
  const answer = await call(countFiles, { ownMs: 20 }, where);
  expect(answer).toMatchObject({ error_code: 'timeout', error: expect.stringMatching(/ [1-9]\d* of 200 files/) });
});
