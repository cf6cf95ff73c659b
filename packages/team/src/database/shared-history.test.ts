import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { NoHome } from '@jinn/store/state-fault';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openSnapshotFiles } from './shared-history.ts';

test('an id neither reads nor removes what is elsewhere', async () => {
  const state = makeTempDirectory();
  const files = openSnapshotFiles(state, '/shop/w');
  await files.keep([['0123456789', Buffer.from('text')]]);
  fs.writeFileSync(`${state}/state.db`, 'kept');
  for (const id of ['../../state.db', `${state}/state.db`, '', '.', '0123456789/..']) {
    expect(files.read(id)).toBeUndefined();
    await files.remove([id]);
  }
  expect(fs.readFileSync(`${state}/state.db`, 'utf8')).toBe('kept');
  expect(files.read('0123456789')?.toString()).toBe('text');
});

test('each workspace has its own files, and servers of one state directory count as one', async () => {
  const state = makeTempDirectory();
  const [shop, other] = ['/shop/w', '/shop/v'].map((workspace) => openSnapshotFiles(state, workspace));
  await shop?.keep([['0123456789', Buffer.from('text')]]);
  expect(other?.read('0123456789')).toBeUndefined();
  expect(other?.placeId()).toBe(shop?.placeId());
  expect(openSnapshotFiles(makeTempDirectory(), '/shop/w').placeId()).not.toBe(shop?.placeId());
});

test('a content that is there is not written over, and the others are removed by who kept them', async () => {
  const state = makeTempDirectory();
  const files = openSnapshotFiles(state, '/shop/w');
  await files.keep([['0123456789', Buffer.from('text')]]);
  const again = files.keep([
    ['0123456789', Buffer.from('other')],
    ['abcdef0123', Buffer.from('more')],
  ]);
  await expect(again).rejects.toMatchObject({ code: 'EEXIST' });
  expect(files.read('0123456789')?.toString()).toBe('text');
  await files.remove(['abcdef0123', '0123456789']);
  expect([files.read('abcdef0123'), files.read('0123456789')]).toEqual([undefined, undefined]);
});

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

test.runIf(canLimit)('many contents are kept where few files may be open at once', async () => {
  const state = makeTempDirectory();
  const files = openSnapshotFiles(state, '/shop/w');
  const ids = Array.from({ length: 200 }, (_, i) => `${i}`.padStart(10, '0'));
  const limit = (soft: string) => execFileSync('prlimit', ['--pid', `${process.pid}`, `--nofile=${soft}:`]);
  const show = ['--nofile', '--raw', '--noheadings', '-o', 'SOFT'];
  const before = execFileSync('prlimit', ['--pid', `${process.pid}`, ...show]);
  const open = new Set(fs.readdirSync('/proc/self/fd').map(Number));
  const free = Array.from({ length: 10_000 }, (_, i) => i).filter((i) => !open.has(i));
  limit(`${free[60]}`);
  try {
    await files.keep(ids.map((id) => [id, Buffer.from(id)]));
  } finally {
    limit(`${before}`.trim());
  }
  expect(ids.filter((id) => files.read(id)?.toString() !== id)).toEqual([]);
});

test('without a state directory nothing is kept, read or removed', async () => {
  const files = openSnapshotFiles(undefined, '/shop/w');
  await expect(files.keep([['0123456789', Buffer.from('text')]])).rejects.toBeInstanceOf(NoHome);
  expect(() => files.placeId()).toThrow(NoHome);
  expect(files.read('0123456789')).toBeUndefined();
  await files.remove(['0123456789']);
  await files.sweep(async () => new Set());
});

test('old files without an entry go, and where nobody can look, none', async () => {
  const state = makeTempDirectory();
  const files = openSnapshotFiles(state, '/shop/w');
  await files.sweep(async () => new Set());
  await files.keep(['0123456789', 'abcdef0123'].map((id) => [id, Buffer.from('text')] as const));
  const [folder = ''] = fs.readdirSync(`${state}/snapshots`);
  for (const id of ['0123456789', 'abcdef0123']) fs.utimesSync(`${state}/snapshots/${folder}/${id}`, 0, 0);
  // Nobody looks again within the hour.
  await files.sweep(async () => new Set());
  expect(files.read('0123456789')?.toString()).toBe('text');
  const later = openSnapshotFiles(state, '/shop/w');
  await later.sweep(async () => new Set(['abcdef0123']));
  expect([later.read('0123456789'), later.read('abcdef0123')?.toString()]).toEqual([undefined, 'text']);
});
