import fs from 'node:fs';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { INFO } from '../fixture/listen.ts';
import { browse, CALLBACK, KNOWN_CLIENT, now } from '../fixture/provider.ts';
import { serveBehindProvider as serve } from '../fixture/serve-behind-provider.ts';

/** How much clocks may differ, in seconds. */
const SKEW = 60;

/** What a host keeps of its person's consent, and the browser that it opens. One that the provider does not know registers itself. */
function createConsent(client?: object, metadata: object = {}) {
  const kept: {
    client?: object | undefined;
    tokens?: never;
    verifier: string;
    asked: string[];
    came: URLSearchParams;
  } = {
    client,
    verifier: '',
    asked: [],
    came: new URLSearchParams(),
  };
  const consent: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', client_name: 'test', ...metadata },
    clientInformation: () => kept.client as never,
    saveClientInformation: (registered) => void Object.assign(kept, { client: registered }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: async (url) => {
      kept.asked.push(url.searchParams.get('scope') ?? '');
      kept.came = (await browse(url, CALLBACK)).searchParams;
    },
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
  };
  return { consent, kept };
}

/** Does what needs a person's consent, and does it again with that. */
async function withConsent<T>(work: () => Promise<T>, finish: () => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!/unauthorized/i.test(String(error))) throw error;
    await finish();
    return work();
  }
}

/** Makes what connects the newest client, and what goes on when its person has consented. */
function newestClient(url: URL, consent: OAuthClientProvider, kept: { readonly came: URLSearchParams }) {
  let transport: StreamableHTTPClientTransport;
  const connect = async () => {
    const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    onTestFinished(() => client.close());
    transport = new StreamableHTTPClientTransport(url, { authProvider: consent });
    await client.connect(transport);
    return client;
  };
  return { connect, finish: () => transport.finishAuth(kept.came) };
}

test('the newest client signs its person in, and asks for more when a call needs it', async () => {
  const { url, cwd } = await serve({ scopes: ['read'] });
  const { consent, kept } = createConsent({ client_id: KNOWN_CLIENT });
  const { connect, finish } = newestClient(url, consent, kept);
  const client = await withConsent(connect, finish);
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toContain('read_file');
  expect(listed.filter((name) => /write|edit|shell/.test(name))).toEqual([]);
  const call = () => client.callTool({ name: 'write_file', arguments: { path: 'new.txt', content: 'x\n' } });
  const written = await withConsent(call, finish);
  expect([written.isError, fs.readFileSync(`${cwd}/new.txt`, 'utf8')]).toEqual([undefined, 'x\n']);
  expect(kept.asked).toEqual(['jinn:read', 'jinn:read jinn:write']);
});

test('the client by handshake does so too', async () => {
  const { url } = await serve();
  const { consent, kept } = createConsent();
  let transport: OldTransport;
  const connect = async () => {
    const client = new OldClient(INFO);
    onTestFinished(() => client.close());
    transport = new OldTransport(url, { authProvider: consent as never });
    await client.connect(transport as never);
    return client;
  };
  const client = await withConsent(connect, () => transport.finishAuth(kept.came.get('code') ?? ''));
  const { content } = await client.callTool({ name: 'run_shell', arguments: { command: 'echo hello' } });
  expect(JSON.stringify(content)).toContain('hello');
  expect(kept.asked).toEqual(['jinn:read jinn:write jinn:execute']);
});

const REFRESHING = { grant_types: ['authorization_code', 'refresh_token'] };

