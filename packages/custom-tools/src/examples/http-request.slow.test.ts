import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../examples/tools/http-request');

/** Serves an API on this machine that answers with what it got. */
async function serve() {
  const got: string[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    got.push(`${method} ${url} ${body}`);
    if (url === '/large') response.end('x'.repeat(2_000_000));
    else if (url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end();
    else {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: headers['content-type'], auth: headers.authorization ?? null, body }));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

test('asks before it sends to this machine, and returns JSON as data', async () => {
  const { url, got } = await serve();
  const { call, asked } = await openExample('http-request', { ask: () => 'once' });
  const request = { url: `${url}/items`, method: 'POST', body: { a: ['é'] }, private: true };
  const { output, shown, warnings } = await call(request);
  expect(output).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: { type: 'application/json', auth: null, body: '{"a":["é"]}' },
  });
  expect(shown).toMatchObject({ type: 'markdown', sourceUrl: `${url}/items`, content: /^\*\*201 Created\*\* POST / });
  expect(warnings).toEqual([]);
  expect(asked).toEqual([`http: POST ${url} private`]);
  const headers = { 'Content-Type': 'text/csv' };
  const { output: plain } = await call({ url, method: 'PUT', body: 'a,b', headers, private: true });
  expect(plain['body']).toEqual({ type: 'text/csv', auth: null, body: 'a,b' });
  expect(got).toEqual(['POST /items {"a":["é"]}', 'PUT / a,b']);
});

test('sends nothing that a person did not allow', async () => {
  const { url, got } = await serve();
  const denied = await openExample('http-request', { ask: () => 'deny' });
  expect(await denied.fail({ url, private: true })).toContain('USER_REJECTION');
  expect(await denied.fail({ url, method: 'DELETE' })).toContain(`Send DELETE to ${url}`);
  const alone = await openExample('http-request');
  expect(await alone.fail({ url, method: 'POST' })).toContain('this call needs user approval');
  expect(got).toEqual([]);
});

test.each([
  ['http://127.0.0.1:1/', '127.0.0.1 is a private address'],
  ['http://[::1]:1/', '::1 is a private address'],
  ['http://localhost:1/', 'localhost is a private address'],
  ['http://169.254.169.254/', '169.254.169.254 is a private address'],
  ['file:///etc/passwd', 'the address is not http or https'],
  ['nothing', 'the address is not http or https'],
])('does not read %s without asking', async (url, message) => {
  const { fail, asked } = await openExample('http-request', { ask: () => 'once' });
  expect(await fail({ url })).toContain(message);
  expect(asked).toEqual([]);
});

test('does not read a private address that a person allowed for writing only', async () => {
  const { url, got } = await serve();
  const { fail, asked } = await openExample('http-request', { ask: () => 'always' });
  expect(await fail({ url, method: 'POST' })).toContain('127.0.0.1 is a private address');
  expect(asked).toEqual([`http: POST ${url}`]);
  expect(got).toEqual([]);
});

test('follows no redirect, bounds the body, and keeps tokens to TLS', async () => {
  const { url, got } = await serve();
  const { host } = new URL(url);
  const variables = { HTTP_REQUEST_TOKENS: `other.example=x ${host}=secret` };
  const { call } = await openExample('http-request', { ask: () => 'once', variables });
  const moved = await call({ url: `${url}/moved`, private: true });
  expect(moved.output).toMatchObject({ status: 302, headers: { location: '/elsewhere' }, body: '' });
  const large = await call({ url: `${url}/large`, private: true });
  const content = large.shown?.type === 'markdown' ? large.shown.content : '';
  expect(content.length - 1024 * 1024).toBeGreaterThan(0);
  expect(content.length - 1024 * 1024).toBeLessThan(200);
  const { output } = await call({ url, private: true });
  expect(output['body']).toMatchObject({ auth: null });
  const { tokenFor } = await import(pathToFileURL(path.join(FOLDER, 'token.mjs')).href);
  const pairs = variables.HTTP_REQUEST_TOKENS;
  expect(tokenFor(new URL(`https://${host}/`), pairs)).toEqual({ authorization: 'Bearer secret' });
  expect(tokenFor(new URL('https://example.com/'), pairs)).toEqual({});
  expect(got).toEqual(['GET /moved ', 'GET /large ', 'GET / ']);
});
