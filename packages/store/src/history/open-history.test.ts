import fs from 'node:fs';
import { createVersionDigest, type History, type PlannedChange, type PreparedOperation } from '@jinn/guard';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { loadSqlite, migrate } from '../sqlite.ts';
import { STATE_MIGRATIONS, sumOf } from '../state-database.ts';
import { openHistory } from './open-history.ts';

function versionOf(text: string): string {
  const digest = createVersionDigest();
  digest.update(Buffer.from(text));
  return digest.digest();
}

/** A change from `before` (undefined: no file) to a content with the version `afterVersion`. */
function change(file: string, before: string | undefined, afterVersion = 'v2'): PlannedChange {
  return {
    path: file,
    before: before === undefined ? undefined : { content: Buffer.from(before), mode: 0o640 },
    beforeVersion: before === undefined ? undefined : versionOf(before),
    afterVersion,
    newDirectories: 0,
  };
}

/** Records changes, all of which happen if `paths` does not say otherwise. */
function record(history: History, changes: readonly PlannedChange[], paths = changes.map(({ path }) => path)) {
  const operation = prepare(history, changes);
  expect(history.commit(operation.id, paths)).toBe(true);
  return { id: operation.id, entry: (file: string) => operation.entries.get(file) ?? '' };
}

function prepare(history: History, changes: readonly PlannedChange[]): PreparedOperation {
  const operation = history.prepare('t', changes);
  if (!operation) throw new Error('the history did not take the changes');
  return operation;
}

test('restores what was recorded, in a later process too', async () => {
  const directory = makeTempDirectory();
  const operation = prepare(await openHistory(directory, '/w'), [change('a', 'text'), change('b', undefined)]);
  expect((await openHistory(directory, '/w')).commit(operation.id, ['a', 'b'])).toBe(true);
  const archive = await (await openHistory(directory, '/w')).archive();
  expect(archive.list()).toMatchObject([
    { id: operation.entries.get('b'), path: 'b', tool: 't', operationId: operation.id, size: undefined },
    { id: operation.entries.get('a'), path: 'a', size: 4, beforeVersion: versionOf('text'), afterVersion: 'v2' },
  ]);
  expect(archive.list(1)).toHaveLength(1);
  expect(archive.snapshot(operation.entries.get('a') ?? '')).toEqual({ content: Buffer.from('text'), mode: 0o640 });
  expect(archive.snapshot(operation.entries.get('b') ?? '')).toBeUndefined();
  expect(archive.find(operation.id)).toHaveLength(2);
});

test('keeps its files closed to others, in a directory that is not', async () => {
  const directory = makeTempDirectory();
  fs.chmodSync(directory, 0o755);
  record(await openHistory(directory, '/w'), [change('a', 'text')]);
  for (const name of fs.readdirSync(directory)) expect(fs.statSync(`${directory}/${name}`).mode & 0o077).toBe(0);
});

test('tells an empty file from no file', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  const { entry } = record(history, [change('a', '')]);
  expect((await history.archive()).snapshot(entry('a'))?.content).toEqual(Buffer.alloc(0));
});

test('forgets what was not changed after all', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  const { id } = record(history, [change('a', 'x'), change('b', 'x')], ['b']);
  record(history, [change('c', 'x')], []);
  const archive = await history.archive();
  expect(archive.list().map((entry) => entry.path)).toEqual(['b']);
  expect(archive.find(id)).toHaveLength(1);
  expect(history.unsettled()).toEqual([]);
});

test.for([
  ['happened', 'v2', 1],
  ['did not happen', versionOf('x'), 0],
  ['was followed by another', 'v3', 1],
] as const)('settles a change that %s, by what is on the disk', async ([, version, kept]) => {
  for (const viaPrepare of [true, false]) {
    const history = await openHistory(makeTempDirectory(), '/w');
    const left = prepare(history, [change('a', 'x')]);
    expect(history.unsettled()).toMatchObject([{ path: 'a' }]);
    if (viaPrepare) record(history, [{ ...change('a', 'y', 'v9'), beforeVersion: version }], []);
    else history.settle(left.entries.get('a') ?? '', version);
    const archive = await history.archive();
    expect(archive.count()).toBe(kept);
    if (kept === 1) expect(archive.find(left.id)).toHaveLength(1);
    expect(history.unsettled()).toEqual([]);
  }
});

