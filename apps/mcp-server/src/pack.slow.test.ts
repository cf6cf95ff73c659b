import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ENV = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['JINN_TEST_CA_CERTS'] };
const APP = path.resolve(import.meta.dirname, '..');

test('npm pack gives a tarball that npm install -g turns into a working jinn-mcp', { timeout: 300_000 }, () => {
  const directory = makeTempDirectory();
  const npm = (...args: string[]) =>
    execFileSync('npm', ['--loglevel=error', ...args], {
      cwd: directory,
      encoding: 'utf8',
      env: ENV,
      timeout: 240_000,
    });
  const [packed] = JSON.parse(npm('pack', APP, '--json')) as [{ filename: string; files: { path: string }[] }];
  const names = packed.files.map((file) => file.path);
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/jinn-mcp.cjs', 'package.json']));
  expect(names.filter((name) => name.startsWith('src'))).toEqual([]);

  // What needs SQLite is tested with jinn.
  npm(
    'install',
    '--ignore-scripts',
    '--omit=optional',
    '--global',
    '--prefix',
    directory,
    path.join(directory, packed.filename),
  );
  fs.writeFileSync(path.join(directory, 'a.txt'), 'one\n');
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read_file', arguments: { path: 'a.txt' } },
  };
  const program = path.join(directory, 'bin/jinn-mcp');
  const output = execFileSync(program, { cwd: directory, input: `${JSON.stringify(call)}\n`, encoding: 'utf8' });
  expect(JSON.parse(output)).toMatchObject({
    id: 1,
    result: { content: [{ text: '1\tone' }] },
  });
  const page = { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'ui://jinn/result.html' } };
  const read = execFileSync(program, { cwd: directory, input: `${JSON.stringify(page)}\n`, encoding: 'utf8' });
  expect(JSON.parse(read)).toMatchObject({
    result: { contents: [{ text: expect.stringMatching(/^<!doctype html>/) }] },
  });
  expect(execFileSync(program, ['install', 'goose', '--print'], { cwd: directory, encoding: 'utf8' })).toContain(
    'cmd: ',
  );
  const { status, stderr } = spawnSync(program, ['status'], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: directory },
  });
  const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
  expect([status, stderr.includes('no undo, no memory')]).toEqual([0, !hasSqlite]);
});
