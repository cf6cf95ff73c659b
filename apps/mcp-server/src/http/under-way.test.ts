import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { UnderWay } from './under-way.ts';

/** Makes requests that nobody answers; returns their responses, and what ends all of them. */
async function open(count: number) {
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => void responses.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => responses.length).toBe(count);
  const leave = async () => {
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => responses.every(({ closed }) => closed)).toBe(true);
  };
  return { responses, leave };
}

test('a person has 128 requests at once, and as many again when their clients have left', async () => {
  const underWay = new UnderWay();
  const { responses, leave } = await open(129);
  const enter = (person: string) => responses.map((response) => underWay.enter({ person }, response));
  expect(enter('ann').filter(Boolean)).toHaveLength(128);
  expect(enter('').filter(Boolean)).toHaveLength(129);
  await leave();
  const again = await open(128);
  expect(again.responses.every((response) => underWay.enter({ person: 'ann' }, response))).toBe(true);
  await again.leave();
});

test('a client that has left before its person is known counts for nobody', async () => {
  const underWay = new UnderWay();
  const { responses, leave } = await open(1);
  await leave();
  for (let i = 0; i < 200; i++) expect(underWay.enter({ person: 'ann' }, responses[0] as ServerResponse)).toBe(true);
  const next = await open(128);
  expect(next.responses.every((response) => underWay.enter({ person: 'ann' }, response))).toBe(true);
  await next.leave();
});

test('a stream of notices ends with the token that let it in, and nothing else does', async () => {
  const underWay = new UnderWay();
  const { responses, leave } = await open(4);
  const [ended, later, without, call] = responses as [ServerResponse, ServerResponse, ServerResponse, ServerResponse];
  underWay.listen({ expires: Date.now() - 1 }, ended);
  underWay.listen({ expires: Date.now() + 60_000 }, later);
  underWay.listen({ expires: undefined }, without);
  underWay.enter({ person: 'ann' }, call);
  underWay.endExpired();
  expect(responses.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  await leave();
});
