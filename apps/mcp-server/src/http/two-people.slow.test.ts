import { once } from 'node:events';
import fs from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { makeTempDirectory, toStatelessRequest } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../fixture/listen.ts';

const MB = 1024 * 1024;

/** Starts a server that knows ann and bob. */
async function serve(args: readonly string[] = []) {
  const place = makeTempDirectory();
  fs.writeFileSync(`${place}/tokens`, 'ann:the-token-of-ann\nbob:the-token-of-bob\n');
  const listening = await listen({ args: ['--sandbox', 'off', '--token-file', `${place}/tokens`, ...args] });
  return { ...listening, place };
}

function headersOf(person: string) {
  return { authorization: `Bearer the-token-of-${person}` };
}

/** Sends a request of the stateless revision, on a connection of its own. */
async function send(url: URL, person: string, method: string, params: object): Promise<number> {
  const { headers, body } = toStatelessRequest(method, params as Record<string, unknown>);
  const asked = httpRequest(url, { method: 'POST', agent: false, headers: { ...headers, ...headersOf(person) } });
  const answered = once(asked, 'response');
  // What is refused is not read to its end.
  asked.on('error', () => undefined);
  asked.end(body);
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

function call(url: URL, person: string, name: string, args: object): Promise<number> {
  return send(url, person, 'tools/call', { name, arguments: args });
}

/** Keeps so many connections open, each with this request from time to time; one that is closed is opened anew. */
async function flood(url: URL, text: string, count: number, everyMs = 1_000): Promise<void> {
  const sockets = new Set<Socket>();
  const ended = { is: false };
  const open = () => {
    const socket = connectSocket(Number(url.port), url.hostname);
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('connect', () => socket.write(text));
    socket.on('close', () => {
      sockets.delete(socket);
      if (!ended.is) setTimeout(open, 100);
    });
    socket.resume();
  };
  for (let i = 0; i < count; i++) open();
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(text);
  }, everyMs);
  onTestFinished(() => {
    ended.is = true;
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
}

const PREFLIGHT = 'OPTIONS /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://localhost\r\n\r\n';

test.each([
  ['probes', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['preflights', PREFLIGHT],
  ['requests without a token', 'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['half requests', 'GET /mcp HT'],
])('a stranger who keeps 640 connections with %s keeps nobody out', { timeout: 180_000 }, async (_, text) => {
  const { url } = await serve();
  await flood(url, text, 640);
  /** A client, or who probes, tries again: what was full a moment ago is not full for long. */
  const again = async (work: () => Promise<number>): Promise<number> => {
    for (let i = 0; i < 20; i++) {
      try {
        return await work();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    return 0;
  };
  const probe = async () => {
    const asked = httpRequest(new URL('/readyz', url), { agent: false });
    const answered = once(asked, 'response');
    asked.end();
    const [response] = await answered;
    response.resume();
    return response.statusCode as number;
  };
  const statuses = [];
  for (let i = 0; i < 4; i++) {
    statuses.push(await again(() => call(url, 'bob', 'read_file', { path: 'a.txt' })), await again(probe));
  }
  expect(statuses).toEqual(Array(8).fill(200));
});

test('a person who keeps 640 connections keeps nobody else out', { timeout: 180_000 }, async () => {
  const { url } = await serve();
  const { headers, body } = toStatelessRequest('tools/list', {});
  const lines = Object.entries({ ...headers, ...headersOf('ann'), host: url.host, 'content-length': body.length });
  const text = `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
  await flood(url, text, 640, 5_000);
  expect(await call(url, 'bob', 'read_file', { path: 'a.txt' })).toBe(200);
});

test('large bodies of a person whose commands run leave room for others', { timeout: 180_000 }, async () => {
  const { url, cwd } = await serve();
  const large = {
    name: 'run_shell',
    arguments: { command: 'touch begun; sleep 6' },
    _meta: { padding: 'x'.repeat(62 * MB) },
  };
  const slow = [1, 2].map(() => send(url, 'ann', 'tools/call', large));
  await expect.poll(() => fs.existsSync(`${cwd}/begun`)).toBe(true);
  expect(await call(url, 'bob', 'write_file', { path: 'b.txt', content: 'y'.repeat(3 * MB) })).toBe(200);
  expect((await Promise.all(slow)).toSorted()).toEqual([200, 429]);
});

test('slow uploads of a person leave room for others', { timeout: 180_000 }, async () => {
  const { url } = await serve();
  const { headers } = toStatelessRequest('tools/list', {});
  const slow = [1, 2, 3].map(() => {
    const sent = { ...headers, ...headersOf('ann'), 'content-length': 60 * MB };
    const asked = httpRequest(url, { method: 'POST', agent: false, headers: sent });
    asked.on('error', () => undefined);
    asked.write('x'.repeat(59 * MB));
    onTestFinished(() => void asked.destroy());
    return asked;
  });
  const refused = await Promise.any(slow.map(async (asked) => (await once(asked, 'response'))[0].statusCode));
  expect(refused).toBe(429);
  expect(await call(url, 'bob', 'write_file', { path: 'b.txt', content: 'y'.repeat(60 * MB) })).toBe(200);
});
