import { expect, test } from 'vitest';
import { createAccess, isLoopback, parseAddress } from './http-access.ts';

const LOCAL = { host: '127.0.0.1', allowHost: [], allowOrigin: [] };
const PUBLIC = {
  ...LOCAL,
  host: '0.0.0.0',
  allowHost: ['tools.example.org', '.svc.cluster.local'],
  allowOrigin: ['https://app.example.org'],
};

test.each([
  ['localhost:7337', undefined, true],
  ['LOCALHOST', undefined, true],
  ['127.0.0.1:1', undefined, true],
  ['127.9.8.7', undefined, true],
  ['[::1]:7337', 'http://[::1]:3000', true],
  ['localhost', 'http://localhost:6274', true],
  ['localhost', 'https://127.0.0.1', true],
  [undefined, undefined, false],
  ['', undefined, false],
  ['evil.example', undefined, false],
  ['localhost.evil.example', undefined, false],
  ['127.0.0.1.evil.example', undefined, false],
  ['evil@localhost', undefined, false],
  ['localhost', 'http://evil.example', false],
  ['localhost', 'http://localhost.evil.example', false],
  ['localhost', 'null', false],
  ['localhost', '', false],
  ['localhost', 'http://localhost/', false],
  ['localhost', 'http://localhost?', false],
  ['localhost', 'http://user@localhost', false],
  ['localhost', 'file://localhost', false],
  ['localhost', 'localhost', false],
])('on this machine, Host %s with Origin %s: %s', (host, origin, isServed) => {
  const refusal = createAccess(LOCAL).judgeSource({ host, origin });
  expect(refusal?.status).toBe(isServed ? undefined : 403);
});

test.each([
  ['tools.example.org', undefined, true],
  ['tools.example.org:443', 'https://app.example.org', true],
  ['0.0.0.0:80', undefined, true],
  ['localhost', undefined, false],
  ['shop.jinn.svc.cluster.local:8888', undefined, true],
  ['svc.cluster.local', undefined, false],
  ['evil-svc.cluster.local', undefined, false],
  ['a.tools.example.org', undefined, false],
  ['tools.example.org', 'http://app.example.org', false],
  ['tools.example.org', 'https://app.example.org:8443', false],
  ['tools.example.org', 'http://localhost', false],
])('beyond it, Host %s with Origin %s: %s', (host, origin, isServed) => {
  const refusal = createAccess(PUBLIC).judgeSource({ host, origin });
  expect(refusal?.status).toBe(isServed ? undefined : 403);
});

test('origins that are named are the only ones, also on this machine', () => {
  const access = createAccess({ ...LOCAL, allowOrigin: ['http://localhost:5173'] });
  expect(access.judgeSource({ host: 'localhost', origin: 'http://localhost:5173' })).toBeUndefined();
  expect(access.judgeSource({ host: 'localhost', origin: 'http://localhost:5174' })?.status).toBe(403);
});

test.each([
  ['8080', '127.0.0.1', 8080],
  [':8080', '127.0.0.1', 8080],
  ['localhost', 'localhost', 7337],
  ['0.0.0.0:80', '0.0.0.0', 80],
  ['[::1]:0', '[::1]', 0],
  ['[::1]', '[::1]', 7337],
  ['my-host.example:1', 'my-host.example', 1],
  ['4f3a2b:7337', '4f3a2b', 7337],
])('reads the address %s', (text, host, port) => {
  expect(parseAddress(text)).toEqual({ host, port });
});

test.each(['', ':', '7612x', 'a:b', '70000', 'a:70000', 'http://a', '::1', 'a b', 'a:1:2'])(
  'refuses the address %j',
  (text) => {
    expect(parseAddress(text)).toBeUndefined();
  },
);

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['[::]', false],
  ['localhost.example', false],
  ['1127.0.0.1', false],
])('%s is of this machine alone: %s', (host, isLocal) => {
  expect(isLoopback(host)).toBe(isLocal);
});
