import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ENV = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['JINN_TEST_CA_CERTS'] };
/** A shim that starts the tests may name the modules of this clone. */
const INSTALLED = { ...process.env, NODE_PATH: '' };
const APP = path.resolve(import.meta.dirname, '..');
const GRAMMARS = path.resolve(APP, '../../packages/grammars');

test('npm pack gives a tarball that npm install -g turns into a working jinn', { timeout: 900_000 }, () => {
  const directory = makeTempDirectory();
  const npm = (...args: string[]) =>
    execFileSync('npm', ['--loglevel=error', ...args], {
      cwd: directory,
      encoding: 'utf8',
      env: ENV,
      timeout: 840_000,
    });
  const [packed] = JSON.parse(npm('pack', APP, '--json')) as [
    { filename: string; version: string; files: { path: string }[] },
  ];
  const names = packed.files.map((file) => file.path);
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/jinn.cjs', 'package.json']));
  expect(names.filter((name) => name.startsWith('src') || name.endsWith('.cache'))).toEqual([]);

  // SQLite, which only the undo history needs, is compiled for a minute on Node 20: once for CI is enough.
  const speed = process.env['CI'] ? [] : ['--ignore-scripts'];
  npm('install', ...speed, '--global', '--prefix', directory, path.join(directory, packed.filename));
  const workspace = path.join(directory, 'workspace');
  makeTree(workspace, { 'a.txt': 'one\n', 'a.ts': 'export class Cart {}\n' });
  const jinn = path.join(directory, 'bin/jinn');
  const call = (tool: string, args: object) => {
    const input = JSON.stringify({ tool, args });
    return JSON.parse(spawnSync(jinn, { cwd: workspace, env: INSTALLED, input, encoding: 'utf8' }).stdout);
  };
  expect(call('read_file', { path: 'a.txt', line_numbers: false })).toMatchObject({ ok: true, result: 'one\n' });
  // What runs in other processes and threads is in the package too.
  expect(call('run_shell', { command: 'echo two' }).result).toContain('two');
  const replacing = { pattern: 'o(n)e', replacement: '$1', files: 'a.txt', dry_run: true };
  expect(call('search_replace', replacing).result).toContain('+n');

  // Without grammars of its own, it takes those of the package that programs share.
  const installed = path.join(directory, 'lib/node_modules/jinn');
  fs.rmSync(path.join(installed, 'dist/grammars'), { recursive: true });
  // Security: what lies beside a workspace is none of its files.
  makeTree(directory, { 'dist/web-tree-sitter.cjs': `require('node:fs').writeFileSync('trapped', '')` });
  fs.copyFileSync(
    path.join(GRAMMARS, 'dist/web-tree-sitter.wasm.gz'),
    path.join(directory, 'dist/web-tree-sitter.wasm.gz'),
  );
  const outline = () => call('read_file', { path: 'a.ts', outline: true });
  expect(outline()).toMatchObject({ ok: false });
  expect(fs.existsSync(path.join(workspace, 'trapped'))).toBe(false);
  const [shared] = JSON.parse(npm('pack', GRAMMARS, '--json')) as [{ filename: string; version: string }];
  expect(shared.version).toBe(packed.version);
  npm('install', '--global', '--prefix', directory, path.join(directory, shared.filename));
  expect(outline()).toMatchObject({ ok: true, result: expect.stringContaining('class Cart') });
});
