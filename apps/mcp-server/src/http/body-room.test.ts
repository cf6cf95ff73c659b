import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { BodyRoom } from './body-room.ts';

/** Starts a server that holds the room of a body until `release` is called. */
async function start(maxEach: number, maxAll: number) {
  const room = new BodyRoom(maxEach, maxAll);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer((request, response) => {
    void room.read(request, String(request.headers['x-person'] ?? ''), async (body) => {
      if ('refused' in body) return void response.writeHead(body.refused).end();
      response.writeHead(200).write(body.bytes);
      if (body.bytes.toString().startsWith('hold')) await released;
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** A body that is streamed has no declared length. */
  const post = (body: string, { isStreamed = false, person = '' } = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'x-person': person },
      body: isStreamed ? (Readable.toWeb(Readable.from([body])) as ReadableStream) : body,
      ...(isStreamed && { duplex: 'half' }),
    });
  return { post, release };
}

test.each([false, true])(
  'refuses a body that is too large, whether it says so or not (streamed: %s)',
  async (isStreamed) => {
    const { post } = await start(10, 100);
    expect((await post('x'.repeat(10), { isStreamed })).status).toBe(200);
    expect((await post('x'.repeat(11), { isStreamed })).status).toBe(413);
  },
);

test('refuses what does not fit beside the bodies that are held, until these are done', async () => {
  const { post, release } = await start(10, 15);
  const held = await post('hold 67890');
  expect((await post('123456')).status).toBe(503);
  expect((await post('12345')).status).toBe(200);
  release();
  expect(await held.text()).toBe('hold 67890');
  expect((await post('1234567890')).status).toBe(200);
});

test('nobody with a name takes the room of others', async () => {
  const { post, release } = await start(10, 30);
  const held = [await post('hold 6', { person: 'ann' }), await post('hold 6', { person: 'bob' })];
  expect((await post('12345', { person: 'ann' })).status).toBe(503);
  expect((await post('1234', { person: 'ann' })).status).toBe(200);
  expect((await post('1234567890', { person: 'eve' })).status).toBe(200);
  expect((await post('1234567890')).status).toBe(200);
  release();
  await Promise.all(held.map((response) => response.text()));
  expect((await post('1234567890', { person: 'ann' })).status).toBe(200);
});
