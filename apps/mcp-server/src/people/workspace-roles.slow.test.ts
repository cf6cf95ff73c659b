import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { forgetOldEvents } from '@jinn/team/audit/audit-in-database';
import { openPostgres } from '@jinn/team/database/open-postgres';
import { openSharedState } from '@jinn/team/database/shared-state';
import { findPostgres, makeTempDirectory, makeTree, startPostgres, toStatelessRequest } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { listen } from '../fixture/listen.ts';

const bin = findPostgres();
const FILE = path.resolve(import.meta.dirname, '../../../../deploy/postgres/workspace.sql');
const WORKSPACES = ['shop', 'bank'] as const;
type Workspace = (typeof WORKSPACES)[number];

/** Starts a database with a role for each workspace, made as the operator does. */
function makeDatabase() {
  const { url, execute } = startPostgres(bin as string);
  execute('CREATE ROLE jinn LOGIN CREATEROLE');
  execute('CREATE DATABASE jinn OWNER jinn');
  const urlFor = (role: string) => url.replace('//postgres@', `//${role}@`).replace('/postgres?', '/jinn?');
  const psql = (role: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('psql', ['-XAtq', '-d', urlFor(role), ...args], { encoding: 'utf8' });
    return { status, text: `${stdout}${stderr}` };
  };
  const makeRole = (workspace: string, ...more: string[]) =>
    psql('jinn', `--set=workspace=${workspace}`, `--set=role=jinn_${workspace}`, ...more, `--file=${FILE}`);
  return { urlFor, psql, makeRole };
}

/** Runs `jinn-mcp tokens` with the settings of a team. */
function runTokens(settings: object, ...given: string[]) {
  const place = makeTempDirectory();
  makeTree(place, { 'team.json': JSON.stringify(settings) });
  const line = [PROGRAM, 'tokens', ...given, '--team', `${place}/team.json`];
  const env = { PATH: process.env['PATH'], HOME: place };
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8', env });
  return { team: `${place}/team.json`, status, stdout: stdout.trim(), stderr };
}

async function serveWorkspace(url: string, workspace: Workspace) {
  const settings = { database: { url, workspace, audit: true }, limits: { calls_per_minute: 10_000 } };
  const { team, stdout: token } = runTokens(settings, 'create', '--name', 'ann');
  const served = await listen({ args: ['--sandbox', 'off', '--team', team] });
  const call = async (name: string, given: object) => {
    const { headers, body } = toStatelessRequest('tools/call', { name, arguments: given });
    const more = { authorization: `Bearer ${token}` };
    return (await fetch(served.url, { method: 'POST', headers: { ...headers, ...more }, body })).text();
  };
  return { call, settings, log: served.server.log };
}

const SUBJECT = { tool: 'run_shell', type: 'command', key: 'make', fingerprint: 'one' };

