import fs from 'node:fs';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from '../read-file.ts';

test('says nothing of a workspace that is too large to look through', async () => {
  const root = makeTempDirectory();
  fs.mkdirSync(`${root}/d`);
  fs.mkdirSync(`${root}/e`);
  fs.writeFileSync(`${root}/e/z.js`, '');
  expect((await call(readFile, { path: 'z.js' }, { root })).suggestion).toBe('did you mean e/z.js?');
  for (let i = 0; i < 20_000; i++) fs.writeFileSync(`${root}/d/${i}`, '');
  expect((await call(readFile, { path: 'z.js' }, { root })).suggestion).toBe('use list_dir to see what is there');
});
