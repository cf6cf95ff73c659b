import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { change, record, testHistory } from '../fixture/test-history.ts';
import { loadSqlite } from '../sqlite.ts';
import { openHistory } from './open-history.ts';

testHistory(() => {
  const directory = makeTempDirectory();
  return (root, options) => openHistory(directory, root, options);
});

test('refuses an entry that names another person than it did', async () => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w', { person: 'alice' });
  const { id } = await record(history, [change('a', 'text')]);
  (await loadSqlite())(`${directory}/state.db`).exec("UPDATE entries SET person = 'bob'");
  await expect((await history.archive()).find(id)).rejects.toThrow('damaged');
});

test('keeps its files closed to others, in a directory that is not', async () => {
  const directory = makeTempDirectory();
  fs.chmodSync(directory, 0o755);
  await record(await openHistory(directory, '/w'), [change('a', 'text')]);
  for (const name of fs.readdirSync(directory)) expect(fs.statSync(`${directory}/${name}`).mode & 0o077).toBe(0);
});

test('refuses an operation of which entries are missing, and names the others', async () => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const { id, entry } = await record(history, [change('a', 'x'), change('b', 'x'), change('c', 'x')]);
  (await loadSqlite())(`${directory}/state.db`).exec("DELETE FROM entries WHERE path = 'b'");
  const archive = await history.archive();
  await expect(archive.find(id)).rejects.toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: expect.stringContaining('changed 3 files, and the snapshots of 1 of them are gone'),
      suggestion: `restore the others one by one: a (${entry('a')}), c (${entry('c')})`,
    }),
  );
  expect(await archive.find(entry('c'))).toHaveLength(1);
});

test('checks the number of new directories', async () => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const made = await record(history, [{ ...change('d/e/f', undefined), newDirectories: 2 }]);
  const archive = await history.archive();
  expect(await archive.list()).toMatchObject([{ path: 'd/e/f', newDirectories: 2 }]);
  (await loadSqlite())(`${directory}/state.db`).exec("UPDATE entries SET new_directories = 1 WHERE path = 'd/e/f'");
  await expect(archive.find(made.id)).rejects.toThrow('damaged');
});

test.for([1, 2, 3, 4, 5])('refuses a database of the development version %i, and leaves it', async (version) => {
  const directory = makeTempDirectory();
  const old = (await loadSqlite())(`${directory}/state.db`);
  old.exec(`CREATE TABLE entries (id TEXT); PRAGMA user_version = ${version}`);
  old.close();
  const before = fs.readFileSync(`${directory}/state.db`);
  await expect(openHistory(directory, '/w')).rejects.toMatchObject({
    code: 'write_failed',
    message: 'undo is unavailable: state.db was written by a development version of jinn',
    suggestion: expect.stringContaining('move state.db and the files next to it away'),
  });
  expect(fs.readFileSync(`${directory}/state.db`)).toEqual(before);
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
  expect(await history.unsettled()).toEqual([]);
  for (const path of ['a', 'b']) expect(await history.prepare('t', [change(path, 'x')])).toBeUndefined();
  expect(history.takeWarnings()).toEqual([
    expect.stringContaining(`files are changed without undo: ${reason}; set JINN_`),
  ]);
  expect(await history.prepare('t', [change('c', 'x')])).toBeUndefined();
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
