import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { testMemory, text } from '../fixture/test-memory.ts';
import type { Sqlite } from '../node-sqlite.ts';
import { loadSqlite } from '../sqlite.ts';
import { openMemory } from './open-memory.ts';

const isRoot = process.getuid?.() === 0;
const openSqlite = await loadSqlite();

/** Runs as a user to whom the directory is read-only; root could write to it. */
async function readOnly<T>(directory: string, work: () => Promise<T>): Promise<T> {
  execFileSync('chmod', ['-R', 'a+rX,a-w', directory]);
  fs.chmodSync(path.dirname(directory), 0o755);
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

testMemory(() => {
  const directory = makeTempDirectory();
  return (root, person) => openMemory(directory, root, person);
});

test('closes its directory and its files to others, even if they were open', async () => {
  const base = makeTempDirectory();
  const modes = (directory: string) =>
    ['', 'memory.db', 'memory.db-wal', 'memory.db-shm'].map(
      (name) => fs.statSync(path.join(directory, name)).mode & 0o777,
    );
  await (await openMemory(`${base}/a/b`, '/w')).save('/w', text('k', 'v'));
  expect(modes(`${base}/a/b`)).toEqual([0o700, 0o600, 0o600, 0o600]);
  await (await openMemory(`${base}/open`, '/w')).save('/w', text('k', 'v'));
  fs.chmodSync(`${base}/open`, 0o755);
  fs.chmodSync(`${base}/open/memory.db`, 0o644);
  await (await openMemory(`${base}/open`, '/w')).save('/w', text('k', 'v'));
  expect(modes(`${base}/open`)).toEqual([0o700, 0o600, 0o600, 0o600]);
});

test.for(['what?', 'a#b', '100%', '%41', 'file:x', 'a b', 'ä', 'quote\'"'])(
  'works in a directory named %j',
  async (name) => {
    const base = makeTempDirectory();
    const before = process.cwd();
    process.chdir(base);
    onTestFinished(() => process.chdir(before));
    for (const directory of [`${base}/${name}/jinn`, `${name}/relative`]) {
      await (await openMemory(directory, '/w')).save('/w', text('k', 'v'));
      expect((await (await openMemory(directory, '/w')).recall('/w', 'k'))?.value).toBe('v');
      expect(fs.existsSync(path.resolve(directory, 'memory.db'))).toBe(true);
    }
    expect(fs.readdirSync(base)).toEqual([name]);
  },
);

test('leaves out expired texts, and removes them with the next write', async () => {
  const directory = makeTempDirectory();
  const memory = await openMemory(directory, '/w');
  const soon = new Date(Date.now() + 60_000);
  await memory.save('/w', { ...text('gone', 'word'), expires: new Date(Date.now() - 1) });
  await memory.save('/w', { ...text('soon', 'word'), expires: soon });
  const other = openSqlite(`${directory}/memory.db`);
  const rows = () => valuesOf(other, 'SELECT key FROM memory ORDER BY key');
  const words = () => valuesOf(other, "SELECT count(*) FROM memory_words WHERE memory_words MATCH 'word'")[0];
  other.exec("INSERT INTO memory (scope, key, value, updated, expires) VALUES ('/w', 'past', 'word', '', 1)");
  expect(await memory.recall('/w', 'past')).toBeUndefined();
  expect((await memory.recall('/w', 'soon'))?.expires).toEqual(soon);
  expect(await memory.list('/w', undefined)).toEqual(['soon']);
  expect(await memory.list('/w', 'word')).toEqual(['soon']);
  expect(rows()).toEqual(['past', 'soon']);
  await memory.save('/other', text('k', 'v'));
  expect(rows()).toEqual(['k', 'soon']);
  expect(words()).toBe(1);
});

test.for([
  ['of a newer jinn', 'PRAGMA user_version = 99', 'was written by a newer jinn', 'use that version'],
  [
    'of the first versions, without a version of its schema',
    'CREATE TABLE memory (scope TEXT, key TEXT, value TEXT, updated TEXT, PRIMARY KEY (scope, key))',
    'has another form than jinn gave it',
    'JINN_CONFIG_DIR',
  ],
  [
    'with a table of somebody else',
    'CREATE TABLE memory (a, b)',
    'has another form than jinn gave it',
    'JINN_CONFIG_DIR',
  ],
])('refuses a database %s, and leaves it as it is', async ([, statements = '', error, suggestion]) => {
  const directory = makeTempDirectory();
  const file = `${directory}/memory.db`;
  const written = openSqlite(file);
  written.exec(statements);
  written.close();
  const memory = await openMemory(directory, '/w');
  const refusal = {
    code: 'write_failed',
    message: expect.stringContaining(`memory is unavailable: memory.db ${error}`),
    suggestion: expect.stringContaining(suggestion as string),
  };
  expect(await thrownBy(() => memory.recall('/w', 'k'))).toMatchObject(refusal);
  expect(await thrownBy(() => memory.save('/w', text('k', 'v')))).toMatchObject(refusal);
  await expect(memory.list('/w', undefined)).rejects.toMatchObject(refusal);
  const sqlite = openSqlite(file);
  expect([99, 0]).toContain(sqlite.pragma('user_version', { simple: true }));
  const names = valuesOf(sqlite, "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table'")[0];
  expect(names).toBe(statements.startsWith('CREATE') ? 'memory' : null);
});

test('says that a database is damaged, or is not a regular file', async () => {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/memory.db`, 'no database'.repeat(1000));
  const memory = await openMemory(directory, '/w');
  for (const work of [() => memory.recall('/w', 'k'), () => memory.save('/w', text('k', 'v'))]) {
    expect(await thrownBy(work)).toMatchObject({ message: 'memory is unavailable: memory.db is damaged' });
  }
  execFileSync('mkfifo', [`${makeDirectory(directory, 'fifo')}/memory.db`]);
  const other = await openMemory(`${directory}/fifo`, '/w');
  expect(await thrownBy(() => other.recall('/w', 'k'))).toMatchObject({ code: 'write_failed' });
  expect(await thrownBy(() => other.save('/w', text('k', 'v')))).toMatchObject({ code: 'write_failed' });
  expect(await thrownBy(() => other.forget('/w', 'k'))).toMatchObject({ code: 'write_failed' });
});

test('has nothing to read where the directory is a file, and cannot save there', async () => {
  const file = `${makeTempDirectory()}/file`;
  fs.writeFileSync(file, '');
  const memory = await openMemory(file, '/w');
  expect(await memory.recall('/w', 'k')).toBeUndefined();
  expect(await memory.forget('/w', 'k')).toBe(false);
  expect(await thrownBy(() => memory.save('/w', text('k', 'v')))).toMatchObject({ code: 'write_failed' });
});

test('waits for another process that writes, within limits', { tags: 'slow' }, async () => {
  const directory = makeTempDirectory();
  const memory = await openMemory(directory, '/w');
  await memory.save('/w', text('k', 'v'));
  const other = openSqlite(`${directory}/memory.db`);
  other.exec('BEGIN IMMEDIATE');
  expect((await memory.recall('/w', 'k'))?.value).toBe('v');
  expect(await thrownBy(() => memory.save('/w', text('k', 'x')))).toMatchObject({
    message: 'memory is unavailable: another process keeps memory.db locked',
    suggestion: 'try again in a moment',
  });
  other.exec('COMMIT');
  await memory.save('/w', text('k', 'x'));
});

test('says that its directory cannot be created', async () => {
  const base = makeTempDirectory();
  fs.writeFileSync(`${base}/file`, '');
  fs.symlinkSync('nowhere', `${base}/dangling`);
  for (const directory of [`${base}/file`, `${base}/file/jinn`, `${base}/dangling/jinn`]) {
    const memory = await openMemory(directory, '/w');
    expect(await thrownBy(() => memory.save('/w', text('k', 'v')))).toMatchObject({
      code: 'write_failed',
      message: 'memory is unavailable: the directory of memory.db cannot be made',
    });
  }
});

test('needs a directory', async () => {
  await expect(openMemory(undefined, '/w')).rejects.toMatchObject({
    code: 'write_failed',
    message: 'memory is unavailable: there is no home directory',
    suggestion: expect.stringContaining('JINN_CONFIG_DIR'),
  });
});

test('takes an empty file for a database that is being created', async () => {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/memory.db`, '');
  const memory = await openMemory(directory, '/w');
  expect(await memory.recall('/w', 'k')).toBeUndefined();
  await memory.save('/w', text('k', 'v'));
  expect((await memory.recall('/w', 'k'))?.value).toBe('v');
});

