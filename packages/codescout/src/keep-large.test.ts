import { createSession, defineTool } from '@jinn/core';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { keepLarge } from './keep-large.ts';
import { readFile } from './read-file.ts';

function listing(data: object) {
  return keepLarge(
    defineTool({
      name: 'list',
      effect: 'read',
      description: 'List.',
      input: (z) => z.strictObject({}),
      examples: [{}],
      run: () => ({ data }),
    }),
    { isPaged: true },
  );
}

const ITEMS = Array.from({ length: 2_000 }, (_, i) => ({ name: `item ${i}`.padEnd(60, '.') }));

test('keeps a large result in a buffer, and answers with its first items', async () => {
  const at = { session: createSession(), root: makeTempDirectory(), state: makeTempDirectory() };
  const given = { few: [1], items: ITEMS, total: 5_000, overflow: { shown: 2_000, total: 5_000, next_offset: 2_100 } };
  const answer = await call(listing(given), {}, at);
  const data = JSON.parse(answer.result ?? '');
  expect(answer.truncated).toBe(true);
  expect(data.items).toEqual(ITEMS.slice(0, data.items.length));
  expect((answer.result ?? '').length).toBeLessThan(60_000);
  expect(data).toMatchObject({
    few: [1],
    total: 5_000,
    output_id: expect.stringMatching(/^@tool_/),
    overflow: { shown: data.items.length, total: 5_000, next_offset: 100 + data.items.length },
  });
  const part = await call(readFile, { path: data.output_id, json_path: '$.items[1999].name' }, at);
  expect(part.result).toContain('item 1999');
});

test('leaves a result alone that fits into an answer', async () => {
  const data = { items: ITEMS.slice(0, 100), total: 100 };
  const answer = await call(listing(data), {});
  expect(JSON.parse(answer.result ?? '')).toEqual(data);
  expect(answer.truncated).toBeUndefined();
});
