import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { BodyRoom } from './body-room.ts';

/** Starts a server that holds the room of a body until `release` is called. */
async function start(maxEach: number, maxAll: number, { maxPerson = maxAll, own = 0, waitMs = 0 } = {}) {
  const room = new BodyRoom({ maxEach, maxPerson, maxAll, own, waitMs });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer((incoming, response) => {
    void room.read(incoming, String(incoming.headers['x-person'] ?? ''), async (body) => {
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
  return { url, post, release };
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

test('nobody with a name takes the room of others, and each has some of their own', async () => {
  const { post, release } = await start(10, 20, { maxPerson: 12, own: 2 });
  const held = [await post('hold 67890', { person: 'ann' }), await post('hold 67890', { person: 'bob' })];
  const statusOf = async (body: string, person: string) => (await post(body, { person })).status;
  expect([await statusOf('123', 'ann'), await statusOf('12', 'ann')]).toEqual([429, 503]);
  expect([await statusOf('12', 'eve'), await statusOf('123', 'eve')]).toEqual([200, 503]);
  release();
  await Promise.all(held.map((response) => response.text()));
  expect(await statusOf('1234567890', 'ann')).toBe(200);
});

test('a body of which some has come counts whole, so that none waits for another that is half read', async () => {
  const { url, post } = await start(10, 20, { maxPerson: 10, own: 1 });
  const parts = ['ann', 'bob'].map((person) => {
    const asked = request(url, { method: 'POST', headers: { 'x-person': person, 'content-length': 10 } });
    asked.write('12');
    return asked;
  });
  await expect.poll(async () => (await post('12', { person: 'eve' })).status).toBe(503);
  for (const asked of parts) {
    asked.end('34567890');
    const [{ statusCode }] = await once(asked, 'response');
    expect(statusCode).toBe(200);
  }
});

test('whoever finds all the room taken waits for the largest body, and is refused only after a while', async () => {
  const { post, release } = await start(10, 20, { maxPerson: 10, waitMs: 20_000 });
  const held = [await post('hold 67890', { person: 'ann' }), await post('hold 67890', { person: 'bob' })];
  const waiting = post('1234567890', { person: 'eve' });
  expect((await post('1', { person: 'ann' })).status).toBe(429);
  release();
  expect((await waiting).status).toBe(200);
  await Promise.all(held.map((response) => response.text()));
  const short = await start(10, 10, { waitMs: 100 });
  const last = await short.post('hold 67890', { person: 'ann' });
  const since = performance.now();
  expect((await short.post('1', { person: 'eve' })).status).toBe(503);
  expect(performance.now() - since).toBeGreaterThan(90);
  short.release();
  await last.text();
});
