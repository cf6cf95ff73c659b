import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasProcDescriptors, type Inode, openRoot } from './inode.ts';

/** The directory `d` of a root, held, in which something is swapped between the look and the use. */
function scene(useProc: boolean) {
  const base = makeTempDirectory();
  makeTree(base, { 'out/f.txt': 'OUTSIDE', 'ws/d/f.txt': 'inside', 'ws/d/l': { symlink: 'f.txt' } });
  const held = openRoot(`${base}/ws`, useProc);
  const root = held.inode();
  const d = root.childDirectory('d');
  onTestFinished(() => {
    d.close();
    held.close();
  });
  return { base, d, path: `${base}/ws/d` };
}

/** Uses a directory in each way. */
const USES: Readonly<Record<string, (directory: Inode) => unknown>> = {
  child: (directory) => directory.child('f.txt').close(),
  childDirectory: (directory) => directory.childDirectory('.').close(),
  readLink: (directory) => directory.readLink('l'),
  within: (directory) => directory.within((prefix) => fs.readdirSync(prefix)),
};

const CONFLICT = expect.objectContaining({ code: 'conflict' });

function readAll(fd: number): string {
  try {
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

describe.skipIf(!hasProcDescriptors())('by descriptors', () => {
  test('stays in the directory that it holds, whatever takes its name', () => {
    const { base, d, path } = scene(true);
    const file = d.child('f.txt');
    fs.renameSync(path, `${base}/moved`);
    fs.symlinkSync('../out', path);
    expect(readAll(file.open())).toBe('inside');
    file.close();
    const again = d.child('f.txt');
    expect(readAll(again.open())).toBe('inside');
    again.close();
    expect(d.readLink('l')).toBe('f.txt');
    expect(d.within((prefix) => fs.readdirSync(prefix)).toSorted()).toEqual(['f.txt', 'l']);
    expect(d.isHeld).toBe(true);
  });

  test('opens the file that it holds, whatever takes its name', () => {
    const { base, d, path } = scene(true);
    const file = d.child('f.txt');
    fs.rmSync(`${path}/f.txt`);
    fs.symlinkSync(`${base}/out/f.txt`, `${path}/f.txt`);
    expect(readAll(file.open())).toBe('inside');
    file.close();
  });
});

describe('by names', () => {
  test.each(Object.entries(USES))('refuses %s when a link took the place of the directory', (_, use) => {
    const { base, d, path } = scene(false);
    fs.renameSync(path, `${base}/moved`);
    fs.symlinkSync('../out', path);
    expect(() => use(d)).toThrow(CONFLICT);
    expect(d.isHeld).toBe(false);
  });

  test.each(Object.entries(USES))(
    'refuses %s when the directory itself was moved out, and a link leads to it',
    (_, use) => {
      const { base, d, path } = scene(false);
      fs.renameSync(path, `${base}/moved`);
      fs.symlinkSync('../moved', path);
      expect(() => use(d)).toThrow(CONFLICT);
    },
  );

  test.each(Object.entries(USES))('refuses %s when another directory took the place', (_, use) => {
    const { base, d, path } = scene(false);
    fs.renameSync(path, `${base}/moved`);
    fs.renameSync(`${base}/out`, path);
    expect(() => use(d)).toThrow(CONFLICT);
  });

  test('opens no file in a directory that was moved out, though it is the file that was seen', () => {
    const { base, d, path } = scene(false);
    const file = d.child('f.txt');
    fs.renameSync(path, `${base}/moved`);
    fs.symlinkSync('../moved', path);
    expect(() => file.open()).toThrow(CONFLICT);
  });

  test('opens no other file than the one that was seen, and waits for no FIFO', { timeout: 5_000 }, () => {
    const { base, d, path } = scene(false);
    const open = () => d.child('f.txt').open();
    expect(readAll(open())).toBe('inside');
    const file = d.child('f.txt');
    fs.renameSync(`${path}/f.txt`, `${path}/kept`);
    makeTree(path, { 'f.txt': { fifo: true } });
    expect(() => file.open()).toThrow(CONFLICT);
    fs.rmSync(`${path}/f.txt`);
    fs.renameSync(`${base}/out/f.txt`, `${path}/f.txt`);
    expect(() => file.open()).toThrow(CONFLICT);
    fs.rmSync(`${path}/f.txt`);
    fs.symlinkSync('kept', `${path}/f.txt`);
    expect(() => file.open()).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });

  test('leaves the process where it was', () => {
    const { base, d, path } = scene(false);
    const before = process.cwd();
    d.child('f.txt');
    expect(() => d.child('none')).toThrow();
    fs.renameSync(path, `${base}/moved`);
    fs.symlinkSync('../moved', path);
    expect(() => d.child('f.txt')).toThrow(CONFLICT);
    expect(process.cwd()).toBe(before);
  });

  test.skipIf(!fs.existsSync('/proc/self/fd'))('holds no descriptor of what it refused', () => {
    const { base, d, path } = scene(false);
    const file = d.child('f.txt');
    fs.rmSync(`${path}/f.txt`);
    fs.renameSync(`${base}/out/f.txt`, `${path}/f.txt`);
    const before = fs.readdirSync('/proc/self/fd').length;
    expect(() => file.open()).toThrow(CONFLICT);
    expect(fs.readdirSync('/proc/self/fd').length).toBe(before);
  });
});
