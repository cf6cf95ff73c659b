import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { multiEdit } from './multi-edit.ts';

const MB = 1_000_000;

test('lets other work run between edits that are not found', async () => {
  const edits = Array.from({ length: 100 }, (_, i) => ({
    path: 'a.txt',
    old_text: `no ${i}\nsuch`,
    new_text: 'x',
    fuzzy_indent: true,
  }));
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  const answer = call(
    multiEdit,
    { edits },
    { files: { 'a.txt': Array.from({ length: MB / 5 }, (_, i) => `line ${i}\n`).join('') } },
  );
  setImmediate(count);
  expect(await answer).toMatchObject({ ok: false });
  isRunning = false;
  expect(turns).toBeGreaterThan(20);
}, 60_000);

test('refuses edits that take too long together', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i} of many\n`);
  const content = lines.join('') + 'text\n'.repeat(9 * MB);
  const edits = lines.map((line) => ({ path: 'a.txt', old_text: line, new_text: `${line}more\n` }));
  const answer = await call(multiEdit, { edits }, { files: { 'a.txt': content } });
  expect(answer).toMatchObject({
    error_code: 'timeout',
    error: expect.stringMatching(
      /^the edits took more than 4 seconds of processor time: edits\[\d+\] was not reached$/,
    ),
  });
}, 60_000);
