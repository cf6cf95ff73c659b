import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readContext } from './read-context.ts';

test('refuses a list of paths that is larger than an answer may be', async () => {
  const root = makeTempDirectory();
  const deep = Array.from({ length: 10 }, () => 'd'.repeat(250)).join('/');
  const filesOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${deep}/${i}.txt`, '']));
  const list = () => call(readContext, { project_root: root, list_only: true }, { root });
  makeTree(root, filesOf(8_000));
  expect(await list()).toMatchObject({ error_code: 'resource_limit', error: expect.stringContaining('16 MiB') });
  makeTree(root, filesOf(9_000));
  expect(await list()).toMatchObject({ error_code: 'resource_limit', error: 'the answer is larger than 20 MB' });
});
