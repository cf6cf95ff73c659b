import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openWorkspace } from './workspace.ts';

test('reads a file', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a/b.txt': 'hello', l: { symlink: 'a/b.txt' }, out: { symlink: '/etc/passwd' } });
  const ws = openWorkspace({ root });
  expect(ws.withFile('a/b.txt', (f) => f.slice(0, 5).toString())).toBe('hello');
  expect(ws.withFile('l', (f) => f.path)).toBe('a/b.txt');
  expect(() => ws.withFile('out', (f) => f.path)).toThrow('outside');
  await ws.withDirectory('a', async (d) => expect(d.child.length).toBe(1));
  ws.close();
});
