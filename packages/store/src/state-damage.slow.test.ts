import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { makeTempDirectory } from '@jinn/testkit';
import { createVersionDigest, type History, type PlannedChange } from '@jinn/workspace';
import { expect, test } from 'vitest';
import { openHistory } from './history/open-history.ts';
import { loadSqlite } from './sqlite.ts';

/** A recorded file: what undo has to restore for each id. */
interface Recorded {
  readonly directory: string;
  /** The content before, by entry id; undefined if there was no file. */
  readonly before: ReadonlyMap<string, { readonly path: string; readonly content: Buffer | undefined }>;
  /** The number of entries, by operation id. */
  readonly operations: ReadonlyMap<string, number>;
}

function versionOf(content: Buffer): string {
  const digest = createVersionDigest();
  digest.update(content);
  return digest.digest();
}

function change(path: string, content: Buffer | undefined): PlannedChange {
  const before = content && { content, mode: 0o644 };
  return { path, before, beforeVersion: content && versionOf(content), afterVersion: 'v2', newDirectories: 0 };
}

/** The same numbers in each run, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** A history of 40 files in 12 operations: small and large, text and noise, created ones too. */
async function recordHistory(): Promise<Recorded> {
  const random = createRandom(7);
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const before = new Map<string, { path: string; content: Buffer | undefined }>();
  const operations = new Map<string, number>();
  for (let n = 0; n < 12; n++) {
    const changes = Array.from({ length: 1 + (n % 6) }, (_, i) => change(`dir/file-${n}-${i}`, contentOf(random)));
    const { id, entries } = await recordAll(history, changes);
    operations.set(id, changes.length);
    for (const { path, before: snapshot } of changes) {
      before.set(entries.get(path) ?? '', { path, content: snapshot?.content });
    }
  }
  return { directory: copyState(directory), before, operations };
}

function contentOf(random: (below: number) => number): Buffer | undefined {
  const size = [0, 100, 1_500, 6_000, 30_000][random(5)] ?? 0;
  if (random(8) === 0) return undefined;
  if (random(2) === 0) return Buffer.from('line of text\n'.repeat(size / 13));
  return Buffer.from(Array.from({ length: size }, () => random(256)));
}

async function recordAll(history: History, changes: readonly PlannedChange[]) {
  const operation = await history.prepare('t', changes);
  if (!operation) throw new Error('the history did not take the changes');
  const paths = changes.map(({ path }) => path);
  expect(await history.commit(operation.id, paths)).toBe(true);
  return operation;
}

function copyState(from: string): string {
  const to = makeTempDirectory();
  for (const suffix of ['', '-wal']) fs.copyFileSync(`${from}/state.db${suffix}`, `${to}/state.db${suffix}`);
  return to;
}

/** Moves the log into the database, as the last process does that closes it. */
async function merge(file: string): Promise<void> {
  (await loadSqlite())(file).close();
}

/** Flips some bits, or overwrites a few hundred bytes. */
function damage(file: string, random: (below: number) => number): void {
  const bytes = fs.readFileSync(file);
  if (random(3) === 0) {
    const start = random(bytes.length);
    const end = Math.min(bytes.length, start + 1 + random(700));
    for (let at = start; at < end; at++) bytes[at] = random(256);
  } else {
    for (let n = 1 + random(4); n > 0; n--) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
  }
  fs.writeFileSync(file, bytes);
}

/** Asks for every snapshot and operation. A wrong answer throws; a refusal counts. */
async function checkAll(
  directory: string,
  { before, operations }: Recorded,
): Promise<{ right: number; refused: number }> {
  let [right, refused] = [0, 0];
  const archive = await (await openHistory(directory, '/w')).archive();
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      right++;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      refused++;
    }
  };
  for (const [id, { path, content }] of before) {
    await attempt(async () => {
      expect(await archive.find(id)).toMatchObject([{ id, path }]);
      // Vitest compares buffers byte by byte, which takes most of the time here.
      const restored = (await archive.snapshot(id))?.content;
      expect(content && restored ? restored.equals(content) : restored === content).toBe(true);
    });
  }
  for (const [id, size] of operations) await attempt(async () => expect(await archive.find(id)).toHaveLength(size));
  for (const { id, path } of await archive.list()) expect(before.get(id)?.path).toBe(path);
  return { right, refused };
}

