import { createSession } from '@jinn/core';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.ts';
import { searchPattern } from '../search-pattern.ts';
import { jsonBytes } from './fit-json.ts';

const MAX = 4_000;

async function run(command: string, maxResult = MAX) {
  const at = { session: createSession(), root: makeTempDirectory(), state: makeTempDirectory(), maxResult };
  const answer = await call(runCommand, { command }, at);
  const data = JSON.parse(answer.result ?? '');
  expect(jsonBytes(data)).toBeLessThanOrEqual(maxResult);
  return { data, at };
}

test('output that a host does not take goes to a buffer, and its end is shown too', async () => {
  const command = `seq 1500 | sed 's/^/"/'`;
  expect((await run(command, 50_000)).data).not.toHaveProperty('output_id');
  const { data } = await run(command);
  expect(data).toMatchObject({ output_id: expect.stringMatching(/^@cmd_/), total_lines: 1_500 });
  expect(data.stdout).toMatch(/^"1\n[\s\S]* lines like [\s\S]*\n"1500$/);
  const wide = await run('for i in $(seq 40); do head -c 390 /dev/zero | tr "\\0" y; echo; done; echo END; exit 3');
  expect(wide.data).toMatchObject({ stdout: expect.stringMatching(/\nEND$/), exit_code: 3 });
});

test('a query of a buffer shows as many lines as a host takes, and says how many', async () => {
  const { data, at } = await run('seq 5000 | sed "s/^/some words of a line /"');
  const answer = await call(runCommand, { command: `head -300 ${data.output_id}` }, at);
  const query = JSON.parse(answer.result ?? '');
  expect(jsonBytes(query)).toBeLessThanOrEqual(MAX);
  expect(query).toMatchObject({ stdout_shown: query.stdout.split('\n').length, stdout_total: 300 });
  expect(query.hint).toContain(`sed -n '${query.stdout_shown + 1},`);
});

test('what a query of a buffer finds is cut and is not put into a buffer of its own', async () => {
  const { data, at } = await run('seq 5000 | sed "s/^/some words of a line /"');
  const answer = await call(searchPattern, { pattern: 'words', path: data.output_id, max_results: 500 }, at);
  const { matches, total, overflow, ...rest } = JSON.parse(answer.result ?? '');
  expect(Buffer.byteLength(answer.result ?? '')).toBeLessThanOrEqual(MAX);
  expect([total, overflow.shown, overflow.total, rest]).toEqual([5_000, matches.length, 5_000, {}]);
  expect(overflow.hint).toBe(
    `${matches.length} of 5000 fit into the answer: ask for less, with a narrower path or pattern`,
  );
});
