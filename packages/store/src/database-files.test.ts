import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openHistory } from './history/open-history.ts';
import { openMemory } from './memory/open-memory.ts';
import { inTransaction, isLogCut, loadSqlite } from './sqlite.ts';

const open = await loadSqlite();

/** Copies a directory as it is while its databases are open, as a process that is killed leaves it. */
function copyOf(directory: string): string {
  const copy = makeTempDirectory();
  fs.cpSync(directory, copy, { recursive: true });
  return copy;
}

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
}

async function makeMemory(): Promise<string> {
  const directory = makeTempDirectory();
  const memory = await openMemory(directory, '/w');
  for (let i = 0; i < 8; i++)
    await memory.save('/w', { key: `k${i}`, value: 'x'.repeat(3_000), pinned: false, expires: undefined });
  return copyOf(directory);
}

test('says that the log of the memory was cut, once, and never just that nothing is there', async () => {
  const whole = await makeMemory();
  expect(isLogCut(`${whole}/memory.db-wal`)).toBe(false);
  const size = fs.statSync(`${whole}/memory.db-wal`).size;
  for (const at of [0, 20, 200, 5_000, Math.floor(size / 2)]) {
    const directory = copyOf(whole);
    flip(`${directory}/memory.db-wal`, at);
    const memory = await openMemory(directory, '/w');
    const keys = await memory.list('/w', undefined);
    expect(keys.length, String(at)).toBeLessThan(8);
    expect(memory.takeWarnings(), String(at)).toEqual([expect.stringContaining('memory.db-wal) was damaged')]);
    expect(await memory.recall('/w', 'k7')).toBeUndefined();
    expect(memory.takeWarnings()).toEqual([]);
  }
});

test('keeps the log short while a session goes on', async () => {
  const directory = makeTempDirectory();
  const memory = await openMemory(directory, '/w');
  for (let i = 0; i < 800; i++)
    await memory.save('/w', { key: `k${i}`, value: `${i}`.padEnd(20_000, 'x'), pinned: false, expires: undefined });
  expect(fs.statSync(`${directory}/memory.db-wal`).size).toBeLessThan(5_000_000);
});

test('says that the log of the history was cut', async () => {
  const directory = makeTempDirectory();
  const history = await openHistory(directory, '/w');
  const before = { content: Buffer.from('text'), mode: 0o644 };
  for (const path of ['a', 'b', 'c']) {
    const change = { path, before, beforeVersion: 'v1', afterVersion: 'v2', newDirectories: 0 };
    await history.commit((await history.prepare('t', [change]))?.id ?? '', [path]);
  }
  const copy = copyOf(directory);
  flip(`${copy}/state.db-wal`, 200);
  const damaged = await openHistory(copy, '/w');
  expect(damaged.takeWarnings()).toEqual([expect.stringContaining('state.db-wal) was damaged')]);
});

test('says nothing of a log without a database, of what was rolled back, of an older log, and of a torn end', () => {
  const directory = makeTempDirectory();
  const log = `${directory}/x-wal`;
  expect(isLogCut(log)).toBe(false);
  const sqlite = open(`${directory}/x`);
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = 10; CREATE TABLE t (x)');
  const fill = sqlite.prepare('INSERT INTO t VALUES (randomblob(3000))');
  const rollBack = (count: number) =>
    inTransaction(sqlite, () => {
      for (let i = 0; i < count; i++) fill.run();
      throw new Error('rolled back');
    });
  expect(() => rollBack(100)).toThrow('rolled back');
  fill.run();
  expect(fs.statSync(log).size).toBeGreaterThan(200_000);
  expect(isLogCut(log)).toBe(false);
  sqlite.pragma('wal_checkpoint(RESTART)');
  fill.run();
  expect(isLogCut(log)).toBe(false);
  fs.truncateSync(log, fs.statSync(log).size - 1_000);
  expect(isLogCut(log)).toBe(false);
  sqlite.close();
});