test('opens the new database after the old one was deleted or replaced', async () => {
  const directory = makeTempDirectory();
  const memory = await openMemory(directory, '/w');
  const remove = () => execFileSync('sh', ['-c', 'rm -f "$1"/memory.db*', 'sh', directory]);
  await memory.save('/w', text('k', 'one'));
  remove();
  expect(await memory.recall('/w', 'k')).toBeUndefined();
  await memory.save('/w', text('k', 'two'));
  expect((await (await openMemory(directory, '/w')).recall('/w', 'k'))?.value).toBe('two');
  remove();
  await (await openMemory(directory, '/w')).save('/w', text('k', 'three'));
  expect((await memory.recall('/w', 'k'))?.value).toBe('three');
});

test('sees in a session what another process saves, before and after its own first write', async () => {
  const directory = makeTempDirectory();
  const [ours, theirs] = [await openMemory(directory, '/w'), await openMemory(directory, '/w')];
  expect(await ours.recall('/w', 'k')).toBeUndefined();
  for (const value of ['one', 'two']) {
    await theirs.save('/w', text('k', value));
    expect((await ours.recall('/w', 'k'))?.value).toBe(value);
  }
  await ours.save('/w', text('k', 'three'));
  expect((await theirs.recall('/w', 'k'))?.value).toBe('three');
});

