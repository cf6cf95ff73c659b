import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { toPersonName } from './asker.ts';
import { hashOf, parseTokens } from './bearer-tokens.ts';
import { createIdentity, type IdentitySources } from './identity.ts';
import { createTrustedProxy } from './trusted-proxy.ts';

const ANN = 'the-token-of-ann';

/** Asks a real server who somebody is. */
async function identify(sources: IdentitySources, headers: Record<string, string | string[]>, host = '127.0.0.1') {
  const identity = createIdentity(sources);
  const server = createServer(async (request, response) => {
    const judged = await identity.identify(request);
    const challenge = 'status' in judged ? identity.challenge(judged) : undefined;
    response.end(JSON.stringify({ ...judged, challenge }));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as { port: number };
  const asked = httpRequest({ host, port, headers });
  const answered = once(asked, 'response');
  asked.end();
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += chunk;
  return JSON.parse(text);
}

const tokens = (text: string) => {
  const current = () => parseTokens(text);
  return { tokens: { current, known: current } };
};

test.each([
  [`Bearer ${ANN}`, true],
  [`bearer   ${ANN} `, true],
  [`Bearer ${ANN.toUpperCase()}`, false],
  ['Bearer the-token-of-an', false],
  [`Bearer ${ANN} x`, false],
  ['Bearer ', false],
  [`Basic ${ANN}`, false],
  [ANN, false],
  [`Bearer ${hashOf(ANN)}`, false],
])('Authorization %s: %s', async (authorization, isServed) => {
  const judged = await identify(tokens(`ann:${ANN}`), { authorization });
  expect(judged).toMatchObject(isServed ? { person: 'ann', address: '127.0.0.1' } : { status: 401 });
});

test('a request that comes with several tokens is of nobody', async () => {
  const known = tokens(`ann:${ANN}\nbob:the-token-of-bob`);
  for (const other of ['the-token-of-bob', ANN, 'not-known-anywhere']) {
    const judged = await identify(known, { authorization: [`Bearer ${ANN}`, `Bearer ${other}`] });
    expect(judged).toMatchObject({ status: 401, message: 'one header Authorization is taken, not several' });
  }
});

test('without anything that knows people nothing is asked, and everything is allowed', async () => {
  expect(await identify({}, {})).toMatchObject({ person: '', scopes: expect.arrayContaining(['jinn:admin']) });
  expect(await identify(tokens(''), {})).toMatchObject({ status: 401 });
});

test('a token has its scopes until it expires', async () => {
  const line = (expires: string) => `ann sha256:${hashOf(ANN)} scopes=read,write expires=${expires}`;
  const ask = (expires: string) => identify(tokens(line(expires)), { authorization: `Bearer ${ANN}` });
  expect(await ask('never')).toMatchObject({ person: 'ann', scopes: ['jinn:read', 'jinn:write'] });
  expect(await ask('2999-01-01T00:00:00.000Z')).toMatchObject({ person: 'ann' });
  expect(await ask('2020-01-01T00:00:00.000Z')).toMatchObject({
    status: 401,
    challenge: 'Bearer error="invalid_token", error_description="the token has expired"',
  });
});

const proxyOf = (more: object = {}, addresses = ['10.0.0.0/8', '127.0.0.1']) => ({
  proxy: createTrustedProxy({ header: 'X-User', addresses, scopes: ['jinn:read'], ...more }),
});

test('a proxy without a header says only where somebody asks from', async () => {
  const { proxy } = proxyOf({ header: undefined });
  const headers = { 'x-user': 'ann', 'x-forwarded-for': '198.51.100.7' };
  expect(await identify({ proxy }, headers)).toMatchObject({ person: '', address: '198.51.100.7' });
  const given = { proxy, ...tokens(`bob:${ANN}`) };
  expect(await identify(given, headers)).toMatchObject({ status: 401 });
  expect(await identify(given, { ...headers, authorization: `Bearer ${ANN}` })).toMatchObject({ person: 'bob' });
  const asked = (sources: IdentitySources) => {
    const { isNeeded, hasNamedPeople } = createIdentity(sources);
    return [isNeeded, hasNamedPeople({ reload: true })];
  };
  expect([asked({ proxy }), asked(proxyOf()), asked(tokens(ANN)), asked(given)]).toEqual([
    [false, false],
    [true, true],
    [true, false],
    [true, true],
  ]);
});

test('a proxy of the operator says who somebody is, and where they ask from', async () => {
  const headers = { 'x-user': 'ann@example.org', 'x-forwarded-for': '192.0.2.1, 198.51.100.7' };
  expect(await identify(proxyOf(), headers)).toEqual({
    person: 'ann@example.org',
    scopes: ['jinn:read'],
    address: '198.51.100.7',
  });
  const withScopes = proxyOf({ scopes_header: 'X-Scopes' });
  expect(await identify(withScopes, { ...headers, 'x-scopes': 'jinn:write,other read' })).toMatchObject({
    scopes: ['jinn:write', 'jinn:read'],
  });
  expect(await identify(withScopes, headers)).toMatchObject({ scopes: [] });
  expect(await identify(proxyOf({}, ['::1']), headers, '::1')).toMatchObject({ person: 'ann@example.org' });
});

test.each([
  [{ 'x-user': 'ann' }, ['10.0.0.0/8'], 'only from the proxy'],
  [{ 'x-user': ['ann', 'bob'] }, ['127.0.0.0/8'], 'must send one name'],
  [{ 'x-user': '' }, ['127.0.0.0/8'], 'must send one name'],
])('refuses the header %j where %j is trusted', async (headers, addresses, message) => {
  expect(await identify(proxyOf({}, addresses), headers as never)).toMatchObject({
    status: 403,
    message: expect.stringContaining(message),
  });
});

test('refuses scopes that come twice: one may be of the client', async () => {
  const headers = { 'x-user': 'ann', 'x-scopes': ['read', 'admin'] };
  expect(await identify(proxyOf({ scopes_header: 'X-Scopes' }), headers)).toMatchObject({
    status: 403,
    message: 'the proxy must send one X-Scopes',
  });
});

test('a name in a header like that of the proxy is no name', async () => {
  for (const twin of ['x_user', 'x-user_', 'x.user', 'http_x_user', 'user']) {
    const headers = { [twin]: 'ann', 'x-forwarded-user': 'ann', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' };
    expect(await identify(proxyOf(), headers)).toMatchObject({ status: 401 });
    expect(await identify(proxyOf(), { ...headers, 'x-user': 'bob' })).toMatchObject({ person: 'bob' });
  }
});

test('refuses scopes from elsewhere, and believes no address that a client sends itself', async () => {
  const stranger = proxyOf({ scopes_header: 'X-Scopes' }, ['10.0.0.0/8']);
  expect(await identify(stranger, { 'x-scopes': 'admin' })).toMatchObject({ status: 403 });
  const both = { ...stranger, ...tokens(`ann:${ANN}`) };
  const headers = { authorization: `Bearer ${ANN}`, 'x-forwarded-for': '192.0.2.1' };
  expect(await identify(both, headers)).toMatchObject({ person: 'ann', address: '127.0.0.1' });
  expect(await identify(both, {})).toMatchObject({ status: 401 });
});

test.each(['nowhere', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/', '10.0.0.0/8/9', '::/129'])(
  'refuses the address %s of a proxy',
  (address) => {
    expect(() => proxyOf({}, [address])).toThrow(`proxy.addresses: ${address} is no address`);
  },
);

test('two people never share a name, and no name has what parts names from places', () => {
  const given = ['ann', 'auth0|ann', 'auth0%7Cann', 'a b', 'a/b', 'a:b', "a'b", 'ä', 'a!b', 'https://example.org/ann'];
  const names = given.map(toPersonName);
  expect(new Set(names).size).toBe(given.length);
  expect(names.slice(0, 3)).toEqual(['ann', 'auth0%7Cann', 'auth0%257Cann']);
  for (const name of names) expect(name).toMatch(/^[\w.@%-]+$/);
  expect([undefined, 7, '', 'x'.repeat(256), '\ud800'].map(toPersonName)).toEqual(Array(5).fill(undefined));
});
