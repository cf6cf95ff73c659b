import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { copyByFingerprint, type FolderCopy, findBuilt, keepBuilt } from './copy-folder.ts';
import { describeFolder, fingerprintFolder } from './fingerprint-folder.ts';

const FILES = {
  'tool.md': 'a',
  'lib/run': { content: '#!/bin/sh\n', mode: 0o755 },
  inside: { symlink: 'lib/run' },
  'lib/up': { symlink: '../tool.md' },
} as const;

function make(more = {}): { folder: string; cache: string } {
  const folder = makeTempDirectory();
  makeTree(folder, { ...FILES, ...more });
  return { folder, cache: makeTempDirectory() };
}

function copyOf({ folder, cache }: { folder: string; cache: string }): FolderCopy {
  return copyByFingerprint(folder, cache) as FolderCopy;
}

test('the copy holds the same, closed to others, and is found again', () => {
  const made = make();
  const copy = copyOf(made);
  expect(copy.fingerprint).toBe(fingerprintFolder(made.folder));
  expect(fingerprintFolder(copy.folder)).toBe(copy.fingerprint);
  const modeOf = (file: string) => fs.statSync(`${copy.folder}/${file}`).mode & 0o777;
  expect([modeOf('tool.md'), modeOf('lib/run'), modeOf('lib'), modeOf('.')]).toEqual([0o400, 0o500, 0o700, 0o700]);
  const { ino } = fs.statSync(copy.folder);
  expect(copyOf(made)).toEqual(copy);
  expect(fs.statSync(copy.folder).ino).toBe(ino);
  expect(fs.readdirSync(`${made.cache}/tools`)).toEqual([copy.fingerprint]);
});

test.each<[string, (folder: string) => void]>([
  ['a file that was changed', (folder) => fs.writeFileSync(`${folder}/tool.md`, 'b')],
  ['a file that was added', (folder) => fs.writeFileSync(`${folder}/new`, '')],
  ['a file that was removed', (folder) => fs.rmSync(`${folder}/tool.md`)],
])('a copy with %s is made anew', (_, change) => {
  const made = make();
  const { folder } = copyOf(made);
  fs.chmodSync(`${folder}/tool.md`, 0o600);
  change(folder);
  expect(fingerprintFolder(copyOf(made).folder)).toBe(fingerprintFolder(made.folder));
});

test('a link that leads out leads there from the copy, and is named', () => {
  const outside = makeTempDirectory();
  fs.writeFileSync(`${outside}/x`, 'outside');
  const up = { symlink: `../${outside.split('/').at(-1)}/x` };
  const made = make({ out: up, absolute: { symlink: `${outside}/x` }, 'lib/odd': { symlink: 'run/../../x' } });
  const { folder } = copyOf(made);
  expect(fs.readFileSync(`${folder}/out`, 'utf8')).toBe('outside');
  expect(fs.readlinkSync(`${folder}/inside`)).toBe('lib/run');
  const out = [
    `absolute -> ${outside}/x`,
    `lib/odd -> ${made.folder}/lib/run/../../x`,
    `out -> ${made.folder}/./${up.symlink}`,
  ];
  expect(describeFolder(made.folder)).toEqual({ files: 7, linksOut: out });
  expect(describeFolder(folder)).toEqual({ files: 7, linksOut: out });
});

test('a FIFO in a folder is refused, and what cannot be read gives no copy', () => {
  const made = make({ fifo: { fifo: true } });
  expect(() => copyOf(made)).toThrow(
    expect.objectContaining({ code: 'invalid_args', message: expect.stringContaining('fifo') }),
  );
  expect(fs.readdirSync(`${made.cache}/tools`)).toEqual([]);
  expect(copyByFingerprint(`${made.folder}/none`, made.cache)).toBeUndefined();
  expect(() => copyByFingerprint(make().folder, undefined)).toThrow(expect.objectContaining({ code: 'write_failed' }));
});

test('what was copied while the folder changed has the fingerprint that it is called by', {
  timeout: 60_000,
}, async () => {
  const made = make({ big: 'x'.repeat(3_000_000) });
  const flip = `import os,time\nos.chdir(${JSON.stringify(made.folder)})\nopen('b','w').write('evil')\nopen('c','w').write('good')\nend=time.time()+4\nwhile time.time()<end:\n  os.link('b','t'); os.rename('t','tool.md'); os.link('c','t'); os.rename('t','tool.md')`;
  const { spawn } = await import('node:child_process');
  const flipping = spawn('python3', ['-c', flip]);
  let copies = 0;
  const ended = new Promise((resolve) => flipping.once('exit', resolve));
  for (const end = Date.now() + 3_500; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 1))) {
    try {
      const copy = copyByFingerprint(made.folder, made.cache);
      if (copy && ++copies) expect(fingerprintFolder(copy.folder)).toBe(copy.fingerprint);
    } catch (error) {
      expect(error).toMatchObject({ code: 'conflict' });
    }
  }
  await ended;
  expect(copies).toBeGreaterThan(0);
});

test('copies that were not used for a week are removed, others stay', () => {
  const made = make();
  const { fingerprint } = copyOf(made);
  const age = (name: string, days: number) => {
    const seconds = Date.now() / 1000 - days * 86_400;
    fs.mkdirSync(`${made.cache}/tools/${name}`, { recursive: true });
    fs.utimesSync(`${made.cache}/tools/${name}`, seconds, seconds);
  };
  age('old', 8);
  age('young', 6);
  const other = copyOf({ ...make({ other: 'x' }), cache: made.cache });
  expect(fs.readdirSync(`${made.cache}/tools`).sort()).toEqual([fingerprint, other.fingerprint, 'young'].sort());
});

test('of large copies the oldest are removed, but for those that may be in use', () => {
  const made = make();
  const large = (name: string, hours: number) => {
    const place = `${made.cache}/tools/${name}`;
    makeTree(place, { 'folder/x': '' });
    fs.truncateSync(`${place}/folder/x`, 600 * 1024 * 1024);
    fs.utimesSync(place, Date.now() / 1000 - hours * 3_600, Date.now() / 1000 - hours * 3_600);
  };
  large('older', 9);
  large('newer', 8);
  large('used', 1);
  const { fingerprint } = copyOf(made);
  expect(fs.readdirSync(`${made.cache}/tools`).sort()).toEqual([fingerprint, 'newer', 'used'].sort());
});

test('a program is kept beside its copy, for each script by its name', () => {
  const copy = copyOf(make());
  expect(findBuilt(copy, 'a/b.go')).toBeUndefined();
  const program = keepBuilt(copy, 'a/b.go', Buffer.from('#!/bin/sh\necho built\n'));
  expect(execFileSync(program, { encoding: 'utf8' })).toBe('built\n');
  expect(findBuilt(copy, 'a/b.go')).toBe(program);
  expect(findBuilt(copy, 'a_b.go')).toBeUndefined();
});
