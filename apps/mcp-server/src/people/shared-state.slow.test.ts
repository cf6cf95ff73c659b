import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { findPostgres, makeTempDirectory, makeTree, startPostgres, startRelay } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { INFO, listen } from '../fixture/listen.ts';

const bin = findPostgres();
const OF_ANN = 'the-token-of-ann';
const AWAY = /database does not answer/;

/** Starts servers of one workspace, each with a home of its own, and a database that they share; makes tokens in it. */
async function serveTwo(more: object = {}, hasTokenFile = false) {
  const postgres = startPostgres(bin as string);
  const [place, root] = [makeTempDirectory(), makeTempDirectory()];
  const team = `${place}/team.json`;
  makeTree(place, {
    tokens: `ann:${OF_ANN}\n`,
    'team.json': JSON.stringify({ database: { url: postgres.url, workspace: 'shop', ...more } }),
  });
  const args = [
    '--sandbox',
    'off',
    '--root',
    root,
    '--team',
    team,
    ...(hasTokenFile ? ['--token-file', `${place}/tokens`] : []),
  ];
  const start = () => listen({ args });
  const [one, other] = [await start(), await start()];
  const run = (...given: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: makeTempDirectory() };
    const ran = spawnSync(process.execPath, [PROGRAM, ...given, '--team', team], { env, encoding: 'utf8' });
    return { stdout: ran.stdout.trim(), stderr: ran.stderr };
  };
  const tokens = (...given: string[]) => run('tokens', ...given);
  const grants = (...given: string[]) => run('grants', ...given, '--root', root);
  return {
    one: one.url,
    other: other.url,
    root,
    postgres,
    tokens,
    grants,
    logs: () => one.server.log() + other.server.log(),
  };
}

async function connect(url: URL, token: string) {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  onTestFinished(() => client.close());
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return async (name: string, given: Record<string, unknown>) => {
    const { isError = false, content, _meta } = await client.callTool({ name, arguments: given });
    return { isError, text: JSON.stringify(content), meta: JSON.stringify(_meta) };
  };
}

function ask(url: URL, token: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: '{}' });
}

/** Returns why the requests of a token are refused. */
async function refusalOf(url: URL, token: string): Promise<string> {
  const answer = await ask(url, token);
  return `${answer.status} ${await answer.text()}`;
}

