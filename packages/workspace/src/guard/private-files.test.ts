import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createStateFiles, mayRecord } from './private-files.ts';
import { createUserFiles } from './workspace.ts';

function open(directory: string, path: string, closed: readonly string[] = []) {
  const root = createUserFiles({ home: undefined, state: undefined, closed }).openRoot(`${directory}/${path}`);
  if (!root) throw new Error('missing');
  const read = (name: string) => root.withFile(name, (file) => file.slice(0, file.size).toString());
  return { root, read, close: () => root.close() };
}

test('opens a directory to read below it, and nothing else', () => {
  const directory = makeTempDirectory();
  makeTree(directory, {
    'kb/a.md': 'a',
    'kb/out.md': { symlink: '../other.md' },
    'kb/.env': 'secret',
    'other.md': 'o',
    'state/x.md': 'x',
    link: { symlink: 'kb' },
  });
  const { root, read, close } = open(directory, 'link');
  expect(root.root).toBe(`${directory}/kb`);
  expect(read('a.md')).toBe('a');
  for (const name of ['out.md', '../other.md', '.env']) expect(() => read(name)).toThrow('blocked: ');
  close();
  const above = open(directory, '.', [`${directory}/state`]);
  expect(above.read('other.md')).toBe('o');
  expect(() => above.read('state/x.md')).toThrow('blocked: ');
  above.close();
});

test.for([
  ['a file', 'file', 'not_a_directory'],
  ['a FIFO', 'fifo', 'not_a_directory'],
  ['a secret', '.aws', 'path_outside_sandbox'],
  ['a secret that does not exist', 'x/.SSH/y', 'path_outside_sandbox'],
  ['a link to what lies in a secret', 'link', 'path_outside_sandbox'],
] as const)('refuses %s, without its path in the message, and keeps no descriptor', ([, path, code]) => {
  const directory = makeTempDirectory();
  makeTree(directory, { file: '', fifo: { fifo: true }, '.aws/kb/a.md': '', link: { symlink: '.aws/kb' } });
  const descriptors = () => (fs.existsSync('/proc/self/fd') ? fs.readdirSync('/proc/self/fd').length : 0);
  const before = descriptors();
  expect(() => open(directory, path)).toThrow(
    expect.objectContaining({ code, message: expect.not.stringContaining(directory) }),
  );
  expect(descriptors()).toBe(before);
});

test.for(['nope', 'file/x', 'dangling'])('returns undefined for %s, which is missing', (path) => {
  const directory = makeTempDirectory();
  makeTree(directory, { file: '', dangling: { symlink: 'nope' } });
  const user = createUserFiles({ home: undefined, state: undefined, closed: [] });
  expect(user.openRoot(`${directory}/${path}`)).toBeUndefined();
});

test.for(['', 'relative', '~/x', '/a\0b'])('refuses %j, which is not an absolute path', (path) => {
  const user = createUserFiles({ home: '/', state: undefined, closed: [] });
  expect(() => user.openRoot(path)).toThrow('not an absolute path');
});

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
  const atMost = { maxBytes: 4 * 1024 * 1024 };
  expect(() => createStateFiles(directory).read('l.json', atMost)).toThrow('l.json is larger than 4 MiB');
});

test.for(['../x.json', '/etc/x.json', 'a/b.json', '.env.json', 'x', '', '..'])('refuses the name %j', (name) => {
  const files = createStateFiles(makeTempDirectory());
  expect(() => files.read(name)).toThrow('not the name of a state file');
  expect(() => files.write(name, '')).toThrow(expect.objectContaining({ name: 'ToolError' }));
});

test('reads nothing below what is not a directory', () => {
  const directory = makeTempDirectory();
  makeTree(directory, { 'file.json': '' });
  expect(createStateFiles(`${directory}/file.json`).read('x.json')).toBeUndefined();
});

test('reads nothing and refuses to write if there is no directory', () => {
  const files = createStateFiles(undefined);
  expect(files.read('x.json')).toBeUndefined();
  expect(() => files.write('x.json', '')).toThrow('there is no directory for x.json');
});

test.each([
  ['nothing is there', {}, false],
  ['the page has left its mark', { 'cache/journal/live': '' }, true],
  ['config.json speaks of the journal', { 'state/config.json': '{"journal":"always"}' }, true],
  ['config.json speaks of something else', { 'state/config.json': '{"lsp":{}}' }, false],
  ['config.json is no file', { 'state/config.json': { fifo: true as const } }, false],
])('calls may have to be written down: %s', (_, files, expected) => {
  const directory = makeTempDirectory();
  makeTree(directory, files);
  expect(mayRecord({ state: `${directory}/state`, cache: `${directory}/cache` })).toBe(expected);
});
