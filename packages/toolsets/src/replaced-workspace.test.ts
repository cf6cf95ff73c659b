import fs from 'node:fs';
import path from 'node:path';
import { createRegistry, createSession, toEnvelope } from '@jinn/core';
import { listDir } from '@jinn/fs-tools/list-dir';
import { readFile } from '@jinn/fs-tools/read-file';
import { undo } from '@jinn/fs-tools/undo';
import { writeFile } from '@jinn/fs-tools/write-file';
import { findFiles } from '@jinn/search/find-files';
import { searchFiles } from '@jinn/search/search-files';
import { runShell } from '@jinn/shell/run-shell';
import { makeTempDirectory, makeTree, openTestMachine, toolsetOf } from '@jinn/testkit';
import { expect, test } from 'vitest';

const TOOLS = [readFile, writeFile, listDir, searchFiles, findFiles, undo, runShell];

async function openSession(files: Record<string, string>) {
  const base = makeTempDirectory();
  const root = path.join(base, 'ws');
  makeTree(root, files);
  const registry = await createRegistry({ toolsets: [toolsetOf('test', TOOLS)], version: '1', onInternalError() {} });
  const at = { ...openTestMachine({ root }), session: createSession() };
  const call = async (tool: string, args: object) => toEnvelope(await registry.call({ tool, args }, at));
  return { base, root, call };
}

test('a session goes on in the directory that has the name of its workspace now', async () => {
  const { root, call } = await openSession({ 'a.txt': 'old\n' });
  expect((await call('read_file', { path: 'a.txt' })).result).toContain('old');
  await call('list_dir', {});
  await call('search_files', { pattern: 'old' });
  fs.rmSync(root, { recursive: true });
  makeTree(root, { 'a.txt': 'new\n', 'b/c.txt': 'new\n' });
  expect((await call('run_shell', { command: 'cat a.txt' })).result).toContain('new');
  expect((await call('read_file', { path: 'a.txt' })).result).toContain('new');
  expect(JSON.parse((await call('list_dir', {})).result ?? '').entries).toEqual(['a.txt', 'b/', 'b/c.txt']);
  expect((await call('search_files', { pattern: 'new', format: 'filenames' })).result).toBe('a.txt: 1\nb/c.txt: 1');
  expect((await call('find_files', { pattern: '*.txt' })).result).toContain('b/c.txt');
  expect(await call('write_file', { path: 'd.txt', content: 'x' })).toMatchObject({ ok: true });
  expect(fs.readFileSync(path.join(root, 'd.txt'), 'utf8')).toBe('x');
});

test('every tool refuses to work when the workspace was moved, and nothing is written', async () => {
  const { base, root, call } = await openSession({ 'a.txt': 'old\n' });
  await call('read_file', { path: 'a.txt' });
  fs.renameSync(root, path.join(base, 'moved'));
  const calls = [
    ['read_file', { path: 'a.txt' }],
    ['write_file', { path: 'a.txt', content: 'x' }],
    ['list_dir', {}],
    ['search_files', { pattern: 'old' }],
    ['find_files', { pattern: '*' }],
    ['undo', { action: 'list' }],
    ['run_shell', { command: 'touch b.txt' }],
  ] as const;
  for (const [tool, args] of calls) {
    const answer = await call(tool, args);
    expect([tool, answer.error_code, answer.suggestion]).toEqual([
      tool,
      'unavailable',
      expect.stringMatching('new session'),
    ]);
  }
  expect(fs.readdirSync(base)).toEqual(['moved']);
  expect(fs.readdirSync(path.join(base, 'moved'))).toEqual(['a.txt']);
  expect(fs.readFileSync(path.join(base, 'moved/a.txt'), 'utf8')).toBe('old\n');
});

test('the tools name no twin of a file, and restore one whose name nobody means', async () => {
  const { root, call } = await openSession({ 're\u0301sume\u0301.txt': 'one\n', 'odd ': 'odd\n' });
  expect((await call('read_file', { path: 'r\u00e9sum\u00e9.txt' })).result).toContain('one');
  expect(await call('write_file', { path: 'r\u00e9sum\u00e9.txt', content: 'two\n' })).toMatchObject({ ok: true });
  expect((await call('write_file', { path: 'odd ', content: 'new\n' })).ok).toBe(true);
  expect(fs.readdirSync(root)).toEqual(['odd ', 're\u0301sume\u0301.txt']);
  expect((await call('run_shell', { command: 'true', cwd: '$HOME/x' })).error_code).toBe('path_outside_sandbox');
  expect((await call('search_files', { pattern: 'x', path: '"odd"' })).suggestion).toBe('did you mean odd?');
  expect((await call('undo', { action: 'restore', last: 1 })).ok).toBe(true);
  expect(fs.readFileSync(path.join(root, 'odd '), 'utf8')).toBe('odd\n');
});