test('settles the creation of a file that happened, and one that did not', async () => {
  for (const [version, kept] of [
    ['v2', 1],
    [undefined, 0],
  ] as const) {
    const history = await openHistory(makeTempDirectory(), '/w');
    history.settle(prepare(history, [change('a', undefined)]).entries.get('a') ?? '', version);
    expect((await history.archive()).count()).toBe(kept);
  }
});

const noise = (bytes: number) => Array.from({ length: bytes }, () => String.fromCharCode(Math.random() * 128)).join('');

test('keeps the newest entries within its limits, for each workspace its own', async () => {
  const directory = makeTempDirectory();
  const limits = { entries: 3, bytes: 10_000 };
  const other = await openHistory(directory, '/other', { limits });
  record(other, [change('o', 'x')]);
  const history = await openHistory(directory, '/w', { limits });
  const write = (file: string, content: string) => record(history, [change(file, content)]);
  const paths = async () => (await history.archive()).list().map((entry) => entry.path);
  for (const file of ['a', 'b', 'c', 'd']) write(file, 'x');
  expect(await paths()).toEqual(['d', 'c', 'b']);
  write('e', noise(6_000));
  expect(await paths()).toEqual(['e', 'd', 'c']);
  write('f', noise(6_000));
  expect(await paths()).toEqual(['f']);
  for (const file of ['g', 'h', 'i']) write(file, 'x');
  history.settle(prepare(history, [change('j', 'x')]).entries.get('j') ?? '', 'v2');
  expect(await paths()).toEqual(['j', 'i', 'h']);
  expect((await other.archive()).count()).toBe(1);
});

test('removes operations as a whole', async () => {
  const history = await openHistory(makeTempDirectory(), '/w', { limits: { entries: 10, bytes: 10_000 } });
  const names = (n: number, prefix: string) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
  const large = record(
    history,
    names(15, 'large').map((name) => change(name, 'x')),
  );
  const archive = await history.archive();
  expect(archive.find(large.id)).toHaveLength(15);
  for (const name of names(9, 'n')) record(history, [change(name, 'x')]);
  expect(archive.find(large.id)).toHaveLength(15);
  record(history, [change('n10', 'x')]);
  expect(() => archive.find(large.id)).toThrow('no snapshot');
  expect(archive.count()).toBe(10);
});

test('takes no operation that is larger than the history, and says so', async () => {
  const history = await openHistory(makeTempDirectory(), '/w', { limits: { entries: 10, bytes: 1024 * 1024 } });
  const { id } = record(history, [change('kept', 'x')]);
  const half = noise(600_000);
  expect(history.prepare('t', [change('a', half), change('b', `${half}.`)])).toBeUndefined();
  expect(history.takeWarnings()).toEqual([
    'this change cannot be undone: its files held 2 MB, and the history keeps at most 1 MB',
  ]);
  expect(history.takeWarnings()).toEqual([]);
  expect(history.unsettled()).toEqual([]);
  expect((await history.archive()).find(id)).toHaveLength(1);
});

test('refuses an operation of which entries are missing, and names the others', async () => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const { id, entry } = record(history, [change('a', 'x'), change('b', 'x'), change('c', 'x')]);
  (await loadSqlite())(`${directory}/state.db`).exec("DELETE FROM entries WHERE path = 'b'");
  const archive = await history.archive();
  expect(() => archive.find(id)).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: expect.stringContaining('changed 3 files, and the snapshots of 1 of them are gone'),
      suggestion: `restore the others one by one: a (${entry('a')}), c (${entry('c')})`,
    }),
  );
  expect(archive.find(entry('c'))).toHaveLength(1);
});