test.skipIf(!bin)(
  'a role sees and changes nothing of another workspace, and a server needs no more',
  async () => {
    const { urlFor, psql, makeRole } = makeDatabase();
    const ofOwner = { database: { url: urlFor('jinn'), workspace: 'none' } };
    expect(runTokens(ofOwner, 'list').status).toBe(0);
    // It is run again after an update.
    for (const workspace of [...WORKSPACES, ...WORKSPACES])
      expect(makeRole(workspace)).toEqual({ status: 0, text: '' });

    for (const workspace of WORKSPACES) {
      const url = urlFor(`jinn_${workspace}`);
      const { call, settings } = await serveWorkspace(url, workspace);
      expect(await call('memory', { action: 'save', key: 'port', value: `of ${workspace}` })).not.toContain('isError');
      expect(await call('memory', { action: 'save', key: 'port', value: 'for all', scope: 'global' })).not.toContain(
        'isError',
      );
      expect(await call('memory', { action: 'recall', key: 'port' })).toContain(`of ${workspace}`);
      expect(await call('memory', { action: 'list', query: workspace })).toContain('port');
      expect(await call('write_file', { path: 'new.txt', content: 'one\n' })).toContain('wrote 4 bytes');
      expect(await call('undo', { action: 'list' })).toContain('new.txt');
      expect(await call('undo', { action: 'restore', last: 1 })).not.toContain('isError');
      expect(await call('memory', { action: 'save', key: 'short', value: 'x' })).not.toContain('isError');
      expect(await call('memory', { action: 'forget', key: 'short' })).not.toContain('isError');
      const spare = runTokens(settings, 'create', '--name', 'spare');
      expect([spare.status, runTokens(settings, 'revoke', '--name', 'spare').stdout]).toEqual([0, 'revoked 1 token']);
      const grants = await openSharedState(settings.database)
        .stateOf({ root: '/w', person: 'ann', directory: undefined })
        .grants();
      await grants.add(SUBJECT);
      await grants.add({ ...SUBJECT, fingerprint: 'two' });
      expect(await grants.list()).toHaveLength(1);
      const until = new Date(Date.now() + 60_000);
      expect([await grants.spend(workspace, until), await grants.spend(workspace, until)]).toEqual([true, false]);
    }

    const count = (role: string, table: string, where = 'true') =>
      Number(psql(role, '-c', `SELECT count(*) FROM ${table} WHERE ${where}`).text);
    for (const table of ['tokens', 'memory', 'entries', 'grants', 'rates', 'presence', 'audit'])
      await expect
        .poll(() => WORKSPACES.filter((name) => count('jinn', table, `${table}::text LIKE '%${name}%'`) === 0))
        .toEqual([]);
    const dump = () =>
      psql(
        'jinn',
        ...['tokens', 'memory', 'grants', 'entries', 'spent'].flatMap((table) => [
          '-c',
          `SELECT * FROM ${table} WHERE ${table}::text LIKE '%bank%' ORDER BY 1, 2`,
        ]),
      ).text;
    const before = dump();
    const shop = (statement: string) => psql('jinn_shop', '-c', statement);
    const ofBank = (table: string) => `${table}::text LIKE '%bank%'`;
    for (const table of ['tokens', 'memory', 'grants', 'entries', 'rates', 'presence']) {
      expect([table, count('jinn_shop', table) > 0, count('jinn_shop', table, ofBank(table))]).toEqual([
        table,
        true,
        0,
      ]);
      expect(shop(`DELETE FROM ${table} WHERE ${ofBank(table)}`)).toEqual({ status: 0, text: '' });
      const name = table === 'memory' ? 'scope' : 'workspace';
      const theirs = psql('jinn', '-c', `SELECT ${name} FROM ${table} WHERE ${ofBank(table)} LIMIT 1`).text.trim();
      // Neither made nor moved there.
      const columns = psql(
        'jinn',
        '-c',
        `SELECT string_agg(quote_ident(column_name), ',') FROM information_schema.columns WHERE table_name = '${table}' AND column_name NOT IN ('${name}', 'seq', 'id', 'words')`,
      ).text.trim();
      const [more, values] = table === 'entries' ? ['id, ', "'new', "] : ['', ''];
      expect(
        shop(
          `INSERT INTO ${table} (${name}, ${more}${columns}) SELECT '${theirs}', ${values}${columns} FROM ${table} LIMIT 1`,
        ).text,
      ).toContain('row-level security policy');
      expect(shop(`UPDATE ${table} SET ${name} = '${theirs}'`).text).toMatch(
        /row-level security policy|permission denied/,
      );
    }
    expect(dump()).toBe(before);
    expect(before).toContain('bank');

    for (const refused of [
      'SELECT * FROM audit',
      'DELETE FROM audit',
      "UPDATE audit SET person = 'bob'",
      'TRUNCATE audit',
      "INSERT INTO audit (workspace, time, event, person, facts) VALUES ('bank', now(), 'call', 'ann', '{}')",
      'UPDATE tokens SET scopes = scopes',
      'UPDATE jinn_schema SET version = 1',
      'ALTER TABLE tokens DISABLE ROW LEVEL SECURITY',
      'DROP POLICY jinn_shop ON tokens',
      'SET ROLE jinn_bank',
      'CREATE TABLE mine (x int)',
    ])
      expect([refused, shop(refused).text]).toEqual([
        refused,
        expect.stringMatching(/permission denied|row-level security|must be owner/),
      ]);
    expect(shop(`DELETE FROM spent`).status).toBe(0);
    expect(dump()).toBe(before);
    // As a server adds it that may send a row twice.
    const added =
      "INSERT INTO audit (workspace, time, event, person, facts) VALUES ('shop', now(), 'call', 'ann', '{}') ON CONFLICT DO NOTHING";
    expect(shop(added)).toEqual({ status: 0, text: '' });

    // Unless the owner lets it: then it removes what is old, and sees no more than when that was.
    expect(makeRole('shop', '--set=audit_days=30')).toEqual({ status: 0, text: '' });
    psql('jinn', '-c', "UPDATE audit SET time = now() - interval '31 days' WHERE event = 'start'");
    const [old, ofShop] = [count('jinn', 'audit', "event = 'start'"), "workspace = 'shop'"];
    const oldOfShop = count('jinn', 'audit', `${ofShop} AND event = 'start'`);
    expect([oldOfShop > 0, old > oldOfShop, count('jinn_shop', 'audit')]).toEqual([true, true, oldOfShop]);
    expect(shop('SELECT facts FROM audit').text).toContain('permission denied');
    const others = count('jinn', 'audit') - oldOfShop;
    expect(await forgetOldEvents(openPostgres(urlFor('jinn_shop')), 'shop', 1)).toBe(oldOfShop);
    expect(count('jinn', 'audit')).toBe(others);
    expect(shop(added)).toEqual({ status: 0, text: '' });
  },
  180_000,
);

test.skipIf(!bin)(
  'a role without the right to make tables says so where they are missing or of another version',
  async () => {
    const { urlFor, psql, makeRole } = makeDatabase();
    psql('jinn', '-c', 'CREATE ROLE jinn_shop LOGIN');
    const settings = { database: { url: urlFor('jinn_shop'), workspace: 'shop' } };
    expect(runTokens(settings, 'list').stderr).toMatch(
      /refuses the role of this server a right.*permission denied for schema/,
    );
    const { team } = runTokens(settings, 'list');
    const { server } = await listen({ args: ['--sandbox', 'off', '--team', team] });
    await expect.poll(() => server.log()).toMatch(/^the team's database refuses .*: permission denied/m);
    expect(runTokens({ database: { url: urlFor('jinn'), workspace: 'x' } }, 'list').status).toBe(0);
    expect(makeRole('shop').status).toBe(0);
    expect(runTokens(settings, 'list').status).toBe(0);
    psql('jinn', '-c', 'UPDATE jinn_schema SET version = 99');
    expect(runTokens(settings, 'list').stderr).toContain('has the schema 99');
  },
);
