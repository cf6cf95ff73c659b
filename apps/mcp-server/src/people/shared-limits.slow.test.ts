import { openSharedState } from '@jinn/team/database/shared-state';
import { SCOPES } from '@jinn/team/people/asker';
import { hashOf } from '@jinn/team/people/bearer-tokens';
import { findPostgres, makeTempDirectory, makeTree, startPostgres, toStatelessRequest } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { connectOldHttp, listen } from '../fixture/listen.ts';

const bin = findPostgres();
const TOKENS = { ann: `jinn_${'a'.repeat(43)}`, eve: `jinn_${'e'.repeat(43)}` };

/** Starts servers of one workspace with these limits, and returns how people ask each of them. */
async function serveSeveral(limits: object) {
  const { url, start, stop } = startPostgres(bin as string);
  const database = { url, workspace: 'shop', audit: true };
  const { tokens } = openSharedState(database);
  const add = (person: keyof typeof TOKENS, scopes: typeof SCOPES | readonly [(typeof SCOPES)[0]]) =>
    tokens.add({ person, hash: hashOf(TOKENS[person]), scopes, expires: Infinity });
  await add('ann', [SCOPES[0]]);
  await add('eve', SCOPES);
  const place = makeTempDirectory();
  makeTree(place, { 'team.json': JSON.stringify({ database, limits }) });
  const args = ['--sandbox', 'off', '--team', `${place}/team.json`];
  const served = await Promise.all([listen({ args }), listen({ args })]);
  const servers = served.map(({ url: base, server, cwd }) => {
    const headersOf = (person: keyof typeof TOKENS) => ({ authorization: `Bearer ${TOKENS[person]}` });
    return {
      server,
      get: async (path: string, person: keyof typeof TOKENS) => {
        const response = await fetch(new URL(path, base), { headers: headersOf(person) });
        return { status: response.status, text: await response.text() };
      },
      call: async (name: string, given: object, person: keyof typeof TOKENS = 'ann') => {
        const { headers, body } = toStatelessRequest('tools/call', { name, arguments: given });
        const all = { ...headers, ...headersOf(person), 'jinn-session': `session-of-${person}-here` };
        return (await fetch(base, { method: 'POST', headers: all, body })).text();
      },
      connect: async (person: keyof typeof TOKENS) => (await connectOldHttp(base, {}, headersOf(person))).connect(),
      cwd,
    };
  });
  return { servers: servers as [(typeof servers)[0], (typeof servers)[0]], start, stop };
}

test.skipIf(!bin)(
  'limits count over all servers of a workspace, and for each alone while the database is away',
  async () => {
    const { servers, start, stop } = await serveSeveral({ calls_per_minute: 40, jobs: 1 });
    const [one, other] = servers;
    const read = (server: typeof one) => server.call('list_dir', { path: '.' });
    for (let i = 0; i < 20; i++) expect(await read(one)).not.toContain('resource_limit');
    await read(other);
    await vi.waitUntil(
      async () => {
        const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => read(i % 2 ? one : other)));
        return answers.every((answer) => answer.includes('40 calls a minute are allowed'));
      },
      { timeout: 20_000, interval: 500 },
    );
    const job = { command: 'sleep 60', background: true };
    expect(await one.call('run_shell', job, 'eve')).toContain('job-1@');
    await vi.waitUntil(async () => (await other.call('run_shell', job, 'eve')).includes('1 background jobs'), {
      timeout: 10_000,
      interval: 1_100,
    });
    stop();
    const start0 = performance.now();
    expect(await one.call('list_dir', { path: '.' }, 'eve')).toMatch(/tokens cannot be read|"isError"|\.txt/);
    expect(performance.now() - start0).toBeLessThan(8_000);
    start();
    await vi.waitUntil(async () => (await other.call('list_dir', { path: '.' }, 'eve')).includes('a.txt'), {
      timeout: 20_000,
      interval: 500,
    });
  },
);

test.skipIf(!bin)('an administrator sees what each person has running, at all servers', async () => {
  const { servers } = await serveSeveral({});
  const [one, other] = servers;
  await one.connect('ann');
  await one.connect('ann');
  await other.connect('eve');
  expect(await other.call('run_shell', { command: 'sleep 60', background: true }, 'eve')).toContain('job-1@');
  expect((await one.get('/people', 'ann')).status).toBe(403);
  const rows = async () => JSON.parse((await one.get('/people', 'eve')).text).people;
  const row = { server: expect.any(String), commands: 0 };
  await expect.poll(rows, { timeout: 10_000 }).toEqual([
    { ...row, person: 'ann', jobs: 0, sessions: 2 },
    { ...row, person: 'eve', jobs: 1, sessions: 2 },
  ]);
  const [{ server }] = await rows();
  one.server.child.kill('SIGTERM');
  await one.server.exit();
  const left = async () => JSON.parse((await other.get('/people', 'eve')).text).people;
  expect((await left()).map((each: { server: string }) => each.server)).not.toContain(server);
});

test.skipIf(!bin)('metrics tell of the database, the audit log, jobs and approvals', async () => {
  const { servers, stop } = await serveSeveral({});
  const [one] = servers;
  await one.call('run_shell', { command: 'sleep 60', background: true }, 'eve');
  await one.call('read_file', { path: 'none.txt' }, 'eve');
  await one.call('run_shell', { command: 'rm -rf a' }, 'eve');
  const figure = async (name: string) => {
    const { text } = await one.get('/metrics', 'eve');
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1) ?? Number.NaN,
    );
  };
  expect(await figure('jinn_jobs')).toBe(1);
  expect(await figure('jinn_commands')).toBe(0);
  expect(await figure('jinn_audit_events_total{event="call",answer=""}')).toBe(3);
  expect(await figure('jinn_audit_events_total{event="refusal",answer=""}')).toBe(1);
  expect(await figure('jinn_audit_lost_total')).toBe(0);
  expect(await figure('jinn_database_statements_total')).toBeGreaterThan(5);
  expect(await figure('jinn_database_failures_total')).toBe(0);
  expect(await figure('jinn_database_connections')).toBeGreaterThan(0);
  expect(await figure('jinn_database_seconds_total')).toBeGreaterThan(0);
  stop();
});
