import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ENV = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['JINN_TEST_CA_CERTS'] };
const APP = path.resolve(import.meta.dirname, '..');

test('npm pack gives a tarball that npm install -g turns into a working jinn', { timeout: 300_000 }, () => {
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
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/jinn.cjs', 'package.json']));
  expect(names.filter((name) => name.startsWith('src'))).toEqual([]);

  // SQLite, which only the undo history needs, is compiled for a minute on Node 20: once for CI is enough.
  const speed = process.env['CI'] ? [] : ['--ignore-scripts'];
  npm('install', ...speed, '--global', '--prefix', directory, path.join(directory, packed.filename));
  fs.writeFileSync(path.join(directory, 'a.txt'), 'one\n');
  const request = '{"tool":"read_file","args":{"path":"a.txt","line_numbers":false}}';
  const jinn = path.join(directory, 'bin/jinn');
  expect(JSON.parse(execFileSync(jinn, { cwd: directory, input: request, encoding: 'utf8' }))).toMatchObject({
    ok: true,
    result: 'one\n',
  });
});