test('reads from a read-only directory, and says that it cannot write there', async () => {
  const base = makeTempDirectory();
  const directory = `${base}/home`;
  fs.mkdirSync(directory);
  await (await openMemory(directory, '/w')).save('/w', text('k', 'v'));
  openSqlite(`${directory}/memory.db`).pragma('wal_checkpoint(TRUNCATE)');
  for (const log of ['-wal', '-shm']) fs.rmSync(`${directory}/memory.db${log}`, { force: true });
  await readOnly(directory, async () => {
    const memory = await openMemory(directory, '/w');
    expect((await memory.recall('/w', 'k'))?.value).toBe('v');
    expect(await memory.list('/w', 'v')).toEqual(['k']);
    expect(await thrownBy(() => memory.save('/w', text('k', 'x')))).toMatchObject({
      code: 'write_failed',
      message: expect.stringMatching(
        /^memory is unavailable: memory\.db (is read-only|is closed to this user|cannot be)/,
      ),
    });
    expect((await memory.recall('/w', 'k'))?.value).toBe('v');
  });
  expect(fs.readdirSync(directory)).toEqual(['memory.db']);
});

test('does not recall old texts if the log beside the database cannot be read', async () => {
  const base = makeTempDirectory();
  const [directory, copy] = [`${base}/live`, `${base}/copy`];
  const memory = await openMemory(directory, '/w');
  await memory.save('/w', text('k', 'old'));
  openSqlite(`${directory}/memory.db`).pragma('wal_checkpoint(TRUNCATE)');
  await memory.save('/w', text('k', 'new'));
  fs.mkdirSync(copy);
  for (const name of ['memory.db', 'memory.db-wal']) fs.copyFileSync(`${directory}/${name}`, `${copy}/${name}`);
  await readOnly(copy, async () => {
    const other = await openMemory(copy, '/w');
    expect(await thrownBy(() => other.recall('/w', 'k'))).toMatchObject({ code: 'write_failed' });
  });
});

const LEGACY = {
  version: 1,
  entries: { a: { value: 'of old', updated: '2024-05-06T07:08:09Z' }, b: { value: 'too' } },
};

