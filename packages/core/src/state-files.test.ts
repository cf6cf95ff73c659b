import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createStateFiles } from './state-files.ts';

test('writes a file that is closed to others, into a directory that it makes', () => {
  const directory = `${makeTempDirectory()}/a/jinn`;
  const files = createStateFiles(directory);
  expect(files.read('index.json')).toBeUndefined();
  files.write('index.json', 'one');
  files.write('index.json', 'zwei');
  expect(files.read('index.json')?.toString()).toBe('zwei');
  expect(fs.readdirSync(directory)).toEqual(['index.json']);
  expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
  expect(fs.statSync(`${directory}/index.json`).mode & 0o777).toBe(0o600);
});

test('replaces a link, and leaves its target alone', () => {
  const directory = makeTempDirectory();
  makeTree(directory, { 'other.json': 'other', 'index.json': { symlink: 'other.json' } });
  const files = createStateFiles(directory);
  expect(files.read('index.json')?.toString()).toBe('other');
  files.write('index.json', 'new');
  expect(fs.readFileSync(`${directory}/other.json`, 'utf8')).toBe('other');
  expect(files.read('index.json')?.toString()).toBe('new');
});

test('leaves nothing behind when it cannot write', () => {
  const directory = makeTempDirectory();
  makeTree(directory, { 'index.json/': '', 'file.json': '' });
  expect(() => createStateFiles(directory).write('index.json', 'x')).toThrow(/^could not write index\.json/);
  expect(fs.readdirSync(directory)).toEqual(['file.json', 'index.json']);
  expect(() => createStateFiles(`${directory}/file.json`).write('a.json', 'x')).toThrow(
    expect.objectContaining({ name: 'ToolError' }),
  );
});

test.for([
  ['a FIFO', { fifo: true }, 'is not a regular file'],
  ['a device', { symlink: '/dev/zero' }, 'is not a regular file'],
  ['a link in a circle', { symlink: 'x.json' }, 'cannot be read'],
] as const)('refuses to read %s', ([, entry, message]) => {
  const directory = makeTempDirectory();
  makeTree(directory, { 'x.json': entry });
  expect(() => createStateFiles(directory).read('x.json')).toThrow(`x.json ${message}`);
});

test('refuses to read a directory, and a file over 64 MiB', () => {
  const directory = makeTempDirectory();
  makeTree(directory, { 'd.json/': '', 'l.json': '' });
  fs.truncateSync(`${directory}/l.json`, 64 * 1024 * 1024 + 1);
  expect(() => createStateFiles(directory).read('d.json')).toThrow('d.json is not a regular file');
  expect(() => createStateFiles(directory).read('l.json')).toThrow('l.json is larger than 64 MiB');
});

test.for(['../x.json', '/etc/x.json', 'a/b.json', '.env.json', 'x', '', '..'])('refuses the name %j', (name) => {
  const files = createStateFiles(makeTempDirectory());
  expect(() => files.read(name)).toThrow('not the name of a state file');
  expect(() => files.write(name, '')).toThrow(expect.objectContaining({ name: 'ToolError' }));
});

test('reads nothing and refuses to write if there is no directory', () => {
  const files = createStateFiles(undefined);
  expect(files.read('x.json')).toBeUndefined();
  expect(() => files.write('x.json', '')).toThrow('there is no directory for x.json');
});