/** Makes what signs a person in. What it returns gives the client a token that soon ends, and sees how its streams are answered. */
async function signInForAMoment(client?: object) {
  const { url, provider, cwd } = await serve();
  const { consent, kept } = createConsent(client, REFRESHING);
  let short = '';
  const shorten = async () => {
    short = await provider.sign({ scope: 'jinn:read jinn:write jinn:execute', exp: now() - SKEW + 8 });
    Object.assign(kept, { tokens: { ...(kept.tokens as object | undefined), access_token: short } });
  };
  const opened: string[] = [];
  const seeing: typeof fetch = async (to, init) => {
    const response = await fetch(to, init);
    const isStream = init?.method === 'GET' && `${to}` === url.href;
    const token = new Headers(init?.headers).get('authorization');
    if (isStream) opened.push(`${response.status} with ${token === `Bearer ${short}` ? 'the old token' : 'a new one'}`);
    return response;
  };
  return { url, cwd, consent, kept, shorten, opened, seeing };
}

test('the stream of a session ends with its token; its client comes back with a new one, and a call goes on', {
  timeout: 60_000,
}, async () => {
  const { url, cwd, consent, kept, shorten, opened, seeing } = await signInForAMoment();
  let transport: OldTransport;
  const connect = async () => {
    const client = new OldClient(INFO);
    onTestFinished(() => client.close());
    transport = new OldTransport(url, { authProvider: consent as never, fetch: seeing });
    await client.connect(transport as never);
    const { sessionId } = transport;
    return { client, sessionId, current: () => transport.sessionId };
  };
  const { client, sessionId, current } = await withConsent(connect, async () => {
    await transport.finishAuth(kept.came.get('code') ?? '');
    await shorten();
  });
  const command = 'until [ -e go ]; do sleep 0.1; done; echo it went on';
  const call = client.callTool({ name: 'run_shell', arguments: { command } });
  const came = ['200 with the old token', '401 with the old token', '200 with a new one'];
  await expect.poll(() => opened, { timeout: 30_000 }).toEqual(came);
  fs.writeFileSync(`${cwd}/go`, '');
  expect(JSON.stringify((await call).content)).toContain('it went on');
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect([current(), kept.asked.length]).toEqual([sessionId, 1]);
});

test('a stream of the stateless revision ends with its token, and its client opens another', {
  timeout: 60_000,
}, async () => {
  const { url, consent, kept, shorten } = await signInForAMoment({ client_id: KNOWN_CLIENT });
  const { connect, finish } = newestClient(url, consent, kept);
  const client = await withConsent(connect, async () => {
    await finish();
    await shorten();
  });
  const listen = () => client.listen({ toolsListChanged: true });
  const first = await listen();
  expect(await first.closed).toBe('remote');
  const second = await listen();
  expect(second.honoredFilter).toEqual({ toolsListChanged: true });
  expect(kept.asked).toHaveLength(1);
  await second.close();
});

const listing = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': INFO,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

async function ask(url: URL, token: string, body: typeof listing | object = listing) {
  const { method, params } = body as { method: string; params: { name?: string } };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name && { 'mcp-name': params.name }),
    },
    body: JSON.stringify(body),
  });
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, challenge, text: await response.text() };
}

test('says where people sign in, to whoever asks', async () => {
  const { url, provider } = await serve();
  const metadata = {
    resource: url.href,
    authorization_servers: [provider.issuer],
    scopes_supported: ['jinn:read', 'jinn:write', 'jinn:execute', 'jinn:admin'],
    bearer_methods_supported: ['header'],
    resource_name: 'jinn',
  };
  for (const path of ['', '/mcp']) {
    const answer = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, url));
    expect(await answer.json()).toEqual(metadata);
  }
  expect((await ask(url, 'no.such.token')).challenge).toBe(
    `Bearer error="invalid_token", error_description="the token is not valid", resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp", scope="jinn:read jinn:write jinn:execute"`,
  );
});

