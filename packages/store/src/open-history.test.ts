import fs from 'node:fs';
import type { PlannedChange } from '@jinn/core';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { loadSqlite } from './load-sqlite.ts';
import { openHistory } from './open-history.ts';

const change = (
  file: string,
  before: string | undefined,
  beforeVersion = 'v1',
  afterVersion = 'v2',
): PlannedChange => ({
  path: file,
  before: before === undefined ? undefined : { content: Buffer.from(before), mode: 0o640 },
  beforeVersion: before === undefined ? undefined : beforeVersion,
  afterVersion,
});

test('gives back what was recorded, also in a later process', async () => {
  const directory = makeTempDirectory();
  const operation = (await openHistory(directory, '/w')).prepare('write_file', [
    change('a', 'text'),
    change('b', undefined),
  ]);
  (await openHistory(directory, '/w')).commit(operation.id, ['a', 'b']);
  const archive = await (await openHistory(directory, '/w')).archive();
  expect(archive.list()).toMatchObject([
    { id: operation.entries.get('b'), path: 'b', tool: 'write_file', operationId: operation.id, size: undefined },
    { id: operation.entries.get('a'), path: 'a', size: 4, beforeVersion: 'v1', afterVersion: 'v2' },
  ]);
  expect(archive.list(1)).toHaveLength(1);
  expect(archive.snapshot(operation.entries.get('a') ?? '')).toEqual({ content: Buffer.from('text'), mode: 0o640 });
  expect(archive.snapshot(operation.entries.get('b') ?? '')).toBeUndefined();
  expect(archive.find(operation.id)).toHaveLength(2);
  expect(fs.statSync(directory).mode & 0o077).toBe(0);
});

test('keeps an empty file apart from none', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  const { id, entries } = history.prepare('t', [change('a', '')]);
  history.commit(id, ['a']);
  expect((await history.archive()).snapshot(entries.get('a') ?? '')?.content).toEqual(Buffer.alloc(0));
});

test('forgets what was not changed after all', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  history.commit(history.prepare('t', [change('a', 'x'), change('b', 'x')]).id, ['b']);
  history.commit(history.prepare('t', [change('c', 'x')]).id, []);
  const archive = await history.archive();
  expect(archive.list().map((entry) => entry.path)).toEqual(['b']);
  expect(history.unsettled()).toEqual([]);
});

test.for([
  ['happened', 'v2', 1],
  ['did not happen', 'v1', 0],
  ['was followed by another', 'v3', 1],
] as const)('settles a change that %s, by what is on the disk', async ([, version, kept]) => {
  for (const viaPrepare of [true, false]) {
    const history = await openHistory(makeTempDirectory(), '/w');
    const left = history.prepare('t', [change('a', 'x')]);
    expect(history.unsettled()).toMatchObject([{ path: 'a' }]);
    if (viaPrepare) history.commit(history.prepare('t', [change('a', 'y', version, 'v9')]).id, []);
    else history.settle(left.entries.get('a') ?? '', version);
    expect((await history.archive()).count()).toBe(kept);
    expect(history.unsettled()).toEqual([]);
  }
});

test('settles a file that was made, or was not', async () => {
  for (const [version, kept] of [
    ['v2', 1],
    [undefined, 0],
  ] as const) {
    const history = await openHistory(makeTempDirectory(), '/w');
    history.settle(history.prepare('t', [change('a', undefined)]).entries.get('a') ?? '', version);
    expect((await history.archive()).count()).toBe(kept);
  }
});

test('keeps the newest entries within its limits, for each workspace its own', async () => {
  const directory = makeTempDirectory();
  const noise = (bytes: number) =>
    Buffer.from(Array.from({ length: bytes }, () => Math.random() * 256)).toString('latin1');
  const other = await openHistory(directory, '/other', { entries: 3, bytes: 10_000 });
  other.commit(other.prepare('t', [change('o', 'x')]).id, ['o']);
  const history = await openHistory(directory, '/w', { entries: 3, bytes: 10_000 });
  const write = (file: string, content: string) =>
    history.commit(history.prepare('t', [change(file, content)]).id, [file]);
  const paths = async () => (await history.archive()).list().map((entry) => entry.path);
  for (const file of ['a', 'b', 'c', 'd']) write(file, 'x');
  expect(await paths()).toEqual(['d', 'c', 'b']);
  write('e', noise(5_000));
  expect(await paths()).toEqual(['e', 'd', 'c']);
  write('f', noise(5_000));
  expect(await paths()).toEqual(['f']);
  for (const file of ['g', 'h', 'i']) write(file, 'x');
  history.settle(history.prepare('t', [change('j', 'x')]).entries.get('j') ?? '', 'v2');
  expect(await paths()).toEqual(['j', 'i', 'h']);
  expect((await other.archive()).count()).toBe(1);
});

test('finds by id, by a unique prefix, by operation, and refuses what is none or several', async () => {
  const history = await openHistory(makeTempDirectory(), '/w');
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) {
    const { id, entries } = history.prepare('t', [change('a', 'x')]);
    history.commit(id, ['a']);
    ids.push(entries.get('a') ?? '');
  }
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
  history.commit(history.prepare('t', [change('a', 'x')]).id, ['a']);
  const running = history.prepare('t', [change('b', 'x')]);
  const archive = await history.archive();
  expect(archive.clear()).toBe(1);
  history.commit(running.id, ['b']);
  expect(archive.list().map((entry) => entry.path)).toEqual(['b']);
});

test('writes its log ahead, in a file that is whole', async () => {
  const directory = makeTempDirectory();
  await openHistory(directory, '/w');
  const sqlite = (await loadSqlite())(`${directory}/state.db`);
  expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
});

test.for([
  ['no home', noHome],
  ['a directory that is a file', underFile],
  ['a damaged database', damaged],
  ['a database of a newer jinn', newer],
] as const)('says how to mend %s', async ([, prepare]) => {
  const directory = await prepare();
  let thrown: unknown;
  try {
    (await openHistory(directory, '/w')).prepare('t', [change('a', 'x')]);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({
    code: 'write_failed',
    message: expect.stringContaining('undo is unavailable'),
    suggestion: expect.stringContaining('--no-history'),
  });
});

function noHome(): undefined {
  return undefined;
}

function underFile(): string {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/f`, '');
  return `${directory}/f/x`;
}

function damaged(): string {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/state.db`, 'no database'.repeat(1000));
  return directory;
}

async function newer(): Promise<string> {
  const directory = makeTempDirectory();
  (await loadSqlite())(`${directory}/state.db`).pragma('user_version = 99');
  return directory;
}