test('restores nothing wrong from 100 databases with random damage, and goes on', { timeout: 60_000 }, async () => {
  const recorded = await recordHistory();
  const total = recorded.before.size + recorded.operations.size;
  expect(await checkAll(copyState(recorded.directory), recorded)).toEqual({ right: total, refused: 0 });
  const counts = { right: 0, refused: 0 };
  for (let seed = 0; seed < 100; seed++) {
    const random = createRandom(seed);
    const directory = copyState(recorded.directory);
    if (seed % 3 > 0) await merge(`${directory}/state.db`);
    damage(`${directory}/state.db${seed % 6 === 0 ? '-wal' : ''}`, random);
    const { right, refused } = await checkAll(directory, recorded);
    counts.right += right;
    counts.refused += refused;
    const history = await openHistory(directory, '/w');
    const { entries } = await recordAll(history, [change('later', Buffer.from('later'))]);
    const archive = await history.archive();
    expect((await archive.snapshot(entries.get('later') ?? ''))?.content.toString()).toBe('later');
    expect(await archive.clear()).toBeGreaterThan(0);
  }
  expect(counts.right).toBeGreaterThan(counts.refused);
  expect(counts.refused).toBeGreaterThan(50);
});

test.for([
  ['content', Buffer.from('the content of the fild')],
  ['content', null],
  ['path', 'some/pith'],
  ['mode', 0o666],
  ['mode', null],
  ['size', 22],
  ['size', null],
  ['tool', 'u'],
  ['created', 1],
  ['before_version', null],
  ['after_version', 'v3'],
  ['operation_id', 'op-0'],
  ['checksum', ''],
] as const)('refuses a snapshot whose %s is another', async ([column, value]) => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const { entries } = await recordAll(history, [change('some/path', Buffer.from('the content of the file'))]);
  const id = entries.get('some/path') ?? '';
  (await loadSqlite())(`${directory}/state.db`).prepare(`UPDATE entries SET ${column} = ?`).run(value);
  const archive = await history.archive();
  const refusal = 'is damaged and cannot be restored (nothing was changed)';
  await expect(archive.snapshot(id)).rejects.toThrow(refusal);
  if (column !== 'content') await expect(archive.find(id)).rejects.toThrow(refusal);
  expect([(await archive.list()).length, await archive.count()]).toEqual([column === 'content' ? 1 : 0, 1]);
});

const DAMAGED_NAME = /^state\.db\.damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

type Spoil = (file: string) => void | Promise<void>;

function merged(spoil: (file: string) => void): Spoil {
  return async (file) => {
    await exec('PRAGMA wal_checkpoint(TRUNCATE)')(file);
    spoil(file);
  };
}

const exec =
  (statements: string): Spoil =>
  async (file) => {
    const sqlite = (await loadSqlite())(file);
    sqlite.exec(statements);
    sqlite.close();
  };

const replaceBy =
  (statements: string): Spoil =>
  async (file) => {
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(`${file}${suffix}`, { force: true });
    await exec(statements)(file);
  };

const spoiled: readonly (readonly [what: string, spoil: Spoil])[] = [
  ['garbage', merged((file) => fs.writeFileSync(file, 'not a database'.repeat(1_000)))],
  ['half of the file', merged((file) => fs.truncateSync(file, fs.statSync(file).size / 2))],
  ['an empty file beside a log', (file) => fs.truncateSync(file, 0)],
  ['a log without its database', (file) => fs.rmSync(file)],
  ['a log of garbage', (file) => fs.writeFileSync(`${file}-wal`, 'no log'.repeat(10_000))],
  ['a log of zeros', (file) => fs.writeFileSync(`${file}-wal`, Buffer.alloc(8_192))],
  ['a dropped table', exec('DROP TABLE entries')],
  ['a renamed column', exec('ALTER TABLE entries RENAME COLUMN content TO other')],
  ['the database of another program', replaceBy('CREATE TABLE bookmarks (url TEXT)')],
  ['the database of another program, with a version', replaceBy('CREATE TABLE t (u TEXT); PRAGMA user_version = 2')],
  ['the database of another program, with a high version', replaceBy('CREATE TABLE t (u); PRAGMA user_version = 99')],
  ['the database of another program, with our names', replaceBy('CREATE TABLE entries (a); PRAGMA user_version = 6')],
];

