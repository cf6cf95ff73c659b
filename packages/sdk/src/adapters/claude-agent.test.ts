import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';
import type { ModelJinn } from '../create-jinn.ts';
import { expectMended, LOOK, MEND, openScene, PIXEL, REMOVE, type ScriptedCall, TICK } from '../fixture/scene.ts';
import { jinnServer } from './claude-agent.ts';

/** Connects a client to the server as the SDK does: it sends what comes from the program to a transport in memory. */
async function connect(jinn: ModelJinn) {
  const { instance } = jinnServer(jinn);
  const client = new Client({ name: 'claude', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([instance.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  const call = async ({ name, args }: ScriptedCall, signal?: AbortSignal) =>
    client.callTool({ name, arguments: { ...args } }, undefined, signal ? { signal } : {});
  return { client, call };
}

test('the server lists the tools under the name that mcpServers has', async () => {
  const { jinn } = openScene({ tools: ['read_file', 'run_shell', 'stat_file'] });
  expect(jinnServer(jinn)).toMatchObject({ type: 'sdk', name: 'jinn' });
  const { tools } = await (await connect(jinn)).client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['run_shell', 'read_file', 'stat_file']);
  const input = { type: 'object', required: ['path'] };
  expect(tools[1]).toMatchObject({ inputSchema: input, annotations: { readOnlyHint: true } });
  expect(tools.every((tool) => tool.outputSchema === undefined)).toBe(true);
});

test('a client reads, edits, runs a test, undoes, and reads an error', async () => {
  const { root, jinn } = openScene();
  const { call } = await connect(jinn);
  const answers = [];
  for (const each of MEND) answers.push(await call(each));
  expectMended(
    root,
    answers.map((answer) => JSON.stringify(answer.content)),
  );
  expect(answers.map(({ isError }) => isError)).toEqual([false, false, false, false, true]);
});

test('images come as images', async () => {
  const { call } = await connect(openScene().jinn);
  const image = { type: 'image', mimeType: 'image/png', data: PIXEL };
  expect((await call(LOOK)).content).toEqual([expect.objectContaining({ type: 'text' }), image]);
});

test.for([
  ['once', false, false],
  ['deny', true, true],
  [undefined, true, true],
] as const)('a dangerous call is put to approve of the instance, which says %s', async ([said, isError, stays]) => {
  const asked: string[] = [];
  const { jinn, has } = openScene({
    approve: ({ message }) => {
      asked.push(message);
      return said;
    },
  });
  expect(await (await connect(jinn)).call(REMOVE)).toMatchObject({ isError });
  expect([has('build'), asked]).toEqual([stays, [expect.stringContaining('rm -rf build')]]);
});

test('without approve, a dangerous call is refused', async () => {
  const { jinn, has } = openScene();
  expect(await (await connect(jinn)).call(REMOVE)).toMatchObject({ isError: true });
  expect(has('build')).toBe(true);
});

test('a canceled request ends the call', async () => {
  const { jinn, has, expectStopped } = openScene();
  const stop = new AbortController();
  const running = (await connect(jinn)).call(TICK, stop.signal).catch((error: unknown) => error);
  await expect.poll(() => has('tick')).toBe(true);
  stop.abort();
  expect(await running).toBeInstanceOf(Error);
  await expectStopped();
});