test.skipIf(bin === undefined)('a person has one memory and one list of changes on all servers', async () => {
  const { one, other, root, tokens } = await serveTwo();
  const [ofAnn, ofBob] = [tokens('create', '--name', 'ann').stdout, tokens('create', '--name', 'bob').stdout];
  const [here, there, bob] = [await connect(one, ofAnn), await connect(other, ofAnn), await connect(other, ofBob)];
  await here('memory', { action: 'save', key: 'port', value: 'it listens on 7337' });
  expect((await there('memory', { action: 'recall', key: 'port' })).text).toContain('7337');
  expect((await there('memory', { action: 'list', query: 'listening' })).text).toContain('port');
  for (const action of ['recall', 'forget']) {
    expect((await bob('memory', { action, key: 'port' })).text).not.toContain('7337');
  }
  expect((await bob('memory', { action: 'scopes' })).text).toContain('\\"count\\":0');
  expect((await there('memory', { action: 'recall', key: 'port' })).text).toContain('7337');

  makeTree(root, { 'a.txt': 'one\n' });
  await here('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
  const listed = await there('undo', { action: 'list' });
  expect(listed.text).toMatch(/a\.txt/);
  expect((await there('undo', { action: 'restore', last: 1 })).text).toContain('is not on this server');
  expect((await bob('undo', { action: 'restore', last: 1 })).text).toContain('there are 0 calls to undo');
  expect((await bob('undo', { action: 'clear' })).isError).toBe(false);
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('two\n');
  expect((await here('undo', { action: 'restore', last: 1 })).isError).toBe(false);
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('one\n');
});

test.skipIf(bin === undefined)('a list of texts asks the database once for many of them', async () => {
  const { url: database } = startPostgres(bin as string);
  const relay = await startRelay(database);
  const place = makeTempDirectory();
  const settings = { database: { url: relay.url, workspace: 'shop' } };
  makeTree(place, { tokens: `ann:${OF_ANN}\n`, 'team.json': JSON.stringify(settings) });
  const { url } = await listen({ args: ['--token-file', `${place}/tokens`, '--team', `${place}/team.json`] });
  const ann = await connect(url, OF_ANN);
  const keys = Array.from({ length: 70 }, (_, i) => `key-${i + 10}`);
  for (const key of keys) await ann('memory', { action: 'save', key, value: `of ${key}` });
  const ask = async (args: object) => {
    let text = '';
    const answers = await relay.countAnswers(async () => {
      text = (await ann('memory', { ...args })).text;
    });
    return { answers, found: keys.filter((key) => text.includes(`of ${key}`)) };
  };
  // The keys of the project, those of all projects, and the texts of 64 keys at a time.
  expect(await ask({ action: 'list', scope: 'all', include_values: true, limit: 64 })).toEqual({
    answers: 3,
    found: keys.slice(0, 64),
  });
  expect(await ask({ action: 'list', scope: 'all', include_values: true })).toEqual({ answers: 4, found: keys });
  expect(await ask({ action: 'export' })).toEqual({ answers: 3, found: keys });
});

test.skipIf(bin === undefined)(
  'while the database is away, what needs it is refused, and the rest goes on',
  async () => {
    const { one, root, postgres, logs } = await serveTwo({}, true);
    const ann = await connect(one, OF_ANN);
    makeTree(root, { 'a.txt': 'one\n' });
    await ann('memory', { action: 'save', key: 'k', value: 'v' });
    const edit = { path: 'a.txt', old_text: 'one', new_text: 'two' };
    postgres.stop();
    for (const [name, args] of [
      ['memory', { action: 'save', key: 'k', value: 'w' }],
      ['memory', { action: 'recall', key: 'k' }],
      ['memory', { action: 'list', query: 'v' }],
      ['edit_file', edit],
      ['write_file', { path: 'b.txt', content: 'x' }],
      ['undo', { action: 'list' }],
    ] as const) {
      const refused = await ann(name, args);
      expect([name, refused]).toMatchObject([name, { isError: true, text: expect.stringMatching(AWAY) }]);
      expect(refused.meta).toContain('"unavailable"');
    }
    expect(fs.readdirSync(root)).toEqual(['a.txt']);
    expect((await ann('read_file', { path: 'a.txt' })).text).toContain('one');
    postgres.start();
    expect((await ann('memory', { action: 'recall', key: 'k' })).text).toContain('v');
    expect((await ann('edit_file', edit)).isError).toBe(false);
    expect((await ann('undo', { action: 'restore', last: 1 })).isError).toBe(false);
    expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('one\n');
    // A connection that was lost while nobody used it is no failure.
    expect(logs()).not.toMatch(/\n +at /);
  },
);

test.skipIf(bin === undefined)(
  'tokens in the database count at once on all servers, until they are taken back',
  async () => {
    const { one, other, postgres, tokens } = await serveTwo();
    const [secret, ofBob] = [
      tokens('create', '--name', 'ann', '--scopes', 'read').stdout,
      tokens('create', '--name', 'bob').stdout,
    ];
    expect(secret).toMatch(/^jinn_[\w-]{43}$/);
    expect(JSON.stringify(postgres.query('SELECT * FROM tokens'))).not.toContain(secret.slice(5));
    const [here, there] = [await connect(one, secret), await connect(other, secret)];
    for (const call of [here, there]) {
      expect((await call('list_dir', { path: '.' })).isError).toBe(false);
      await expect(call('write_file', { path: 'a', content: '' })).rejects.toThrow('jinn:write');
    }
    expect(await refusalOf(one, `${secret.slice(0, -1)}_`)).toMatch(/^401 .*not known here/);
    expect(tokens('list').stdout).toMatch(/^[\da-f]{12} {2}ann {2}jinn:read {2}ends 20.*\n[\da-f]{12} {2}bob /);
    const [id = ''] = tokens('list').stdout.split(' ');
    expect(tokens('revoke', id).stdout).toBe('revoked 1 token');
    for (const call of [here, there]) await expect(call('list_dir', { path: '.' })).rejects.toThrow('not known here');
    expect((await (await connect(one, ofBob))('list_dir', { path: '.' })).isError).toBe(false);
    postgres.execute("UPDATE tokens SET scopes = 'jinn:read,jinn:other'");
    expect(await refusalOf(one, ofBob)).toContain('not known here');
    postgres.execute("UPDATE tokens SET scopes = 'jinn:read', expires = 1");
    expect(await refusalOf(one, ofBob)).toMatch(/^401 .*expired/);
    postgres.stop();
    expect(await refusalOf(one, ofBob)).toMatch(/^503 .*the tokens cannot be read now/);
    postgres.start();
    expect(await refusalOf(one, ofBob)).toMatch(/^401 .*expired/);
  },
);

test.skipIf(bin === undefined)(
  'whoever makes up tokens keeps no call waiting, and is refused for a while',
  async () => {
    const { one, postgres, tokens } = await serveTwo({}, true);
    const [ann, ofBob] = [await connect(one, OF_ANN), tokens('create', '--name', 'bob').stdout];
    const bob = await connect(one, ofBob);
    const madeUp = (n: number) => `jinn_${`${n}`.padStart(43, 'x')}`;
    postgres.execute('ALTER TABLE tokens RENAME TO known');
    const slowly = 'LATERAL (SELECT * FROM known WHERE slept IS NOT NULL OFFSET 0) AS known';
    postgres.execute(
      `CREATE VIEW tokens AS SELECT known.* FROM (SELECT pg_sleep(0.2) AS slept OFFSET 0) AS s, ${slowly}`,
    );
    let isOver = false;
    const flood = Promise.all(Array.from({ length: 40 }, (_, n) => ask(one, madeUp(n)).then(({ status }) => status)));
    void flood.then(() => {
      isOver = true;
    });
    for (let i = 0; i < 2; i++) {
      expect((await ann('memory', { action: 'save', key: `k${i}`, value: 'v' })).isError).toBe(false);
      expect((await bob('list_dir', { path: '.' })).isError).toBe(false);
    }
    expect(isOver).toBe(false);
    expect(new Set(await flood)).toEqual(new Set([401]));
    postgres.execute('DROP VIEW tokens');
    postgres.execute('ALTER TABLE known RENAME TO tokens');
    let refused = await ask(one, madeUp(40));
    for (let n = 41; n < 200 && refused.status === 401; n++) refused = await ask(one, madeUp(n));
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([429, null]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('too many tokens from this address are unknown here: wait ');
    for (const call of [ann, bob]) expect((await call('list_dir', { path: '.' })).isError).toBe(false);
    tokens('revoke', '--name', 'bob');
    await expect(bob('list_dir', { path: '.' })).rejects.toThrow(/not known here/);
  },
);

test.skipIf(bin === undefined)('the audit log is in the database, and what it cannot record is not run', async () => {
  const { one, root, postgres } = await serveTwo({ audit: true }, true);
  const ann = await connect(one, OF_ANN);
  await ann('write_file', { path: 'a.txt', content: 'secret text' });
  await ann('read_file', { path: 'a.txt' });
  await fetch(one, { method: 'POST', body: '{}' });
  const rows = () => postgres.query('SELECT workspace, person, event, facts, time FROM audit ORDER BY id');
  await expect.poll(() => rows().length).toBeGreaterThanOrEqual(4);
  const all = rows();
  expect(all.map(({ event }) => event).toSorted()).toEqual(['call', 'call', 'refusal', 'start']);
  const of = { workspace: 'shop', person: 'ann', time: expect.any(String) };
  const started = all.find(({ event }) => event === 'start');
  expect(started).toMatchObject({ ...of, facts: { tool: 'write_file', effect: 'write', paths: ['a.txt'] } });
  expect(all).toContainEqual(
    expect.objectContaining({ ...of, event: 'call', facts: expect.objectContaining({ tool: 'read_file', ok: true }) }),
  );
  expect(JSON.stringify(all)).not.toMatch(/secret text|the-token-of/);
  postgres.stop();
  for (const [name, args] of [
    ['write_file', { path: 'b.txt', content: '' }],
    ['run_shell', { command: 'touch c.txt' }],
  ] as const) {
    const refused = await ann(name, args);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('so the call was not run') });
    expect(refused.meta).toContain('"unavailable"');
  }
  expect((await ann('read_file', { path: 'a.txt' })).text).toContain('secret text');
  expect(fs.readdirSync(root)).toEqual(['a.txt']);
  postgres.start();
  expect((await ann('run_shell', { command: 'touch c.txt' })).isError).toBe(false);
  const refused = { event: 'call', facts: expect.objectContaining({ tool: 'run_shell', code: 'unavailable' }) };
  await expect.poll(rows).toContainEqual(expect.objectContaining(refused));
});

