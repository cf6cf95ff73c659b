import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import { scriptText } from '../../../scripts/script-text.mjs';
import { subject, testGrants } from './fixture/test-grants.ts';
import type { Sqlite } from './node-sqlite.ts';
import { openGrants } from './open-grants.ts';
import { loadSqlite } from './sqlite.ts';

testGrants(() => {
  const directory = makeTempDirectory();
  return async (root, person) => openGrants(directory, root, person);
});

test('a new directory at an old path has no grants, and the old one keeps its own', async () => {
  const [directory, parent] = [makeTempDirectory(), makeTempDirectory()];
  const root = `${parent}/w`;
  fs.mkdirSync(root);
  const grants = openGrants(directory, root);
  await grants.add(subject);
  fs.writeFileSync(`${root}/file`, '');
  expect(await grants.find(subject)).toBeDefined();
  fs.renameSync(root, `${parent}/away`);
  fs.mkdirSync(root);
  for (const opened of [grants, openGrants(directory, root)]) {
    expect([await opened.find(subject), await opened.list(), await opened.revoke({})]).toEqual([undefined, [], 0]);
  }
  fs.rmdirSync(root);
  fs.mkdirSync(root); // May get the inode of the one before.
  expect(await openGrants(directory, root).find(subject)).toBeUndefined();
  fs.rmdirSync(root);
  fs.renameSync(`${parent}/away`, root);
  expect(await grants.find(subject)).toBeDefined();
});

test('a removed directory whose inode is given again takes its grants along', async () => {
  const [directory, parent] = [makeTempDirectory(), makeTempDirectory()];
  const root = `${parent}/w`;
  fs.mkdirSync(root);
  await openGrants(directory, root).add(subject);
  fs.rmdirSync(root);
  fs.mkdirSync(root);
  expect(await openGrants(directory, root).find(subject)).toBeUndefined();
});

test('an answer is spent once, in all workspaces and processes, until its time is over', async () => {
  const directory = makeTempDirectory();
  const later = new Date(Date.now() + 60_000);
  const [one, two] = [openGrants(directory, '/w'), openGrants(directory, '/v')];
  expect(await one.spend('a', later)).toBe(true);
  expect([await one.spend('a', later), await two.spend('a', later), await two.spend('b', later)]).toEqual([
    false,
    false,
    true,
  ]);
  await one.spend('c', new Date(0));
  await one.spend('d', later);
  const sqlite = (await loadSqlite())(`${directory}/state.db`);
  expect(valuesOf(sqlite, 'SELECT answer FROM spent ORDER BY answer')).toEqual(['a', 'b', 'd']);
  const file = `${makeTempDirectory()}/file`;
  fs.writeFileSync(file, '');
  await expect(openGrants(`${file}/state`, '/w').spend('a', later)).rejects.toMatchObject({ code: 'write_failed' });
});

test('opens and creates nothing to look', async () => {
  const directory = `${makeTempDirectory()}/none`;
  const grants = openGrants(directory, '/w');
  expect([await grants.find(subject), await grants.list(), await grants.revoke({})]).toEqual([undefined, [], 0]);
  expect(fs.existsSync(directory)).toBe(false);
});

test.for([
  ['tool', ''],
  ['type', 'x'.repeat(4097)],
  ['key', 'half \ud800'],
  ['fingerprint', ''],
])('refuses to remember an unfit %s', async ([field = '', text]) => {
  const grants = openGrants(makeTempDirectory(), '/w');
  await expect(grants.add({ ...subject, [field]: text })).rejects.toMatchObject({ code: 'invalid_args' });
  expect(await grants.list()).toEqual([]);
});

test('takes two broken texts that are stored alike for two keys', async () => {
  const grants = openGrants(makeTempDirectory(), '/w');
  await grants.add({ ...subject, key: 'half \ufffd' });
  expect(await grants.find({ ...subject, key: 'half \ud800' })).toBeUndefined();
});

test.for(['workspace', 'tool', 'type', 'key', 'fingerprint', 'created', 'checksum'])(
  'counts no grant whose %s is damaged',
  async (column) => {
    const directory = makeTempDirectory();
    const grants = openGrants(directory, '/w');
    await openGrants(directory, '/v').add({ ...subject, tool: 't', type: 't', key: 't', fingerprint: 't' });
    const damaged = { workspace: '/w', tool: 'u', type: 'u', key: 'u', fingerprint: 'u', created: 7, checksum: 'u' };
    const value = damaged[column as keyof typeof damaged];
    const sqlite = (await loadSqlite())(`${directory}/state.db`);
    sqlite.exec("UPDATE grants SET workspace = '/w'");
    expect(await grants.list()).toEqual([]);
    sqlite.exec("UPDATE grants SET workspace = '/v'");
    sqlite.prepare(`UPDATE grants SET ${column} = ?`).run(value);
    for (const workspace of ['/v', '/w']) {
      const found = openGrants(directory, workspace);
      expect(await found.list()).toEqual([]);
      for (const name of ['t', 'u']) {
        const asked = {
          tool: 't',
          type: 't',
          key: 't',
          fingerprint: 't',
          ...(column in subject && { [column]: name }),
        };
        expect(await found.find(asked)).toBeUndefined();
      }
    }
  },
);