test('finds by id, by a unique prefix, by operation, and refuses an id that names none or several', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  const ids = Array.from({ length: 20 }, () => record(history, [change('a', 'x')]).entry('a'));
  const archive = await history.archive();
  const [id = ''] = ids;
  expect(archive.find(id)).toMatchObject([{ id }]);
  expect(archive.find(id.slice(0, 9))).toMatchObject([{ id }]);
  const shared = '0123456789abcdef'.split('').find((digit) => ids.filter((each) => each.startsWith(digit)).length > 1);
  expect(() => archive.find(shared ?? '')).toThrow('ambiguous');
  expect(() => archive.find('op-')).toThrow('ambiguous');
  for (const none of ['zzz', '%', '_', "' OR 1=1 --"]) expect(() => archive.find(none)).toThrow('no snapshot with id');
});

test('clears what is committed, and not what is under way', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  record(history, [change('a', 'x')]);
  const running = prepare(history, [change('b', 'x')]);
  const archive = await history.archive();
  expect(archive.clear()).toBe(1);
  history.commit(running.id, ['b']);
  expect(archive.list().map((entry) => entry.path)).toEqual(['b']);
});

test('reads the history that an older jinn wrote, and checks its contents', async () => {
  const directory = makeTempDirectory();
  const old = (await loadSqlite())(`${directory}/state.db`);
  migrate(old, STATE_MIGRATIONS.slice(0, 1));
  const insert = old.prepare(`INSERT INTO entries
    (id, operation_id, workspace, state, tool, path, created, before_version, mode, size, stored, content)
    VALUES (?, 'op-1', '/w', 'committed', 't', ?, 0, ?, 420, 1, 1, ?)`);
  insert.run('good', 'a', versionOf('x'), Buffer.from('x'));
  insert.run('bad', 'b', versionOf('x'), Buffer.from('y'));
  old.close();
  const archive = await (await openHistory(directory, '/w')).archive();
  expect(archive.find('op-1')).toHaveLength(2);
  expect(archive.snapshot('good')).toEqual({ content: Buffer.from('x'), mode: 0o644 });
  expect(() => archive.snapshot('bad')).toThrow('damaged');
});

/** Writes an entry as a jinn with so many migrations did. */
async function writeOldEntry(directory: string, migrations: number): Promise<void> {
  const old = (await loadSqlite())(`${directory}/state.db`);
  migrate(old, STATE_MIGRATIONS.slice(0, migrations));
  const facts = ['x', 'op-1', '/w', 't', 'a', 0, null, 'v2', null, null] as const;
  old
    .prepare(`INSERT INTO entries (id, operation_id, workspace, tool, path, created, before_version, after_version, mode, size,
      state, stored, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'committed', 0, ?)`)
    .run(...facts, sumOf(facts));
  old.close();
}

test('reads the checksums of a jinn that did not know of new directories, and checks their number', async () => {
  const directory = makeTempDirectory();
  await writeOldEntry(directory, 2);
  const history = await openHistory(directory, '/w');
  const made = record(history, [{ ...change('d/e/f', undefined), newDirectories: 2 }]);
  const archive = await history.archive();
  expect(archive.list()).toMatchObject([
    { path: 'd/e/f', newDirectories: 2 },
    { path: 'a', newDirectories: 0 },
  ]);
  (await loadSqlite())(`${directory}/state.db`).exec("UPDATE entries SET new_directories = 1 WHERE path = 'd/e/f'");
  expect(() => archive.find(made.id)).toThrow('damaged');
});

test('keeps the entries of an older jinn, as those of a person without a name', async () => {
  const directory = makeTempDirectory();
  await writeOldEntry(directory, 4);
  const lists = ['', 'alice'].map(async (person) =>
    (await (await openHistory(directory, '/w', { person })).archive()).list(),
  );
  const [own = [], ofAlice = []] = await Promise.all(lists);
  expect([own[0]?.otherPerson, ofAlice[0]?.otherPerson]).toEqual([undefined, '']);
});