test.skipIf(bin === undefined)(
  'who makes and takes back tokens and grants is in the audit log of the team',
  async () => {
    const { postgres, root, tokens, grants } = await serveTwo({ audit: true });
    tokens('create', '--name', 'ann', '--scopes', 'read,admin');
    tokens('revoke', '--name', 'ann');
    const more =
      '---\nname: hello\nscript: hello.sh\nruntime: bash\nenv: [KEY]\ninputSchema: { type: object }\noutputSchema: { type: object }\n---\n\nGreet.\n';
    makeTree(root, { '.jinn/tools/hello/tool.md': more, '.jinn/tools/hello/hello.sh': 'true\n' });
    for (const nothing of [
      ['revoke', '--all'],
      ['revoke', 'hello'],
      ['trust', '--json'],
      ['trust', 'hello'],
      ['trust', 'hello', '--env=KEY=secret', '--yes'],
    ]) {
      grants(...nothing);
    }
    expect(grants('trust', 'helo', '--yes').stderr).toMatch(/no tool helo .*; jinn-mcp grants trust lists them/);
    expect(grants('trust', 'hello', '--env=KEY', '--yes').stdout).toContain('allowed hello, with KEY');
    grants('revoke', 'hello', 'workspace_variable');
    const rows = postgres.query('SELECT event, person, facts FROM audit ORDER BY id');
    const of = {
      token: expect.stringMatching(/^[\da-f]{12}$/),
      scopes: ['jinn:read', 'jinn:admin'],
      by: process.getuid?.(),
    };
    const ofHello = { tool: 'hello', everybody: true, by: of.by };
    expect(JSON.stringify(rows)).not.toContain('secret');
    expect(rows).toMatchObject([
      { event: 'token', person: 'ann', facts: { change: 'added', ...of } },
      { event: 'token', person: 'ann', facts: { change: 'removed', ...of } },
      { event: 'grant', facts: { change: 'added', ...ofHello, permission: 'workspace_tool' } },
      { event: 'grant', facts: { change: 'added', ...ofHello, permission: 'workspace_variable', key: 'KEY' } },
      { event: 'grant', facts: { change: 'removed', ...ofHello, permission: 'workspace_variable', key: 'KEY' } },
    ]);
    postgres.stop();
    expect(tokens('create', '--name', 'eve').stderr).toContain('the audit log cannot be written');
    postgres.start();
    expect(tokens('list').stdout).toContain('there are no tokens');
  },
);