test('begins anew with a damaged database: nothing is approved, and a warning says so', async () => {
  const directory = makeTempDirectory();
  await openGrants(directory, '/w').add(subject);
  fs.rmSync(`${directory}/state.db-wal`, { force: true });
  fs.writeFileSync(`${directory}/state.db`, 'damaged'.repeat(1_000));
  const grants = openGrants(directory, '/w');
  expect(await grants.find(subject)).toBeUndefined();
  expect(grants.takeWarnings()).toEqual([expect.stringContaining('saved approvals are lost')]);
  await grants.add(subject);
  expect(await grants.find(subject)).toBeDefined();
});

test('approves nothing, and says what is wrong, where the grants cannot be read or written', async () => {
  const file = `${makeTempDirectory()}/file`;
  fs.writeFileSync(file, '');
  for (const directory of [undefined, `${file}/state`]) {
    const grants = openGrants(directory, '/w');
    expect(await grants.find(subject)).toBeUndefined();
    await expect(grants.add(subject)).rejects.toMatchObject({
      code: 'write_failed',
      message: expect.stringContaining('the approval cannot be remembered'),
      suggestion: expect.stringContaining('JINN_CONFIG_DIR'),
    });
  }
});

/** Adds grants until it is killed: prints the number of each before, and "done N" after. */
const ADDER = `
import { subject, testGrants } from './fixture/test-grants.ts';
import { openGrants } from './open-grants.ts';
const [directory = '', name = '', count = '0'] = process.argv.slice(2);
const grants = openGrants(directory, '/w');
for (let n = 0; n < Number(count); n++) {
  await grants.add({ tool: name, type: 'command', key: 'key ' + (n % 50), fingerprint: 'f'.repeat(n % 900 + 1) });
  process.stdout.write(n + '\\n');
}
`;

let adder = '';

beforeAll(async () => {
  const directory = import.meta.dirname;
  const bundle = await rolldown({
    input: 'adder',
    platform: 'node',
    external: [/better-sqlite3/],
    plugins: [
      scriptText(),
      {
        name: 'adder',
        resolveId: (id) => (id === 'adder' ? `${directory}/adder.ts` : null),
        load: (id) => (id === `${directory}/adder.ts` ? ADDER : null),
      },
    ],
  });
  // Beside node_modules, where the native module is found.
  adder = path.join(directory, `../node_modules/.cache/adder-${process.pid}.mjs`);
  await bundle.write({ file: adder, format: 'esm', codeSplitting: false });
  return () => fs.rmSync(adder);
});

/** Runs until the end, or until it is killed; resolves to the number of grants that it said were added. */
function runAdder(directory: string, name: string, count: number, killAfter?: number): Promise<number> {
  const child = spawn(process.execPath, [adder, directory, name, `${count}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (killAfter !== undefined && text.split('\n').length > killAfter) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.on('close', () => resolve(text.split('\n').length - 1)));
}

test('keeps one grant a key when processes add at once', { tags: 'slow', timeout: 60_000 }, async () => {
  const directory = makeTempDirectory();
  const names = ['a', 'b', 'a', 'b'];
  expect(await Promise.all(names.map((name) => runAdder(directory, name, 100)))).toEqual([100, 100, 100, 100]);
  const grants = await openGrants(directory, '/w').list();
  expect(grants.map(({ tool, key }) => tool + key).length).toBe(100);
  expect(new Set(grants.map(({ tool, key }) => tool + key)).size).toBe(100);
});

test('leaves no half of a grant, killed at any instant', { tags: 'slow', timeout: 60_000 }, async () => {
  const directory = makeTempDirectory();
  const sqlite = (await loadSqlite())(`${directory}/state.db`);
  sqlite.close();
  for (let round = 0; round < 15; round++) {
    const done = await runAdder(directory, `t${round}`, 10_000, 1 + round * 3);
    const grants = (await openGrants(directory, '/w').list()).filter(({ tool }) => tool === `t${round}`);
    // What was said to be added is there; of the one that was under way, all or nothing.
    expect(grants.length - Math.min(done, 50)).toBeOneOf([0, 1]);
    for (const { key, fingerprint } of grants) expect((fingerprint.length - 1) % 50).toBe(Number(key.slice(4)));
  }
  const check = (await loadSqlite())(`${directory}/state.db`);
  expect(check.pragma('integrity_check', { simple: true })).toBe('ok');
  const rows = valuesOf(check, 'SELECT count(*) FROM grants')[0];
  expect((await openGrants(directory, '/w').list()).length).toBe(rows);
});

/** Returns the first column of the rows. */
function valuesOf(sqlite: Sqlite, query: string): unknown[] {
  return (sqlite.prepare(query).all() as object[]).map((row) => Object.values(row)[0]);
}
