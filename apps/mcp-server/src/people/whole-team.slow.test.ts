import fs from 'node:fs';
import {
  findNginx,
  findPort,
  findPostgres,
  hasPooler,
  makeTempDirectory,
  makeTree,
  startNginx,
  startPooler,
  startPostgres,
} from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { connectNewHttp, connectOldHttp, listen } from '../fixture/listen.ts';
import { configurationFor } from '../fixture/nginx-configuration.ts';
import { now, startProvider } from '../fixture/provider.ts';

const nginx = findNginx();
const postgres = hasPooler() ? findPostgres() : undefined;
const UNREACHABLE = 'the provider that knows the token cannot be reached';
const ALL = 'jinn:read jinn:write jinn:execute';

/** Starts what the pages describe: two servers, PostgreSQL, PgBouncer, nginx with affinity, and a provider of OpenID. */
async function startTeam() {
  const database = startPostgres(postgres as string);
  const pooler = await startPooler(database.url);
  const [portA, portB, port] = [await findPort(), await findPort(), await findPort()];
  const resource = `http://127.0.0.1:${port}/mcp`;
  const provider = await startProvider({ resource, account: 'ann' });
  const [place, root] = [makeTempDirectory(), makeTempDirectory()];
  const claims = { groups: { operators: { scopes: ['admin', 'metrics'] } } };
  const settings = {
    openid: { issuer: provider.issuer, resource, claims },
    proxy: { addresses: ['127.0.0.1'] },
    database: { url: pooler.url, workspace: 'shop', audit: true },
    limits: { calls_per_minute: 100_000, jobs: 8, sessions: 32 },
  };
  makeTree(place, { 'team.json': JSON.stringify(settings) });
  makeTree(root, { 'a.txt': 'one\n' });
  const start = async (at: number) => {
    const args = ['--sandbox', 'off', '--root', root, '--team', `${place}/team.json`];
    const variables = { JINN_MCP_APPROVAL_KEY: 'a-key-of-several-servers' };
    const { server } = await listen({ args, variables, address: `127.0.0.1:${at}` });
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${at}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    await vi.waitUntil(async () => (await ready()).startsWith('200'), { timeout: 30_000, interval: 100 });
    const people = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${at}/people`, { headers })).status;
    return { ...server, ready, people, restart: () => start(at) };
  };
  const servers = await Promise.all([start(portA), start(portB)] as const);
  await startNginx(nginx as string, configurationFor(port, [`127.0.0.1:${portA}`, `127.0.0.1:${portB}`], true));
  const headersOf = async (person: string, more: object = {}, header: object = {}) => {
    const claims = { sub: person, scope: ALL, exp: now() + 600, ...more };
    const token = await provider.sign(claims, { typ: 'at+jwt', ...header });
    return { authorization: `Bearer ${token}` };
  };
  return { database, pooler, provider, servers, root, url: new URL(resource), headersOf };
}

type Connect = typeof connectOldHttp | typeof connectNewHttp;

const GONE = /404|502|503|Session not found|fetch failed|the server stops|the server went away/;
const MAX_REPEATS = 200;

/** A client that starts a new session and sends its call again, as hosts do, when its session or its server has gone. */
async function join(connectTo: Connect, url: URL, headers: object) {
  let repeats = 0;
  const repeat = async <T>(work: () => Promise<T>, before: () => Promise<unknown>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!GONE.test(String(error)) || ++repeats > MAX_REPEATS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
      await before();
      return repeat(work, before);
    }
  };
  const open = async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the clients of both lines
    const { client, connect } = (await connectTo(url, {}, headers)) as any;
    await connect();
    return client;
  };
  const reopen = () => repeat(open, async () => {});
  let client = await reopen();
  const again = async () => {
    client = await reopen();
  };
  const call = async (name: string, args: object): Promise<{ text: string; isError: boolean }> => {
    const send = (): Promise<{ content: { text: string }[]; isError?: boolean }> =>
      client.callTool({ name, arguments: args });
    const { content, isError } = await repeat(send, again);
    return { text: content[0]?.text ?? '', isError: isError === true };
  };
  return {
    call,
    once: (name: string, args: object) => client.callTool({ name, arguments: args }),
    repeats: () => repeats,
  };
}

test.skipIf(!nginx || !postgres)(
  'while both servers restart in turn, no client of either era loses a call',
  async () => {
    const { servers, url, headersOf, root } = await startTeam();
    let isOver = false;
    const work = async (connectTo: Connect, person: string) => {
      const agent = await join(connectTo, url, await headersOf(person));
      const outcomes = [];
      for (let n = 0; !isOver; n++) {
        outcomes.push(await agent.call('read_file', { path: 'a.txt', line_numbers: false }));
        const path = `${person}-${n}.txt`;
        outcomes.push(await agent.call('write_file', { path, content: `${n}\n`, overwrite: true }));
        outcomes.push(await agent.call('run_shell', { command: `cat ${path}` }));
      }
      return { outcomes, repeats: agent.repeats() };
    };
    const eras = [connectOldHttp, connectNewHttp];
    const agents = Array.from({ length: 6 }, (_, i) => work(eras[i % 2] as Connect, `person-${i}`));
    await vi.waitUntil(
      () => Array.from(agents, (_, i) => `person-${i}-1.txt`).every((file) => fs.existsSync(`${root}/${file}`)),
      {
        timeout: 30_000,
      },
    );
    for (const server of servers) {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      server.child.kill('SIGTERM');
      expect(await server.exit()).toBe(0);
      await server.restart();
    }
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    isOver = true;
    const done = await Promise.all(agents);
    expect(done.flatMap(({ outcomes }) => outcomes.filter(({ isError }) => isError))).toEqual([]);
    expect(done.every(({ outcomes }) => outcomes.length > 10)).toBe(true);
  },
);

test.skipIf(!nginx || !postgres)(
  'each part that breaks takes with it what needs it, and nothing else, until it is back',
  async () => {
    const { database, pooler, provider, servers, url, headersOf } = await startTeam();
    const ann = await headersOf('ann', { groups: ['operators'] });
    const { call, once } = await join(connectNewHttp, url, ann);
    const read = () => call('read_file', { path: 'a.txt' });
    const write = () => call('write_file', { path: 'b.txt', content: 'two\n', overwrite: true });
    const fine = async () => {
      expect(await read()).toMatchObject({ isError: false });
      await vi.waitUntil(async () => !(await write()).isError, { timeout: 20_000, interval: 500 });
    };
    await fine();
    for (const { people } of servers) {
      expect(await people(ann)).toBe(200);
      expect(await people(await headersOf('bob', { groups: ['guests'] }))).toBe(403);
    }
    for (const [stop, start] of [
      [pooler.stop, pooler.start],
      [async () => database.stop(), async () => database.start()],
    ] as const) {
      await stop();
      expect(await read()).toMatchObject({ isError: false });
      expect(await write()).toMatchObject({ isError: true, text: expect.stringContaining('unavailable') });
      for (const { ready } of servers) expect(await ready()).toMatch(/^200 ready\n[\s\S]*database: (?!answers)/);
      await start();
      await fine();
      for (const { ready } of servers)
        await expect.poll(ready, { timeout: 20_000 }).toMatch(/^200 ready\n[\s\S]*database: answers/);
    }
    const [first, second] = servers;
    first.child.kill('SIGKILL');
    await first.exit();
    await fine();
    const again = await first.restart();
    await fine();
    provider.pause();
    // A server that refuses one user's token stays there for the others.
    const stranger = await headersOf('eve', {}, { kid: 'unknown' });
    const refuse = async (method: string) => {
      const response = await fetch(url, { method: 'POST', headers: { ...stranger, 'mcp-method': method } });
      return `${response.status} ${await response.text()}`;
    };
    for (const method of ['tools/list', 'tools/call', 'tools/list']) {
      // For two seconds after they read the keys, they do not ask for an unknown one.
      await expect.poll(() => refuse(method), { timeout: 10_000 }).toContain(UNREACHABLE);
      expect(await once('read_file', { path: 'a.txt' })).toMatchObject({ content: [{}] });
    }
    await fine();
    for (const server of [again, second]) {
      server.child.kill('SIGKILL');
      await server.exit();
    }
    const [, last] = await Promise.all([first.restart(), second.restart()]);
    // They know no keys of the provider yet, which is away.
    expect(await once('read_file', { path: 'a.txt' }).catch(String)).toContain(UNREACHABLE);
    await provider.rotate();
    const { call: after } = await join(connectNewHttp, url, await headersOf('ann'));
    expect(await after('read_file', { path: 'b.txt' })).toMatchObject({ isError: false });
    expect(await last.ready()).toContain('database: answers');
  },
);
