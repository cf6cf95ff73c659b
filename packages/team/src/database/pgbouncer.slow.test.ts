import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { later, subject } from '@jinn/store/fixture/test-grants';
import { change, record } from '@jinn/store/fixture/test-history';
import { text } from '@jinn/store/fixture/test-memory';
import { findPostgres, makeTempDirectory, startPostgres } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';
import { openSharedState } from './shared-state.ts';

const POOLER = '/usr/sbin/pgbouncer';
const bin = fs.existsSync(POOLER) ? findPostgres() : undefined;

/** Starts PgBouncer in transaction mode in front of a database, with fewer connections to it than a server of ours opens. */
async function startPooler(url: string): Promise<string> {
  const place = makeTempDirectory();
  fs.chmodSync(place, 0o777);
  const database = new URL(url).searchParams.get('host') as string;
  fs.writeFileSync(`${place}/users`, '"postgres" ""\n');
  const settings = `[databases]
    * = host=${database}
    [pgbouncer]
    pool_mode = transaction
    default_pool_size = 2
    auth_type = trust
    auth_file = ${place}/users
    unix_socket_dir = ${place}
    listen_port = 5432`;
  fs.writeFileSync(`${place}/settings.ini`, settings.replaceAll(/^ +/gm, ''));
  // It does not run as root.
  const { uid, gid } = fs.statSync(`${database}/data`);
  const log = fs.openSync(`${place}/log`, 'w');
  const child = spawn(POOLER, [`${place}/settings.ini`], { uid, gid, stdio: ['ignore', log, log] });
  fs.closeSync(log);
  const hasEnded = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await hasEnded;
  });
  await expect.poll(() => fs.readFileSync(`${place}/log`, 'utf8')).toContain('process up');
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(place)}`;
}

test.skipIf(bin === undefined)('works behind PgBouncer in transaction mode', async () => {
  const { url, query } = startPostgres(bin as string);
  const pooled = await startPooler(url);
  const state = openSharedState({ url: pooled, workspace: 'shop' });
  const own = state.stateOf({ root: '/w', person: 'ann', directory: makeTempDirectory() });
  const grants = await own.grants();
  await grants.add(subject);
  expect(await grants.find(subject)).toBeDefined();
  expect([await grants.spend('a', later()), await grants.spend('a', later())]).toEqual([true, false]);
  const memory = await own.memory();
  await memory.save('/w', text('k', 'v'));
  expect(await memory.recall('/w', 'k')).toMatchObject({ value: 'v' });
  const history = await own.history();
  const { id } = await record(history, [change('a', 'text'), change('b', 'text')]);
  expect(await (await history.archive()).find(id)).toHaveLength(2);
  expect(query('SELECT state FROM entries')).toHaveLength(2);
});

test.skipIf(bin === undefined)(
  'what several send at once through PgBouncer is done once, or refused alone',
  async () => {
    const { url, query } = startPostgres(bin as string);
    const servers = [await startPooler(url)].flatMap((pooled) => [openPostgres(pooled), openPostgres(pooled)]);
    const note = `INSERT INTO spent (answer, until) VALUES (? || current_setting('synchronous_commit'), ?)`;
    const write = (i: number) =>
      servers[i % 2]?.writeAll([[note, `${i} `, i % 10 === 9 ? null : i]], { isSynced: i % 3 !== 0 });
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => write(i)));
    const expected = Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 10 !== 9);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(expected.length);
    expect(query('SELECT answer FROM spent ORDER BY until')).toEqual(
      expected.map((i) => ({ answer: `${i} ${i % 3 === 0 ? 'off' : 'on'}` })),
    );
    expect(query("SELECT pid FROM pg_stat_activity WHERE application_name = 'jinn-mcp'").length).toBeLessThanOrEqual(2);
  },
);