test('takes no token but one of the provider for this server, and allows a minute of skew', async () => {
  const { url, provider } = await serve();
  const status = async (claims: JWTPayload, header?: object) =>
    (await ask(url, await provider.sign({ scope: 'jinn:read', ...claims }, header))).status;
  expect(await status({})).toBe(200);
  expect(await status({ exp: now() - 30 })).toBe(200);
  expect(await status({ exp: now() - 90 })).toBe(401);
  expect(await status({ nbf: now() + 90 })).toBe(401);
  expect(await status({ nbf: now() + 30 })).toBe(200);
  expect(await status({ aud: 'https://other.example/mcp' })).toBe(401);
  expect(await status({ iss: 'https://other.example' })).toBe(401);
  expect(await status({ sub: '' })).toBe(401);
  expect(await status({ exp: undefined as never })).toBe(401);
  expect(await status({}, { kid: 'another' })).toBe(401);
  const { privateKey } = await generateKeyPair('RS256');
  const claims = { iss: provider.issuer, aud: url.href, sub: 'eve', exp: now() + 60, scope: 'jinn:execute' };
  const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256' });
  expect((await ask(url, await forged.sign(privateKey))).status).toBe(401);
  const symmetric = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' });
  expect((await ask(url, await symmetric.sign(new TextEncoder().encode('x'.repeat(32))))).status).toBe(401);
  const [head, body] = (await provider.sign({ scope: 'jinn:read' })).split('.');
  expect((await ask(url, `${head}.${body}.AAAA`)).status).toBe(401);
});

test('believes no provider that is of another issuer', async () => {
  const toIssuer = (issuer: string) => issuer.replace('127.0.0.1', 'localhost');
  const { url, provider, log } = await serve({}, toIssuer);
  const token = await provider.sign({ scope: 'jinn:read', iss: toIssuer(provider.issuer) });
  expect((await ask(url, token)).status).toBe(503);
  expect(fs.readFileSync(log, 'utf8')).toContain('is of the issuer');
});

test('follows the keys of the provider, and asks for patience while it is away', async () => {
  const { url, provider } = await serve();
  const old = await provider.sign({ scope: 'jinn:read' });
  provider.pause();
  expect((await ask(url, old)).status).toBe(503);
  await provider.rotate();
  const token = await provider.sign({ scope: 'jinn:read' });
  expect((await ask(url, token)).status).toBe(200);
  expect((await ask(url, old)).status).toBe(401);
  await provider.rotate();
  const newest = await provider.sign({ scope: 'jinn:read' });
  await expect.poll(async () => (await ask(url, newest)).status).toBe(200);
});

test('a call beyond the scopes is refused with those to ask for, and names the request', async () => {
  const { url, provider } = await serve();
  const token = await provider.sign({ scope: 'openid jinn:read' });
  const call = (name: string, args: object) =>
    ask(url, token, { ...listing, method: 'tools/call', params: { ...listing.params, name, arguments: args } });
  const refused = await call('run_shell', { command: 'echo hello' });
  expect(refused).toMatchObject({
    status: 403,
    challenge: expect.stringMatching(/error="insufficient_scope".*scope="jinn:read jinn:execute"$/),
  });
  expect(JSON.parse(refused.text)).toMatchObject({
    id: 7,
    error: { message: 'this needs the scope jinn:execute, which you do not have' },
  });
  expect((await call('read_file', { path: 'a.txt' })).text).toContain('one');
  expect((await call('no_such_tool', {})).text).not.toContain('write_file');
  const none = await provider.sign({ scp: ['jinn:write'] });
  const resource = { ...listing, method: 'resources/read', params: { ...listing.params, uri: 'jinn://results/x' } };
  expect((await ask(url, none, resource)).status).toBe(403);
  expect((await ask(url, none)).text).toContain('write_file');
});

test('the name of the person stands in the log, and the token does not', async () => {
  const { url, provider, log } = await serve();
  const token = await provider.sign({ scope: 'jinn:read' });
  const params = { ...listing.params, name: 'read_file', arguments: { path: 'a.txt' } };
  expect((await ask(url, token, { ...listing, method: 'tools/call', params })).status).toBe(200);
  await expect.poll(() => fs.readFileSync(log, 'utf8')).toContain('"person":"auth0%7Cann"');
  for (const text of [token.slice(0, 40), '"scopes"']) expect(fs.readFileSync(log, 'utf8')).not.toContain(text);
});
