import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { replace } from './fixture/replace-in-tree.ts';
import { searchReplace } from './search-replace.ts';

test('looks through 10,000 files and no more', async () => {
  const root = makeTempDirectory();
  for (let i = 0; i <= 10_000; i++) fs.writeFileSync(path.join(root, `${i}`), '');
  const args = { pattern: 'old', replacement: 'new', files: '.' };
  expect(await call(searchReplace, args, { root })).toMatchObject({
    error: 'more than 10000 files to look through',
    error_code: 'resource_limit',
  });
  fs.rmSync(path.join(root, '0'));
  expect(await call(searchReplace, { ...args, timeout: 60 }, { root })).toMatchObject({ ok: true });
});

test('replaces in a notebook of 20,000 cells in time that is linear in them', async () => {
  const cells = Array.from({ length: 20_000 }, (_, i) => ({
    cell_type: 'code',
    metadata: {},
    outputs: [],
    source: i % 2 ? ['old\n', 'old'] : [],
  }));
  const notebook = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
  const start = process.cpuUsage();
  const { after } = await replace(
    { files: 'a.ipynb', pattern: 'old', replacement: 'new', timeout: 60 },
    { 'a.ipynb': notebook },
  );
  const { user, system } = process.cpuUsage(start);
  expect(after['a.ipynb']).toBe(notebook.replaceAll('old', 'new'));
  expect((user + system) / 1_000).toBeLessThan(5_000);
}, 60_000);

test('refuses a result over 50 MB, and changes nothing', async () => {
  const f = 'a'.repeat(100_000);
  const answer = await replace({ files: 'f', pattern: 'a', replacement: 'x'.repeat(1_000), timeout: 60 }, { f });
  expect(answer).toMatchObject({ error_code: 'file_too_large', after: { f } });
});
