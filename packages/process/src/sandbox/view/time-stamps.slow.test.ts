import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { WorkspaceScanner } from '../workspace/workspace-scan.ts';
import { fifosBelow } from './command-view.ts';

/** After so long, what was read of a directory is kept for as long as its time stamp stays the same. */
const SETTLED_MS = 2_100;
const NONE: ReadonlySet<string> = new Set();

function makeFifo(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}

/** Mounts something until the test ends. Returns false where that is not possible: only root may, and not everywhere. */
function mount(directory: string, ...args: string[]): boolean {
  if (spawnSync('mount', [...args, directory]).status !== 0) return false;
  onTestFinished(() => void execFileSync('umount', [directory]));
  return true;
}

test('finds a FIFO in what is mounted over a directory and has its inode and its time stamp', async ({ skip }) => {
  const home = makeTempDirectory();
  for (const name of ['a', 'other']) fs.mkdirSync(`${home}/${name}`);
  makeFifo(`${home}/other/f`);
  await setTimeout(SETTLED_MS);
  expect(fifosBelow(`${home}/a`, NONE)).toEqual([]);
  const before = fs.statSync(`${home}/a`);
  const layers = `lowerdir=${home}/a:${home}/other`;
  if (!mount(`${home}/a`, '-t', 'overlay', 'overlay', '-o', layers)) skip('nothing can be mounted here');
  expect(fs.statSync(`${home}/a`)).toMatchObject({ ino: before.ino, ctimeMs: before.ctimeMs });
  expect(fifosBelow(`${home}/a`, NONE)).toEqual([`${home}/a/f`]);
});

/** Mounts a file system whose time stamps count seconds; false where that is not possible. */
function mountCoarse(directory: string): boolean {
  const image = `${makeTempDirectory()}/image`;
  fs.writeFileSync(image, Buffer.alloc(4 * 1024 * 1024));
  return spawnSync('/sbin/mkfs.ext4', ['-q', '-I', '128', image]).status === 0 && mount(directory, '-o', 'loop', image);
}

test('finds a FIFO and a secret in a second change within one second, where time stamps count seconds', async ({
  skip,
}) => {
  const home = makeTempDirectory();
  if (!mountCoarse(home)) skip('nothing can be mounted here');
  fs.mkdirSync(`${home}/node_modules`); // Nobody looks into it.
  makeFifo(`${home}/node_modules/f`);
  const scanner = new WorkspaceScanner();
  const secrets = async () => (await scanner.scan(home)).secrets;
  await setTimeout(1_020 - (Date.now() % 1_000));
  fs.mkdirSync(`${home}/first`);
  await setTimeout(200);
  expect([fifosBelow(home, NONE), await secrets()]).toEqual([[], []]);
  fs.renameSync(`${home}/node_modules/f`, `${home}/f`);
  fs.writeFileSync(`${home}/.env`, '');
  expect([fifosBelow(home, NONE), await secrets()]).toEqual([[`${home}/f`], [`${home}/.env`]]);
});

test('finds a FIFO in a directory that is mounted over one of the same time stamp', async ({ skip }) => {
  const home = makeTempDirectory();
  if (!mountCoarse(home)) skip('nothing can be mounted here');
  for (const name of ['a', 'other']) fs.mkdirSync(`${home}/${name}`);
  makeFifo(`${home}/f`);
  await setTimeout(1_020 - (Date.now() % 1_000));
  fs.writeFileSync(`${home}/a/file`, '');
  fs.renameSync(`${home}/f`, `${home}/other/f`);
  await setTimeout(SETTLED_MS);
  expect(fifosBelow(`${home}/a`, NONE)).toEqual([]);
  if (!mount(`${home}/a`, '--bind', `${home}/other`)) skip('nothing can be mounted here');
  expect(fifosBelow(`${home}/a`, NONE)).toEqual([`${home}/a/f`]);
});
