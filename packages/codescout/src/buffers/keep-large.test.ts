import { createSession, defineTool } from '@jinn/core';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from '../read-file.ts';
import { keepLarge } from './keep-large.ts';

function listing(data: object, input: Parameters<typeof defineTool>[0]['input'] = (z) => z.strictObject({})) {
  return keepLarge(
    defineTool({
      name: 'list',
      effect: 'read',
      description: 'List.',
      input,
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

test('shows the beginning of a body that is too long, and says where the rest of it is', async () => {
  const body = 'x = 1;\n'.repeat(20_000);
  const symbol = { name: 'f', name_path: 'f', file: 'a.ts', start_line: 13, end_line: 20_012, signature: 'f()', body };
  const answer = await call(listing({ symbols: [symbol], total: 1 }), {});
  const { symbols, overflow } = JSON.parse(answer.result ?? '');
  expect(answer.truncated).toBe(true);
  expect(symbols).toEqual([{ ...symbol, body: expect.any(String) }]);
  expect(symbols[0].body.length).toBeGreaterThan(20_000);
  expect(body.startsWith(symbols[0].body)).toBe(true);
  expect(overflow.hint).toContain('read_file with {"path":"a.ts","start_line":13,"end_line":20012}');
  expect((answer.result ?? '').length).toBeLessThan(60_000);
});

test('refuses a buffer as path', async () => {
  const at = { session: createSession(), root: makeTempDirectory(), state: makeTempDirectory() };
  const { output_id } = JSON.parse((await call(listing({ items: ITEMS }), {}, at)).result ?? '');
  const tool = keepLarge(
    listing({}, (z) => z.strictObject({ path: z.string() })),
    { isPaged: false },
  );
  expect(await call(tool, { path: output_id }, at)).toMatchObject({
    error_code: 'invalid_args',
    error: `${output_id} is a buffer reference, not a path`,
  });
});

test('takes numbers as text', async () => {
  const tool = listing({ done: true }, (z) => z.strictObject({ offset: z.int() }));
  expect(await call(tool, { offset: '3' })).toMatchObject({ ok: true });
  expect(await call(tool, { offset: 'three' })).toMatchObject({ error_code: 'invalid_args' });
});
