import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createLocks, type LockRequest } from './locks.ts';

const free = () => Promise.resolve();
const request = (file: string, clean: (id: string) => void = () => {}): LockRequest => ({
  path: `/w/${file}`,
  asked: file,
  clean,
});

/** A directory in which `f` is locked by a holder with other words in its name than ours. */
function lockedBy(change: (fields: { pid: string; start: string; space: string }) => object) {
  const directory = path.join(makeTempDirectory(), 'locks');
  const lock = createLocks(directory).tryAcquire(request('f'));
  const [name = ''] = fs.readdirSync(directory);
  const [pid = '', start = '', space = ''] = fs.readlinkSync(path.join(directory, name)).split('.');
  lock?.release();
  const holder = { pid, start, space, ...change({ pid, start, space }) };
  fs.symlinkSync(`${holder.pid}.${holder.start}.${holder.space}.dead1`, path.join(directory, name));
  return { directory, file: path.join(directory, name) };
}

test('locks a file once, until it is released', async () => {
  const locks = createLocks(path.join(makeTempDirectory(), 'a/locks'));
  const first = locks.tryAcquire(request('f'));
  expect(locks.tryAcquire(request('f'))).toBeUndefined();
  expect(locks.tryAcquire(request('F'))).toBeUndefined();
  expect(locks.tryAcquire(request('g'))).toBeDefined();
  first?.release();
  expect(locks.tryAcquire(request('f'))).toBeDefined();
});

test('waits, and names the holder when it has waited long enough', async () => {
  const locks = createLocks(path.join(makeTempDirectory(), 'locks'), 50);
  const held = locks.tryAcquire(request('g'));
  await expect(locks.acquire([request('f'), request('g')], free)).rejects.toMatchObject({
    code: 'conflict',
    message: `g is being changed by another call (pid ${process.pid})`,
  });
  expect(locks.tryAcquire(request('f'))).toBeDefined();
  setTimeout(() => held?.release(), 10);
  await expect(locks.acquire([request('g')], free)).resolves.toBeDefined();
});

test('ends the wait when the call is canceled', async () => {
  const locks = createLocks(path.join(makeTempDirectory(), 'locks'));
  locks.tryAcquire(request('f'));
  const canceled = () => Promise.reject(new Error('canceled'));
  await expect(locks.acquire([request('f')], canceled)).rejects.toThrow('canceled');
});

test('never lets two batches wait for each other', async () => {
  const locks = createLocks(path.join(makeTempDirectory(), 'locks'));
  const names = ['a', 'b', 'c', 'd'];
  let inside = 0;
  const batch = async (order: readonly string[]) => {
    const held = await locks.acquire(
      [...order, ...order].map((name) => request(name)),
      free,
    );
    expect(++inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside--;
    for (const lock of held.values()) lock.release();
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => batch(i % 2 === 0 ? names : names.toReversed())));
});

test.for([
  ['a process that ended', () => ({ pid: String(spawnSync('true').pid) })],
  ['a process whose pid another one has now', () => ({ start: '1' })],
] as const)('takes over the lock of %s, and cleans up after it', ([, change]) => {
  const { directory } = lockedBy(change);
  const cleaned: string[] = [];
  expect(createLocks(directory).tryAcquire(request('f', (id) => cleaned.push(id)))).toBeDefined();
  expect(cleaned).toEqual(['dead1']);
  expect(fs.readdirSync(directory)).toHaveLength(1);
});

test.skipIf(process.platform !== 'linux')('leaves the lock of a process that runs', () => {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill());
  const stat = fs.readFileSync(`/proc/${child.pid}/stat`, 'latin1');
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const { directory } = lockedBy(() => ({ pid: String(child.pid), start }));
  expect(createLocks(directory).tryAcquire(request('f'))).toBeUndefined();
});

test('leaves the lock of a process that it cannot ask, unless it is old', () => {
  const { directory, file } = lockedBy(() => ({ space: '77' }));
  const locks = createLocks(directory);
  expect(locks.tryAcquire(request('f'))).toBeUndefined();
  const old = new Date(Date.now() - 11 * 60 * 1000);
  fs.lutimesSync(file, old, old);
  expect(locks.tryAcquire(request('f'))).toBeDefined();
});

test('leaves a dead lock to the process that is taking it over', () => {
  const { directory, file } = lockedBy(() => ({ start: '1' }));
  const [, , space = ''] = fs.readlinkSync(file).split('.');
  const live = createLocks(directory).tryAcquire(request('other'));
  const [text = ''] = fs
    .readdirSync(directory)
    .map((name) => fs.readlinkSync(path.join(directory, name)))
    .filter((link) => !link.endsWith('.dead1'));
  fs.symlinkSync(text, `${file}.dead1`);
  expect(createLocks(directory).tryAcquire(request('f'))).toBeUndefined();
  fs.rmSync(`${file}.dead1`);
  fs.symlinkSync(`1.1.${space}.dead2`, `${file}.dead1`);
  expect(createLocks(directory).tryAcquire(request('f'))).toBeDefined();
  live?.release();
});

test('sweeps away rights to take over a lock that is no more, and no others', () => {
  const { directory, file } = lockedBy(() => ({ start: '1' }));
  const [pid, start, space] = fs.readlinkSync(file).split('.');
  fs.symlinkSync(`${pid}.${start}.${space}.dead2`, `${file}.dead1`);
  fs.symlinkSync(`${pid}.${start}.${space}.dead3`, `${file}.dead0`);
  createLocks(directory).tryAcquire(request('other'))?.release();
  expect(fs.readdirSync(directory).sort()).toEqual([path.basename(file), `${path.basename(file)}.dead1`]);
});

test('says so if neither the state directory nor a temporary one can be written', () => {
  const { TMPDIR = '/tmp' } = process.env;
  process.env['TMPDIR'] = '/dev/null';
  onTestFinished(() => {
    process.env['TMPDIR'] = TMPDIR;
  });
  for (const directory of [undefined, '/dev/null/locks']) {
    expect(() => createLocks(directory).tryAcquire(request('f'))).toThrow('neither to its state directory');
  }
});
