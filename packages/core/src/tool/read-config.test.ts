import fs from 'node:fs';
import { type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import { createStateFiles } from '@jinn/workspace';
import { expect, test } from 'vitest';
import { readConfig } from './read-config.ts';

function read(files: FileTree) {
  const directory = makeTempDirectory();
  makeTree(directory, files);
  return readConfig(createStateFiles(directory));
}

test('reads an object, also after a byte order mark; a file that is missing sets nothing', () => {
  expect(read({ 'config.json': '\ufeff{ "journal": "off" }\n' })).toEqual({ journal: 'off' });
  expect(read({})).toEqual({});
  expect(readConfig(createStateFiles(undefined))).toEqual({});
});

test.for([
  ['that is cut', '{', 'config.json: invalid JSON: '],
  ['with a key twice', '{"lsp":{},"lsp":{}}', 'config.json: invalid JSON: duplicate key "lsp"'],
  ['that is a list', '[]', 'config.json: it must hold an object'],
  ['that is null', 'null', 'config.json: it must hold an object'],
  ['that is a FIFO', { fifo: true }, 'config.json is not a regular file'],
  ['that is a link in a circle', { symlink: 'config.json' }, 'config.json cannot be read'],
] as const)('refuses a file %s', ([, entry, message]) => {
  expect(() => read({ 'config.json': entry })).toThrow(message);
});

test('refuses a file above 4 MiB', () => {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/config.json`, `{"a":"${'a'.repeat(4 * 1024 * 1024)}"}`);
  expect(() => readConfig(createStateFiles(directory))).toThrow('config.json is larger than 4 MiB');
});
