import { once } from 'node:events';
import { Agent, createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Connections } from './connections.ts';

/** Lets each request in as the person that its path names, and lets /NAME/wait wait; at most two connections each. */
async function open() {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const [, person = '', isWaiting] = (request.url ?? '').split('/');
    connections.letIn(request.socket, person);
    if (isWaiting) waiting.push(response);
    else response.end();
  });
  const connections = new Connections(server, 2);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agents: Agent[] = [];
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Opens a connection; returns what asks on it, and tells whether it was closed. */
  const connect = () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    const seen = { isClosed: false };
    const ask = async (path: string) => {
      const asked = get({ host: '127.0.0.1', port, path, agent });
      asked.once('socket', (socket) => {
        if (socket.listenerCount('close', onClose) === 0) socket.on('close', onClose);
      });
      asked.on('error', () => undefined);
      const [response] = await once(asked, 'response');
      await once(response.resume(), 'end');
    };
    const onClose = () => {
      seen.isClosed = true;
    };
    return { ask, seen };
  };
  return { connect, waiting };
}

test('one connection too many of a person closes the one that was idle longest, and none of others', async () => {
  const { connect } = await open();
  const [bob, one, two, three] = [connect(), connect(), connect(), connect()];
  for (const { ask } of [bob, bob]) await ask('/bob');
  for (const { ask } of [one, two, one, three]) await ask('/ann');
  await expect.poll(() => two.seen.isClosed).toBe(true);
  expect([bob, one, three].map(({ seen }) => seen.isClosed)).toEqual([false, false, false]);
});

test('a connection with a request that is not answered stays, and may be closed when it is answered', async () => {
  const { connect, waiting } = await open();
  const [one, two, three, four] = [connect(), connect(), connect(), connect()];
  const waits = one.ask('/ann/wait');
  await expect.poll(() => waiting.length).toBe(1);
  for (const { ask } of [two, three]) await ask('/ann');
  await expect.poll(() => two.seen.isClosed).toBe(true);
  expect(one.seen.isClosed).toBe(false);
  waiting[0]?.end();
  await waits;
  await four.ask('/ann');
  await expect.poll(() => one.seen.isClosed).toBe(true);
  expect([three, four].map(({ seen }) => seen.isClosed)).toEqual([false, false]);
});

test('people without a name are not bounded', async () => {
  const { connect } = await open();
  const all = [connect(), connect(), connect(), connect()];
  for (const { ask } of all) await ask('/');
  for (const { ask } of all) await ask('/');
  expect(all.map(({ seen }) => seen.isClosed)).toEqual([false, false, false, false]);
});