test('tells whose an entry is, and each person clears their own', async () => {
  const directory = makeTempDirectory();
  const open = (person: string) => openHistory(directory, '/w', { person });
  const [alice, bob] = [await open('alice'), await open('bob')];
  const { id } = record(alice, [change('a', 'text')]);
  record(bob, [change('b', 'text')]);
  const archive = await bob.archive();
  expect(archive.list().map(({ path, otherPerson }) => [path, otherPerson])).toEqual([
    ['b', undefined],
    ['a', 'alice'],
  ]);
  expect(archive.clear()).toBe(1);
  expect(archive.list().map(({ path }) => path)).toEqual(['a']);
  (await loadSqlite())(`${directory}/state.db`).exec("UPDATE entries SET person = 'bob'");
  expect(() => archive.find(id)).toThrow('damaged');
});

test('the changes of one person do not push out those of another', async () => {
  const directory = makeTempDirectory();
  const open = (person: string) => openHistory(directory, '/w', { person, limits: { entries: 2, bytes: 1_000 } });
  record(await open('alice'), [change('a', 'text')]);
  const bob = await open('bob');
  for (let i = 0; i < 5; i++) record(bob, [change(`b${i}`, 'text')]);
  expect((await bob.archive()).list().map(({ path }) => path)).toEqual(['b4', 'b3', 'a']);
});

test('writes its log ahead, in a file that is whole', async () => {
  const directory = makeTempDirectory();
  await openHistory(directory, '/w');
  const sqlite = (await loadSqlite())(`${directory}/state.db`);
  expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('says how to mend a database of a newer jinn', async () => {
  await expect(openHistory(await newer(), '/w')).rejects.toMatchObject({
    code: 'write_failed',
    message: 'undo is unavailable: state.db was written by a newer jinn',
    suggestion: expect.stringContaining('--no-history'),
  });
});

test.for([
  ['no home', noHome, 'neither JINN_CONFIG_DIR nor HOME is set'],
  ['a directory that is a file', underFile, 'the directory of state.db cannot be made'],
  ['a link that leads nowhere', danglingLink, 'state.db cannot be opened'],
] as const)('goes on without undo where there is no place, and says so once: %s', async ([, prepare, reason]) => {
  const history = await openHistory(prepare(), '/w');
  expect(history.unsettled()).toEqual([]);
  for (const path of ['a', 'b']) expect(history.prepare('t', [change(path, 'x')])).toBeUndefined();
  expect(history.takeWarnings()).toEqual([
    expect.stringContaining(`files are changed without undo: ${reason}; set JINN_`),
  ]);
  expect(history.prepare('t', [change('c', 'x')])).toBeUndefined();
  expect(history.takeWarnings()).toEqual([]);
  await expect(history.archive().then((archive) => archive.list())).rejects.toMatchObject({ code: 'write_failed' });
});

test('refuses what cannot be recorded where the settings want a history, or are not known', async () => {
  const directory = danglingLink();
  for (const [history, message] of [
    ['require', 'undo is unavailable: state.db cannot be opened'],
    ['no', 'config.json: "history" must be "require" or "optional", not "no"'],
  ]) {
    fs.writeFileSync(`${directory}/config.json`, JSON.stringify({ history }));
    await expect(openHistory(directory, '/w')).rejects.toMatchObject({ code: 'write_failed', message });
  }
});

function noHome(): undefined {
  return undefined;
}

function underFile(): string {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/f`, '');
  return `${directory}/f/x`;
}

function danglingLink(): string {
  const directory = makeTempDirectory();
  fs.symlinkSync('/nowhere/state.db', `${directory}/state.db`);
  return directory;
}

async function newer(): Promise<string> {
  const directory = makeTempDirectory();
  await openHistory(directory, '/w');
  (await loadSqlite())(`${directory}/state.db`).pragma('user_version = 99');
  return directory;
}