test('imports the file of an older jinn into the global scope, once', async () => {
  const directory = makeTempDirectory();
  const legacy = `${directory}/memory.json`;
  const before = await openMemory(directory, '/w');
  await before.save('global', text('b', 'of now'));
  await before.save('global', { ...text('a', 'expired'), expires: new Date(Date.now() - 1_000) });
  fs.writeFileSync(legacy, JSON.stringify(LEGACY));
  const memory = await openMemory(directory, '/w');
  expect(await memory.recall('global', 'a')).toMatchObject({ value: 'of old', updated: '2024-05-06T07:08:09Z' });
  expect((await memory.recall('global', 'b'))?.value).toBe('of now');
  expect(await memory.list('global', 'old')).toEqual(['a']);
  expect(memory.takeWarnings()).toEqual([]);
  expect(fs.existsSync(legacy)).toBe(false);
  expect(JSON.parse(fs.readFileSync(`${legacy}.migrated`, 'utf8'))).toEqual(LEGACY);

  // A process that died before the rename leaves the file; keys that were forgotten since do not come back.
  await memory.forget('global', 'a');
  fs.renameSync(`${legacy}.migrated`, legacy);
  const next = await openMemory(directory, '/w');
  expect(await next.recall('global', 'a')).toBeUndefined();
  expect(fs.existsSync(legacy)).toBe(false);
  expect(fs.existsSync(`${legacy}.migrated`)).toBe(true);
});

test('keeps the file of an earlier import', async () => {
  const directory = makeTempDirectory();
  for (const key of ['one', 'two']) {
    fs.writeFileSync(`${directory}/memory.json`, JSON.stringify({ version: 1, entries: { [key]: { value: key } } }));
    expect((await (await openMemory(directory, '/w')).recall('global', key))?.value).toBe(key);
  }
  const kept = fs.readdirSync(directory).filter((name) => name.startsWith('memory.json'));
  expect(kept.map((name) => fs.readFileSync(`${directory}/${name}`, 'utf8')).join()).toMatch(/"one".*"two"/);
  expect(kept).toEqual(['memory.json.migrated', expect.stringMatching(/^memory\.json\.migrated-[0-9a-f]{8}$/)]);
});

test('imports on a first read too, when there is no database', async () => {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify(LEGACY));
  expect(await (await openMemory(directory, '/w')).list('global', undefined)).toEqual(['a', 'b']);
});

test('imports keys of every kind from the file of an older jinn', async () => {
  const directory = makeTempDirectory();
  const json =
    '{"entries":{"__proto__":{"value":"1"},"constructor":{"value":"2"},"":{"value":""},"a\\\\b":{"value":"€\\u0000"}}}';
  fs.writeFileSync(`${directory}/memory.json`, json);
  const memory = await openMemory(directory, '/w');
  expect(await memory.list('global', undefined)).toEqual(['', '__proto__', 'a\\b', 'constructor']);
  expect((await memory.recall('global', 'a\\b'))?.value).toBe('€\0');
});

test.for([
  ['no JSON', '{"version":1', 'it is not JSON'],
  ['an empty file', '', 'it is not JSON'],
  ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22]), 'it is not JSON'],
  ['an array', '[]', 'it does not have the form'],
  ['no entries', '{"version":1}', 'it does not have the form'],
  ['entries that are a list', '{"entries":[{"value":"x"}]}', 'it does not have the form'],
  ['another version', '{"version":2,"entries":{}}', 'its version is not 1'],
] as const)('reports %s in place of the file of an older jinn, and leaves it', async ([, content, reason]) => {
  const directory = makeTempDirectory();
  const legacy = `${directory}/memory.json`;
  fs.writeFileSync(legacy, content);
  const memory = await openMemory(directory, '/w');
  expect(await memory.recall('global', 'a')).toBeUndefined();
  const [warning, ...more] = memory.takeWarnings();
  expect(warning).toContain(`memory.json of an older jinn was not imported and was left in place: ${reason}`);
  expect([more, memory.takeWarnings()]).toEqual([[], []]);
  expect(fs.readdirSync(directory)).toEqual(['memory.json']);
  await memory.save('/w', text('k', 'v'));
  expect((await memory.recall('/w', 'k'))?.value).toBe('v');
  expect(fs.readFileSync(legacy).equals(Buffer.from(content))).toBe(true);
});

