import fs from 'node:fs';
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { INFO, listen } from '../fixture/listen.ts';

/** Connects a client of either line, and counts the calls that it sends. */
async function join(isOld: boolean, url: URL) {
  let calls = 0;
  const watch: typeof fetch = (input, init = {}) => {
    if (String(init.body ?? '').includes('"tools/call"')) calls++;
    return fetch(input, init);
  };
  const client = isOld
    ? new OldClient(INFO, {})
    : new NewClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const transport = isOld
    ? new OldTransport(url, { fetch: watch as never })
    : new StreamableHTTPClientTransport(url, { fetch: watch });
  onTestFinished(() => client.close());
  await client.connect(transport as never);
  const run = (command: string, options: object) => {
    const before = isOld ? [undefined] : [];
    const callTool = client.callTool.bind(client) as (...args: unknown[]) => Promise<unknown>;
    return callTool({ name: 'run_shell', arguments: { command } }, ...before, options).then(
      () => 'answered',
      (error: Error) => error.message,
    );
  };
  return { run, calls: () => calls };
}

test.for([
  ['by handshake', true],
  ['stateless', false],
] as const)('%s: a call that is canceled, or that the client waits for no longer, runs once', async ([, isOld]) => {
  const { url, cwd } = await listen({ args: ['--sandbox', 'off'] });
  const { run, calls } = await join(isOld, url);
  const runs = () => (fs.existsSync(`${cwd}/runs`) ? fs.readFileSync(`${cwd}/runs`, 'utf8') : '');
  const command = 'echo one >> runs; sleep 30';
  const controller = new AbortController();
  const canceled = run(command, { signal: controller.signal, onprogress() {} });
  await vi.waitUntil(() => runs() === 'one\n', { timeout: 10_000 });
  controller.abort();
  expect(await canceled).not.toBe('answered');
  expect(await run('echo two >> runs; sleep 30', { timeout: 3_000, onprogress() {} })).toMatch(/timed? ?out/i);
  // Clients wait a second before they ask for what they have missed.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect([runs(), calls()]).toEqual(['one\ntwo\n', 2]);
});

test('a client whose connection is cut asks for the answer, is told that it is lost, and does not send the call again', async () => {
  const { url, cwd } = await listen({ args: ['--sandbox', 'off'] });
  let cut: () => void = () => undefined;
  const cutting: typeof fetch = async (input, init = {}) => {
    const response = await fetch(input, init);
    if (!String(init.body ?? '').includes('"tools/call"') || response.body === null) return response;
    const reader = response.body.getReader();
    const body = new ReadableStream({
      start: (controller) => {
        cut = () => {
          controller.error(new Error('cut'));
          void reader.cancel();
        };
      },
      pull: async (controller) => controller.enqueue((await reader.read()).value ?? new Uint8Array(1)),
    });
    return new Response(body, response);
  };
  const client = new OldClient(INFO, {});
  onTestFinished(() => client.close());
  await client.connect(new OldTransport(url, { fetch: cutting as never }) as never);
  const command = 'echo one >> runs; sleep 30';
  const call = client.callTool({ name: 'run_shell', arguments: { command } });
  await vi.waitUntil(() => fs.existsSync(`${cwd}/runs`), { timeout: 10_000 });
  cut();
  await expect(call).rejects.toThrow('the connection was lost before this call was answered: see what it has done');
  expect(fs.readFileSync(`${cwd}/runs`, 'utf8')).toBe('one\n');
});
