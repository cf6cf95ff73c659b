import fs from 'node:fs';
import { expect, test } from 'vitest';
import { ANY_SCHEMA, bashTool, makeScene, resultOf } from './fixture/custom-registry.ts';

const ECHO = 'cat';
const printing = (json: string) => bashTool('cat "$(dirname "$0")/output.json"', {}, { 'output.json': json });

test.each([
  [
    { id: Number('12345678901234567890') },
    'id: the number arrived as 12345678901234567000, which may have lost digits',
  ],
  [{ a: { b: [1, Number('9007199254740993')] } }, 'a.b.1: the number arrived as 9007199254740992'],
  [{ e: Number('1e400') }, 'e: the number is larger than any number that can be passed on'],
  [{ e: Number('-1e400') }, 'e: the number is larger'],
])('refuses numbers that are not what was sent: %j', async (args, message) => {
  const scene = await makeScene({ config: bashTool('touch ran') });
  const answer = await scene.call('tool', args);
  expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', error: expect.stringContaining(message) });
  expect(answer.suggestion).toContain('send it as a text');
  expect(fs.readdirSync(scene.root)).toEqual([]);
});

test('passes on all other numbers, with a warning where digits may be lost', async () => {
  const scene = await makeScene({ config: bashTool(ECHO) });
  const small = { n: Number.MAX_SAFE_INTEGER, f: 0.1, e: 1e-7, text: '12345678901234567890' };
  const plain = await scene.call('tool', small);
  expect(resultOf(plain)).toMatchObject(small);
  expect(plain.meta).not.toHaveProperty('warnings');
  const large = await scene.call('tool', { mol: 6.02214076e23 });
  expect(resultOf(large)).toMatchObject({ mol: 6.02214076e23 });
  expect(large.meta).toMatchObject({ warnings: [expect.stringMatching(/^mol: the tool got 6\.02214076e\+23\. /)] });
});

const LARGE = '{"id":12345678901234567890,"list":[1e400,0.1],"text":"x"}';

test('shows numbers as the script printed them, however large', async () => {
  const scene = await makeScene({
    config: printing(LARGE.replace('{', '{ "_visualization" : 12345678901234567890, ')),
  });
  expect((await scene.call('tool')).result).toBe(LARGE);
});

test('keeps numbers in the file of a large result, and in an error', async () => {
  const json = JSON.stringify({ fill: 'x'.repeat(60_000) }).replace('}', ',"id":12345678901234567890}');
  const scene = await makeScene({ config: printing(json) });
  const path = /is in (\S+) /.exec((await scene.call('tool')).result ?? '')?.[1] ?? '';
  expect(fs.readFileSync(path, 'utf8')).toContain('"id": 12345678901234567890');
  scene.write(printing('{"error":{"code":12345678901234567890}}'));
  const { error, meta } = await scene.call('tool');
  expect(error).toBe('tool: {"code":12345678901234567890}');
  expect(meta).toMatchObject({ output: '{"error":{"code":12345678901234567890}}' });
});

test('checks the numbers of a result as numbers', async () => {
  const outputSchema = { ...ANY_SCHEMA, properties: { id: { type: 'integer' }, text: { type: 'number' } } };
  const scene = await makeScene({
    config: bashTool('cat "$(dirname "$0")/output.json"', { outputSchema }, { 'output.json': LARGE }),
  });
  expect((await scene.call('tool')).meta).toMatchObject({
    warnings: ['the result does not fit outputSchema: text: must be number'],
  });
});

test('shows a person large numbers with all digits', async () => {
  const table = '{"type":"table","columns":[{"key":"id"}],"rows":[{"id":12345678901234567890}]}';
  const scene = await makeScene({ config: printing(`{"a":1,"_visualization":${table}}`) });
  const { visualization } = await scene.call('tool', {}, { showsVisualizations: true });
  expect(visualization).toMatchObject({ rows: [{ id: '12345678901234567890' }] });
});

test('warns of output that is not UTF-8', async () => {
  const scene = await makeScene({ config: bashTool(`printf '{"a":"x\\xffy"}'`) });
  const answer = await scene.call('tool');
  expect(resultOf(answer)).toEqual({ a: 'x\ufffdy' });
  expect(answer.meta).toMatchObject({ warnings: [expect.stringContaining('bytes that are not UTF-8')] });
  scene.write(bashTool(`printf '{"error":"x\\xffy"}'`));
  expect(await scene.call('tool')).toMatchObject({
    error: 'tool: x\ufffdy',
    meta: { warnings: [expect.stringContaining('bytes that are not UTF-8')] },
  });
  scene.write(bashTool(`printf '\\xff'`));
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'tool_failed',
    meta: { warnings: [expect.stringContaining('bytes that are not UTF-8')] },
  });
});
