import { spawnSync } from 'node:child_process';
import { findPostgres, makeTempDirectory, makeTree, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { listen } from '../fixture/listen.ts';

const bin = findPostgres();

/** Writes settings for a database. Returns the file. */
function settingsFor(url: string): string {
  const place = makeTempDirectory();
  makeTree(place, { 'team.json': JSON.stringify({ database: { url, workspace: 'shop' } }) });
  return `${place}/team.json`;
}

function migrate(url: string) {
  const env = { PATH: process.env['PATH'], HOME: makeTempDirectory() };
  const given = [PROGRAM, 'migrate', '--team', settingsFor(url)];
  const { status, stdout, stderr } = spawnSync(process.execPath, given, { env, encoding: 'utf8' });
  return [status, stdout, stderr];
}

/** Starts a server; returns what its probes answer. */
async function serve(database: string) {
  const { url } = await listen({ args: ['--sandbox', 'off', '--team', settingsFor(database)] });
  return async (path = '/readyz') => {
    const response = await fetch(new URL(path, url));
    return [response.status, (await response.text()).split('\n')] as const;
  };
}

test.skipIf(bin === undefined)('a server is ready once its database has answered, and stays so', async () => {
  const { url, execute, stop, start } = startPostgres(bin as string);
  execute('CREATE ROLE nobody');
  const refused = new URL(url);
  refused.username = 'nobody';
  const stranger = await serve(refused.href);
  const cause = 'database: does not let this server in: its role, its password or pg_hba.conf is not right';
  await expect.poll(() => stranger()).toEqual([503, ['not ready', expect.stringMatching(/^sandbox: /), cause, '']]);
  expect(await stranger('/healthz')).toEqual([200, ['ok', '']]);
  execute('ALTER ROLE nobody LOGIN SUPERUSER');
  await expect.poll(() => stranger()).toEqual([200, ['ready', expect.any(String), 'database: answers', '']]);
  stop();
  const silent = [200, ['ready', expect.any(String), 'database: does not answer', '']];
  await expect.poll(() => stranger(), { timeout: 20_000 }).toEqual(silent);
  start();
  await expect.poll(async () => (await stranger())[1][2], { timeout: 20_000 }).toBe('database: answers');
});

test.skipIf(bin === undefined)('a server is not ready for a database with another schema', async () => {
  const { url, execute } = startPostgres(bin as string);
  expect(migrate(url)).toEqual([0, 'the database has the schema 5\n', '']);
  expect(migrate(url)).toEqual([0, 'the database has the schema 5\n', '']);
  execute('UPDATE jinn_schema SET version = 6');
  expect(migrate(url)).toEqual([2, '', expect.stringContaining('has the schema 6, and this jinn knows 5')]);
  const ready = await serve(url);
  await expect
    .poll(async () => (await ready()).flat())
    .toEqual(expect.arrayContaining([503, 'database: has the schema 6, and this jinn knows 5']));
  execute('UPDATE jinn_schema SET version = 5');
  await expect.poll(async () => (await ready())[0]).toBe(200);
});

test('a server whose database cannot be reached is not ready, and migrate says why', async () => {
  const nowhere = 'postgres://jinn@127.0.0.1:9/jinn';
  expect((await (await serve(nowhere))()).flat()).toEqual(
    expect.arrayContaining([503, 'not ready', 'database: does not answer']),
  );
  expect(migrate(nowhere)).toEqual([2, '', expect.stringContaining('does not answer')]);
});
