import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const TYPESCRIPT = path.join(
  path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
);
/** The directory is on PATH, for the first line of tsc. */
const PROGRAMS = { tsc: { symlink: TYPESCRIPT }, node: { symlink: process.execPath } };

const PROJECT = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true } }\n',
  'a.ts': 'export const one = 1;\n',
  'b.ts': "import { one } from './a';\nconsole.log(one);\n",
  'main.rs': 'fn main() {}\n',
};

/** Runs jinn in a fresh project, with the server of TypeScript on PATH, and returns its answers. */
function run(requests: readonly object[], argv: readonly string[] = []) {
  const [root, home, bin] = [makeTempDirectory(), makeTempDirectory(), makeVisibleDirectory()];
  makeTree(root, PROJECT);
  makeTree(bin, PROGRAMS);
  makeTree(home, { 'jinn/config.json': '{ "lsp": { "diagnose_wait_ms": 15000 } }' });
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, JINN_CONFIG_DIR: home, XDG_CACHE_HOME: home };
  const start = (given: readonly object[]) => {
    const input = given.map((request) => `${JSON.stringify(request)}\n`).join('');
    return spawnSync(process.execPath, [JINN, ...argv], { cwd: root, env, input, encoding: 'utf8' });
  };
  const { stdout } = start(requests);
  const running = execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).split('\n');
  return {
    stdout,
    left: running.filter((line) => line.includes(bin)),
    read: (name: string) => read(root, name),
    again: (more: readonly object[]) => answersOf(start(more)),
  };
}

/** Not in /tmp, which is another directory in the sandbox. */
function makeVisibleDirectory(): string {
  const directory = fs.mkdtempSync('/var/tmp/jinn-test-');
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  return directory;
}

function read(root: string, name: string): string {
  return fs.readFileSync(path.join(root, name), 'utf8');
}

function answersOf({ stdout }: { stdout: string }) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const lsp = (args: object) => ({ tool: 'lsp_query', args });

test('answers a single request, and leaves no server behind', () => {
  const result = run([lsp({ action: 'definition', path: 'b.ts', line: 2, symbol: 'one' })]);
  expect(answersOf(result)).toMatchObject([{ ok: true, result: 'a.ts:1:14  export const one = 1;' }]);
  expect(result.left).toEqual([]);
});

test('a session renames with one undo, and says what a write broke', () => {
  const renamed = lsp({ action: 'rename', path: 'a.ts', symbol: 'one', new_name: 'uno', apply: true });
  const result = run([
    lsp({ action: 'diagnostics', path: 'b.ts' }),
    renamed,
    { tool: 'write_file', args: { path: 'a.ts', content: 'export const two = 1;\n' } },
  ]);
  const [clean, rename, write] = answersOf(result);
  expect(clean).toMatchObject({ ok: true, result: 'no diagnostics found' });
  expect(rename).toMatchObject({ ok: true, meta: { diagnostics: { new: [], fixed: [] } } });
  expect(write).toMatchObject({ ok: true, meta: { diagnostics: { new: [expect.stringContaining("'uno'")] } } });
  expect(result.read('b.ts')).toContain('uno');
  expect(result.left).toEqual([]);
  const other = run([lsp({ action: 'diagnostics', path: 'b.ts' }), renamed]);
  const undo = { tool: 'undo', args: { action: 'restore', id: answersOf(other)[1].meta.operation_id } };
  expect(other.again([undo])).toMatchObject([{ ok: true }]);
  expect([other.read('a.ts'), other.read('b.ts')]).toEqual([PROJECT['a.ts'], PROJECT['b.ts']]);
});

const doctor = spawnSync(process.execPath, [JINN, '--doctor'], { cwd: import.meta.dirname, encoding: 'utf8' });
const hasSandbox = doctor.stdout.includes('ok   sandbox');

test.skipIf(!hasSandbox)('the server runs in the sandbox where commands do', () => {
  const result = run([lsp({ action: 'hover', path: 'a.ts', symbol: 'one' })], ['--sandbox=require']);
  expect(answersOf(result)).toMatchObject([{ ok: true, result: expect.stringContaining('const one: 1') }]);
  expect(result.left).toEqual([]);
});

test('--doctor says which servers there are for the languages of the project', () => {
  const { stdout } = run([], ['--doctor']);
  expect(stdout).toMatch(/^ok {3}language server {2}TypeScript \(2 files\): typescript, \/.*\/tsc$/m);
  expect(stdout).toMatch(/^NO {3}language server {2}Rust \(1 file\): .*rustup component add rust-analyzer/m);
});
