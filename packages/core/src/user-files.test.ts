import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createUserFiles } from './user-files.ts';

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
