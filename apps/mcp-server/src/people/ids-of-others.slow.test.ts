import fs from 'node:fs';
import { makeTempDirectory, makeTree, toStatelessRequest } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { INFO, listen } from '../fixture/listen.ts';

const TOKENS = { ann: 'the-token-of-ann-x', bob: 'the-token-of-bob-x' };
type Person = keyof typeof TOKENS;
const NAME = { 'jinn-session': 'a-name-that-both-chose' };

async function serve(...args: string[]) {
  const place = makeTempDirectory();
  makeTree(place, { tokens: `ann:${TOKENS.ann}\nbob:${TOKENS.bob}\n` });
  const files = ['--token-file', `${place}/tokens`, '--log-file', `${place}/log`, '--log-args', 'full'];
  const { url, cwd } = await listen({ args: [...files, ...(args.length > 0 ? args : ['--sandbox', 'off'])] });
  return {
    ann: as(url, 'ann'),
    bob: as(url, 'bob'),
    url,
    cwd,
    place,
    log: () => fs.readFileSync(`${place}/log`, 'utf8'),
  };
}

interface Asked {
  readonly id?: string;
  readonly headers?: object;
  readonly _meta?: object;
}

/** Makes what sends requests for a person, and returns whole answers but their dates. */
function as(url: URL, person?: Person) {
  const send = async (init: RequestInit, place = url): Promise<string> => {
    const authorization = person && { authorization: `Bearer ${TOKENS[person]}` };
    const response = await fetch(place, { ...init, headers: { ...authorization, ...init.headers } });
    const headers = [...response.headers].filter(([name]) => name !== 'date');
    return `${response.status} ${JSON.stringify(headers)} ${await response.text()}`;
  };
  const ask = (method: string, params: object, { id = 'an-id', headers = {} }: Asked = {}) => {
    const asked = toStatelessRequest(method, params as { name: string }, { id });
    return send({ method: 'POST', headers: { ...asked.headers, ...headers }, body: asked.body });
  };
  const call = (name: string, given: object, { _meta = {}, ...asked }: Asked = {}) =>
    ask('tools/call', { name, arguments: given, _meta }, asked);
  return { send, ask, call, run: (given: object, asked?: Asked) => call('run_shell', given, asked) };
}

const BY_HANDSHAKE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

test('the id of the session of somebody else is answered like one that nobody has', async () => {
  const { ann, bob, log } = await serve();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  const init = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const begun = await ann.send({ method: 'POST', headers: BY_HANDSHAKE, body: JSON.stringify(init) });
  const [, id = ''] = /"mcp-session-id","([^"]+)"/.exec(begun) ?? [];
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const answer = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    result: { action: 'accept', content: { decision: 'Allow once' } },
  });
  for (const init of [
    { method: 'POST', body: list },
    { method: 'POST', body: answer },
    { method: 'GET' },
    { method: 'DELETE' },
  ]) {
    const [hers, none] = await Promise.all(
      [id, crypto.randomUUID()].map((session) =>
        bob.send({ ...init, headers: { ...BY_HANDSHAKE, 'mcp-session-id': session } }),
      ),
    );
    expect([hers, hers?.slice(0, 3)]).toEqual([none, '404']);
  }
  const own = { ...BY_HANDSHAKE, 'mcp-session-id': id };
  expect(await ann.send({ method: 'POST', headers: own, body: list })).toMatch(/^200 .*run_shell/s);
  expect(log()).not.toContain(id);
});

test('nobody stops, follows or ends what another runs, by the same ids and the same name of the session', async () => {
  const { ann, bob, cwd } = await serve();
  expect(await ann.run({ command: 'sleep 60', background: true }, { headers: NAME })).toContain('started job-1');
  const working = ann.run(
    { command: 'touch begun; until [ -e go ]; do sleep 0.05; done; sleep 3; echo ended well' },
    { headers: NAME, _meta: { progressToken: 'p' } },
  );
  await expect.poll(() => fs.existsSync(`${cwd}/begun`)).toBe(true);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'an-id' } };
  await bob.send({ method: 'POST', headers: { ...BY_HANDSHAKE, ...NAME }, body: JSON.stringify(cancel) });
  await bob.ask('notifications/cancelled', { requestId: 'an-id' }, { headers: NAME });
  const event = `answer-${Buffer.from('"an-id"').toString('base64url')}`;
  const lost = await bob.send({ headers: { accept: 'text/event-stream', 'last-event-id': event } });
  expect(lost).toContain('the connection was lost before this call was answered');
  for (const args of [{ job: 'job-1' }, { job: 'job-1', action: 'kill' }]) {
    const refused = await bob.run(args, { headers: NAME, _meta: { progressToken: 'p' } });
    expect(refused).toContain('not_found: no such job: job-1');
    expect(refused).not.toContain('notifications/progress');
  }
  await bob.send({ method: 'DELETE', headers: NAME });
  fs.writeFileSync(`${cwd}/go`, '');
  const answer = await working;
  expect(answer).toContain('ended well');
  expect(answer).toContain('notifications/progress');
  expect(await ann.run({ action: 'list' }, { headers: NAME })).toContain('sleep 60');
});

test('a long answer of somebody else is no resource', async () => {
  const { ann, bob } = await serve();
  const [, file = ''] = /outputs\/[^/]+\/([\w.-]+\.log)/.exec(await ann.run({ command: 'seq 20000' })) ?? [];
  const read = (person: typeof ann, uri: string) => person.ask('resources/read', { uri, name: uri });
  expect(await read(ann, `jinn://results/${file}`)).toContain('1\\n2\\n3');
  expect(await read(bob, `jinn://results/${file}`)).toContain('Resource not found');
});

test('a token in the address or in a cookie opens nothing, and is in no log', async () => {
  const { ann, url, log } = await serve();
  const nobody = as(url);
  const { headers, body } = toStatelessRequest('tools/list', {});
  for (const name of ['access_token', 'token', 'authorization']) {
    const place = new URL(`?${name}=${TOKENS.ann}`, url);
    expect(await nobody.send({ method: 'POST', headers, body }, place)).toMatch(/^401 /);
    const cookie = { ...headers, cookie: `${name}=${TOKENS.ann}` };
    expect(await nobody.send({ method: 'POST', headers: cookie, body })).toMatch(/^401 /);
    expect(await ann.send({ method: 'POST', headers, body }, place)).toMatch(/^200 /);
  }
  expect(log()).toContain('"status":401');
  expect(log()).not.toContain(TOKENS.ann);
});

test('what a client calls itself, its requests and its tools is bounded in the log, and no secret stands there', async () => {
  const { ann, log } = await serve();
  const secret = `jinn_${'Ab1'.repeat(15).slice(0, 43)}`;
  const named = { 'io.modelcontextprotocol/clientInfo': { name: `client ${secret}`, version: '1' } };
  await ann.call('read_file', { path: secret }, { id: secret, _meta: named });
  await ann.call(secret, {}, { id: 'i'.repeat(100_000) });
  await ann.run({ command: `echo ${secret}` }, { headers: { 'jinn-session': secret, 'user-agent': secret } });
  expect(log()).toMatch(/"client":"client \[a token of jinn-mcp\]".*"request":"\[a token of jinn-mcp\]"/);
  expect(log()).toMatch(/"tool":"\[a token of jinn-mcp\]".*"reason":"unknown tool"/);
  expect(log()).not.toContain(secret);
  for (const line of log().split('\n')) expect(line.length).toBeLessThan(1_000);
});
