import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findPostgres, makeTempDirectory, makeTree, startPostgres, toStatelessRequest } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { listen } from '../fixture/listen.ts';

const bin = findPostgres();
const PAGE = fs.readFileSync(path.resolve(import.meta.dirname, '../../../../docs/team-backup.md'), 'utf8');
const SQL = path.resolve(import.meta.dirname, '../../../../deploy/postgres/workspace.sql');

/** Returns the lines of the page with a program, as the operator types them, with these variables. */
function linesOf(program: string, more: Record<string, string>): string[] {
  const all = PAGE.split('\n').map((line) => line.trim().replace(/ {2,}#.*/, ''));
  const fill = (line: string) => Object.entries(more).reduce((text, [from, to]) => text.replaceAll(from, to), line);
  return all.filter((line) => line.startsWith(`${program} `)).map(fill);
}

function sh(line: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', line], { encoding: 'utf8' });
  expect([line, status, stderr]).toEqual([line, 0, expect.any(String)]);
  return stdout;
}

test.skipIf(!bin)('the page restores a database and its snapshots: who may what, memory, history, audit', async () => {
  const { url, execute, query } = startPostgres(bin as string);
  execute('CREATE ROLE jinn LOGIN CREATEROLE');
  const urlFor = (role: string, name: string) =>
    url.replace('//postgres@', `//${role}@`).replace('/postgres?', `/${name}?`);
  const place = makeTempDirectory();
  const home = `${place}/home`;
  fs.mkdirSync(home);
  const settingsFor = (name: string) => {
    const team = (role: string) =>
      JSON.stringify({ database: { url: urlFor(role, name), workspace: 'shop', audit: true } });
    makeTree(place, { 'team.json': team('jinn_shop'), 'owner.json': team('jinn') });
  };
  const jinn = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: home };
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env });
    expect([args, status, stderr]).toEqual([args, 0, expect.any(String)]);
    return stdout.trim();
  };
  const inPsql = { 'deploy/postgres/workspace.sql': SQL, '"$OWNER_URL"': `'${urlFor('jinn', 'jinn')}'` };
  const psql = linesOf('psql', inPsql).find((line) => line.includes(SQL)) ?? '';

  execute('CREATE DATABASE jinn OWNER jinn');
  settingsFor('jinn');
  jinn('migrate', '--team', `${place}/owner.json`);
  sh(psql);
  const token = jinn('tokens', 'create', '--name', 'ann', '--team', `${place}/team.json`);
  const revoked = jinn('tokens', 'create', '--name', 'bob', '--team', `${place}/team.json`);
  const root = makeTempDirectory();
  const serve = async () => {
    const args = ['--sandbox', 'off', '--root', root, '--team', `${place}/team.json`];
    const { url: base, server } = await listen({ args, variables: { HOME: home } });
    const call = async (bearer: string, name: string, given: object) => {
      const { headers, body } = toStatelessRequest('tools/call', { name, arguments: given });
      const all = { ...headers, authorization: `Bearer ${bearer}` };
      const response = await fetch(base, { method: 'POST', headers: all, body });
      return `${response.status} ${await response.text()}`;
    };
    return { server, call };
  };
  const before = await serve();
  await before.call(token, 'write_file', { path: 'a.txt', content: 'first\n' });
  await before.call(token, 'write_file', { path: 'a.txt', content: 'second\n', overwrite: true });
  await before.call(token, 'memory', { action: 'save', key: 'port', value: '8080' });
  const files = {
    '"$OWNER_URL"': `'${urlFor('jinn', 'jinn')}'`,
    'jinn.dump': `${place}/jinn.dump`,
    'state.tgz': `${place}/state.tgz`,
  };
  sh(linesOf('pg_dump', files)[0] ?? '');
  sh(linesOf('tar', { ...files, '/var/lib/jinn': home })[0] ?? '');
  // After the backup: a token is revoked, and all is lost.
  jinn('tokens', 'revoke', '--name', 'bob', '--team', `${place}/team.json`);
  expect(await before.call(revoked, 'list_dir', { path: '.' })).toMatch(/^401/);
  before.server.child.kill('SIGTERM');
  await before.server.exit();
  execute('DROP DATABASE jinn');
  fs.rmSync(home, { recursive: true });
  fs.mkdirSync(home, { mode: 0o700 });

  execute('CREATE DATABASE jinn OWNER jinn');
  sh(linesOf('pg_restore', files)[0] ?? '');
  sh(psql);
  sh(`tar --extract --gzip --file=${place}/state.tgz --directory=${home}`);
  jinn('migrate', '--team', `${place}/owner.json`);
  const after = await serve();
  expect(await after.call(token, 'memory', { action: 'recall', key: 'port' })).toContain('8080');
  expect(await after.call(token, 'undo', { action: 'restore', last: 1 })).toMatch(/^200 (?!.*isError)/);
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('first\n');
  // The page warns of this.
  expect(await after.call(revoked, 'list_dir', { path: '.' })).toMatch(/^200/);
  const [id] = jinn('tokens', 'list', '--team', `${place}/team.json`)
    .split('\n')
    .flatMap((line) => (line.includes(' bob ') ? [line.split(' ')[0] ?? ''] : []));
  jinn('tokens', 'revoke', id ?? '', '--team', `${place}/team.json`);
  expect(await after.call(revoked, 'list_dir', { path: '.' })).toMatch(/^401/);
  expect(query("SELECT count(*) AS n FROM pg_database WHERE datname = 'jinn'")).toEqual([{ n: 1 }]);
});
