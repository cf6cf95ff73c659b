import { once } from 'node:events';
import { createServer, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { createIdentity, type Identity, openIdentity } from './identity.ts';
import { createTokenVerifier, type TokenIssuer } from './openid.ts';
import { parseTeamSettings } from './team-settings.ts';
import { createTrustedProxy } from './trusted-proxy.ts';

const AUDIENCE = 'https://tools.example.org/mcp';
const SCOPES = { scope: 'jinn:read' };

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

type Key = Awaited<ReturnType<typeof makeKey>>;

/** Serves the keys of a provider, and signs with them. */
async function startIssuer(found: object = {}) {
  const key = await makeKey('one');
  let published: Key[] = [key];
  let asked = 0;
  const server = createServer(({ url }, response) => {
    if (url === '/keys') asked++;
    const metadata = { issuer, jwks_uri: `${issuer}/keys`, ...found };
    response.end(JSON.stringify(url === '/keys' ? { keys: published.map(({ jwk }) => jwk) } : metadata));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const claims = { iss: issuer, aud: AUDIENCE, sub: 'ann', exp: Math.floor(Date.now() / 1000) + 60, ...SCOPES };
  return {
    issuer,
    claims,
    /** How often somebody has asked for the keys. */
    asked: () => asked,
    publish: (...keys: Key[]) => {
      published = keys;
    },
    sign: (more: JWTPayload = {}, header: object = {}) =>
      new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header })
        .sign(key.privateKey),
  };
}

function verifierFor(issuer: string, more: Partial<TokenIssuer> = {}) {
  const failures: unknown[] = [];
  const from = { issuer, audience: AUDIENCE, claim: 'sub', ...more };
  return { verify: createTokenVerifier(from, (error) => failures.push(error)), failures };
}

const ANN = { person: 'ann', scopes: ['jinn:read'] };
const ID_TOKEN = { status: 401, message: expect.stringContaining('this is an ID token') };
const BOUND = { status: 401, message: expect.stringContaining('bound to a key') };
const OTHER = { status: 401, message: expect.stringContaining('of another type') };

test.each<[string, JWTPayload, object, object]>([
  ['a token that says nothing of its type', {}, {}, ANN],
  ['a JWT', {}, { typ: 'JWT' }, ANN],
  ['an access token', {}, { typ: 'at+jwt' }, ANN],
  ['an access token by its long name', { nonce: 'x' }, { typ: 'application/AT+JWT' }, ANN],
  ['an access token of Keycloak', { typ: 'Bearer', nonce: 'x' }, { typ: 'JWT' }, ANN],
  ['an ID token of Keycloak', { typ: 'ID' }, { typ: 'JWT' }, ID_TOKEN],
  ['an ID token with a nonce', { nonce: 'x' }, { typ: 'JWT' }, ID_TOKEN],
  ['an ID token with the hash of an access token', { at_hash: 'x' }, {}, ID_TOKEN],
  ['an ID token with the hash of a code', { c_hash: 'x' }, {}, ID_TOKEN],
  ['a logout token', {}, { typ: 'logout+jwt' }, OTHER],
  ['a token of a certificate', { cnf: { 'x5t#S256': 'x' } }, { typ: 'at+jwt' }, BOUND],
  ['a token of a key (DPoP)', { cnf: { jkt: 'x' } }, {}, BOUND],
])('of what the provider signs, %s', async (_, claims, header, judged) => {
  const { issuer, sign } = await startIssuer();
  const { verify, failures } = verifierFor(issuer);
  expect(await verify(await sign(claims, header))).toMatchObject(judged);
  expect(failures).toEqual([]);
});

test('a token that nobody has signed, or anybody could have, is not valid', async () => {
  const { issuer, claims, sign, asked } = await startIssuer();
  const { verify } = verifierFor(issuer);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const [, payload, signature] = (await sign()).split('.');
  const byKeyOfAll = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(Buffer.from(encode({ kty: 'EC' })));
  for (const token of [
    `${encode({ alg: 'none' })}.${payload}.`,
    `${encode({ alg: 'none', kid: 'one' })}.${payload}.${signature}`,
    byKeyOfAll,
  ])
    expect(await verify(token)).toMatchObject({ status: 401, error: 'invalid_token' });
  // They are refused by their algorithm, whatever keys there are.
  expect(asked()).toBe(0);
});

test('a key that was withdrawn counts until the keys are read again, and no longer', async () => {
  const { issuer, sign, publish } = await startIssuer();
  const { verify } = verifierFor(issuer, { maxKeyAgeMs: 2_000 });
  const [token, other] = [await sign(), await makeKey('two')];
  expect(await verify(token)).toMatchObject(ANN);
  publish(other);
  expect(await verify(token)).toMatchObject(ANN);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(await verify(token)).toMatchObject({ status: 401, error: 'invalid_token' });
});

test('a provider whose keys come over an open connection is not asked', async () => {
  const { issuer, sign } = await startIssuer({ jwks_uri: 'http://login.example.org/keys' });
  const { verify, failures } = verifierFor(issuer);
  expect(await verify(await sign())).toMatchObject({ status: 503 });
  expect(String(failures)).toContain('jwks_uri that is no https: URL');
});

const READS = { scopes: ['jinn:read' as const] };
const CLAIMS: TokenIssuer['claims'] = {
  groups: {
    developers: { scopes: ['jinn:write', 'jinn:execute'], limits: { calls_per_minute: 60, jobs: 8 } },
    operators: { scopes: ['jinn:admin', 'jinn:metrics'], limits: { calls_per_minute: 600, jobs: 1 } },
  },
  'realm_access.roles': { viewer: READS },
  'https://example.org/roles': { viewer: READS },
  level: { 3: READS },
};

test.each<[JWTPayload, object]>([
  [{}, { scopes: [] }],
  [{ scope: 'jinn:read other' }, { scopes: ['jinn:read'] }],
  [{ groups: 'developers' }, { scopes: ['jinn:write', 'jinn:execute'], limits: { calls_per_minute: 60, jobs: 8 } }],
  [
    { groups: ['developers', 'operators'], scp: ['jinn:read'] },
    {
      scopes: ['jinn:read', 'jinn:write', 'jinn:execute', 'jinn:admin', 'jinn:metrics'],
      limits: { calls_per_minute: 600, jobs: 8 },
    },
  ],
  [{ realm_access: { roles: ['viewer', 'other'] } }, READS],
  [{ 'https://example.org/roles': ['viewer'] }, READS],
  [{ level: 3 }, READS],
  [{ groups: ['Developers', 'developers operators', 'constructor', '__proto__', 7, null, {}] }, { scopes: [] }],
  [{ groups: { developers: true }, realm_access: 'roles' }, { scopes: [] }],
])('of the claims %j follow the scopes and limits of the settings', async (claims, expected) => {
  const { issuer, sign } = await startIssuer();
  const { verify } = verifierFor(issuer, { claims: CLAIMS });
  const { expires: _, ...judged } = (await verify(await sign({ scope: undefined, ...claims }))) as Record<
    string,
    unknown
  >;
  expect(judged).toEqual({ person: 'ann', ...expected });
});

test('a server takes the claims of its settings, also of those that are read again', async () => {
  const { issuer, sign } = await startIssuer();
  const settingsWith = (groups: object) =>
    parseTeamSettings(JSON.stringify({ openid: { issuer, resource: AUDIENCE, claims: { groups } } }));
  const none = { tokenFile: undefined, tokens: undefined, ownTokenFile: undefined, shared: undefined };
  const settings = settingsWith({ operators: { scopes: ['admin'], limits: { jobs: 1 } } });
  const identity = await openIdentity({ ...none, settings, onFailure() {}, onToken() {}, warn() {} });
  const authorization = `Bearer ${await sign({ groups: ['operators', 'guests'] })}`;
  const admin = { person: 'ann', scopes: ['jinn:read', 'jinn:admin'], limits: { jobs: 1 } };
  expect(await askWith(identity, { authorization })).toMatchObject(admin);
  await identity.change(settingsWith({ guests: { scopes: ['write'] } }));
  expect(await askWith(identity, { authorization })).toMatchObject({ scopes: ['jinn:read', 'jinn:write'] });
});

test('the claims that a proxy passes on make somebody an admin, and its scope does not', async () => {
  const { issuer, sign } = await startIssuer();
  const { verify } = verifierFor(issuer, { claims: CLAIMS, isAssertion: true });
  const ask = async (claims: JWTPayload) => askBehind(verify, await sign(claims));
  expect(await ask({ scope: 'jinn:admin' })).toMatchObject({ scopes: ['jinn:write'] });
  expect(await ask({ groups: ['operators'] })).toMatchObject({
    scopes: ['jinn:write', 'jinn:admin', 'jinn:metrics'],
    limits: { calls_per_minute: 600, jobs: 1 },
  });
});

/** Asks a real server behind a proxy who signs what it says. */
async function askBehind(verify: ReturnType<typeof verifierFor>['verify'], assertion: string, address = '127.0.0.1') {
  const settings = { addresses: [address], header: 'X-Assertion', scopes: ['jinn:write' as const] };
  return askWith(createIdentity({ proxy: createTrustedProxy(settings, verify) }), { 'x-assertion': assertion });
}

/** Asks a real server with these headers who sent the request. */
async function askWith(identity: Identity, headers: OutgoingHttpHeaders) {
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await identity.identify(request)));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const asked = httpRequest({ host: '127.0.0.1', port, headers }).end();
  const [response] = await once(asked, 'response');
  return JSON.parse(Buffer.concat(await response.toArray()).toString());
}

test('what a proxy says of a person counts when it is signed for this server', async () => {
  const { issuer, sign } = await startIssuer({ jwks_uri: 'none' });
  const audience = '/projects/7/apps/tools';
  const { verify } = verifierFor(issuer, { keys: `${issuer}/keys`, audience, isAssertion: true });
  const good = await sign({ aud: audience, nonce: 'x', sub: 'ann@example.org', scope: 'jinn:admin' });
  expect(await askBehind(verify, good)).toMatchObject({ person: 'ann@example.org', scopes: ['jinn:write'] });
  const refused = { status: 403, message: expect.stringContaining('X-Assertion') };
  for (const bad of [
    'ann@example.org',
    await sign(),
    `${good.slice(0, -8)}AAAAAAAA`,
    await sign({ aud: audience, exp: 1 }),
  ])
    expect(await askBehind(verify, bad)).toMatchObject(refused);
  expect(await askBehind(verify, good, '192.0.2.1')).toMatchObject({ status: 403 });
});
