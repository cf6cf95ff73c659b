import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { multiEdit } from './multi-edit.ts';

const MB = 1_000_000;

test('refuses edits that take too long together', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i} of many\n`);
  const content = lines.join('') + 'text\n'.repeat(6 * MB);
  const edits = lines.map((line) => ({ path: 'a.txt', old_text: line, new_text: `${line}more\n` }));
  const answer = await call(multiEdit, { edits }, { files: { 'a.txt': content } });
  expect(answer).toMatchObject({
    error_code: 'timeout',
    error: expect.stringMatching(
      /^the edits took more than 4 seconds of processor time; edits\[\d+\] was not reached$/,
    ),
  });
}, 60_000);