test.for([
  ['all that are no object', '{"entries":{"a":"b","c":["x"],"d":null}}', '3 of its 3', '"a", "c", "d"', []],
  ['half a surrogate pair', '{"entries":{"a":{"value":"\\ud800"},"\\ud800":{"value":""}}}', '2 of its 2', '"a"', []],
  [
    'some without a text',
    '{"entries":{"a":{"value":"x"},"b":{"value":5},"c":{},"d":{"value":"y"},"e":1,"f":1}}',
    '4 of its 6',
    '"b", "c", "e", …',
    ['a', 'd'],
  ],
] as const)('reports entries of an older jinn that are none (%s), and takes over the others', async (given) => {
  const [, content, count, named, taken] = given;
  const directory = makeTempDirectory();
  const legacy = `${directory}/memory.json`;
  fs.writeFileSync(legacy, content);
  const told = async () => {
    const memory = await openMemory(directory, '/w');
    return { keys: await memory.list('global', undefined), warnings: memory.takeWarnings() };
  };
  const start = `memory.json of an older jinn was left in place: ${count} entries have no text and were not imported: `;
  const first = await told();
  expect(first).toEqual({ keys: taken, warnings: [expect.stringContaining(`${start}${named}`)] });
  expect(fs.readFileSync(legacy, 'utf8')).toBe(content);
  expect(fs.existsSync(`${directory}/memory.db`)).toBe(taken.length > 0);

  // Keys that were forgotten since do not come back, and the file that is still there causes no further write.
  for (const key of taken) await (await openMemory(directory, '/w')).forget('global', key);
  const other = taken.length > 0 ? openSqlite(`${directory}/memory.db`) : undefined;
  other?.exec('BEGIN IMMEDIATE');
  expect(await told()).toEqual({ keys: [], warnings: first.warnings });
  other?.close();

  // Once the file is mended, all of it is imported.
  fs.writeFileSync(legacy, '{"entries":{"b":{"value":"mended"}}}');
  expect(await told()).toEqual({ keys: ['b'], warnings: [] });
  expect(fs.existsSync(legacy)).toBe(false);
});

test.for(['mkfifo', 'mkdir', 'truncate -s 67108865'])(
  'does not wait for, or hold, what `%s` makes in its place',
  async (command) => {
    const directory = makeTempDirectory();
    execFileSync('sh', ['-c', `${command} memory.json`], { cwd: directory });
    const memory = await openMemory(directory, '/w');
    expect(await memory.recall('global', 'a')).toBeUndefined();
    expect(memory.takeWarnings()[0]).toMatch(/it is (not a regular file|larger than 64 MiB)$/);
  },
);

test('warns if the file of an older jinn cannot be renamed', async () => {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify(LEGACY));
  const sha256 = createHash('sha256').update(JSON.stringify(LEGACY)).digest('hex');
  for (const name of ['memory.json.migrated', `memory.json.migrated-${sha256.slice(0, 8)}`]) {
    fs.writeFileSync(`${makeDirectory(directory, name)}/f`, '');
  }
  const memory = await openMemory(directory, '/w');
  expect((await memory.recall('global', 'a'))?.value).toBe('of old');
  expect(memory.takeWarnings()).toEqual([expect.stringContaining('was imported, but cannot be renamed')]);
  expect(await memory.forget('global', 'a')).toBe(true);
  expect(await (await openMemory(directory, '/w')).recall('global', 'a')).toBeUndefined();
});

test('warns that nothing can be imported into a read-only directory', async () => {
  const directory = `${makeTempDirectory()}/home`;
  fs.mkdirSync(directory);
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify(LEGACY));
  await readOnly(directory, async () => {
    const memory = await openMemory(directory, '/w');
    expect(await memory.recall('global', 'a')).toBeUndefined();
    expect(memory.takeWarnings()[0]).toMatch(/was left in place: memory\.db/);
  });
});

function makeDirectory(parent: string, name: string): string {
  fs.mkdirSync(`${parent}/${name}`);
  return `${parent}/${name}`;
}

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Returns the first column of the rows. */
function valuesOf(sqlite: Sqlite, query: string): unknown[] {
  return (sqlite.prepare(query).all() as object[]).map((row) => Object.values(row)[0]);
}