test.for(spoiled)('sets aside %s, goes on with a new history, and says so once', async ([, spoil]) => {
  const directory = makeTempDirectory();
  const { id } = await recordAll(await openHistory(directory, '/w'), [change('a', Buffer.from('x'))]);
  await spoil(`${directory}/state.db`);
  const history = await openHistory(directory, '/w');
  const { entries } = await recordAll(history, [change('b', Buffer.from('y'))]);
  expect(history.takeWarnings()).toEqual([expect.stringMatching(/was damaged and starts again.*state\.db\.damaged-/)]);
  expect(history.takeWarnings()).toEqual([]);
  const archive = await (await openHistory(directory, '/w')).archive();
  expect((await archive.snapshot(entries.get('b') ?? ''))?.content.toString()).toBe('y');
  await expect(archive.find(id)).rejects.toThrow(
    /no snapshot with id op-\w+. A damaged history was set aside \(state\.db\.dam/,
  );
  expect(archive.damaged()).toEqual([expect.stringMatching(DAMAGED_NAME)]);
  const later = await openHistory(directory, '/w');
  expect([later.takeWarnings(), await later.unsettled()]).toEqual([[], []]);
});

test('begins an empty history if all its files were deleted', async () => {
  const directory = makeTempDirectory();
  const { id } = await recordAll(await openHistory(directory, '/w'), [change('a', Buffer.from('x'))]);
  for (const name of fs.readdirSync(directory)) fs.rmSync(`${directory}/${name}`);
  const history = await openHistory(directory, '/w');
  const archive = await history.archive();
  await expect(archive.find(id)).rejects.toThrow('no snapshot with id');
  expect([await archive.count(), archive.damaged(), history.takeWarnings()]).toEqual([0, [], []]);
});

test('goes on in a session whose database is damaged, replaced or deleted meanwhile', async () => {
  for (const spoil of [exec('DROP TABLE entries'), (file: string) => fs.rmSync(file)]) {
    const directory = makeTempDirectory();
    const history = await openHistory(directory, '/w');
    await recordAll(history, [change('a', Buffer.from('x'))]);
    await spoil(`${directory}/state.db`);
    const { entries } = await recordAll(history, [change('b', Buffer.from('y'))]);
    const warnings = history.takeWarnings();
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.join()).toContain('the undo history (state.db) was');
    const archive = await (await openHistory(directory, '/w')).archive();
    expect((await archive.list()).map((entry) => entry.id)).toEqual([entries.get('b')]);
  }
});

test('says that a change cannot be undone if the history is lost between its two steps', async () => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const operation = await history.prepare('t', [change('a', Buffer.from('x'))]);
  await exec('DROP TABLE entries')(`${directory}/state.db`);
  expect(await history.commit(operation?.id ?? '', ['a'])).toBe(false);
  expect(history.takeWarnings()).toHaveLength(1);
});

test('keeps the three newest databases that were set aside', async () => {
  const directory = makeTempDirectory();
  const names: string[] = [];
  for (let n = 0; n < 5; n++) {
    fs.writeFileSync(`${directory}/state.db`, `damaged ${n}`.repeat(1_000));
    fs.rmSync(`${directory}/state.db-wal`, { force: true });
    names.push(...((await (await openHistory(directory, '/w')).archive()).damaged().slice(-1) ?? []));
  }
  expect(new Set(names).size).toBe(5);
  const archive = await (await openHistory(directory, '/w')).archive();
  expect([...archive.damaged()].sort()).toEqual(names.slice(-3).sort());
});
