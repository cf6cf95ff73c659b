import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const FILES = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`deep/${i}.txt`, `${i}\n`]));

/** A jinn whose pipe stays open, and its answers as they come. */
function start(files = FILES) {
  const cwd = makeTempDirectory();
  makeTree(cwd, files);
  const child = spawn(process.execPath, [JINN], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    cwd,
    child,
    send: (request: object) => child.stdin.write(`${JSON.stringify(request)}\n`),
    answer: async () => JSON.parse((await lines.next()).value as string),
  };
}

const exitOf = async (child: ChildProcess) => (await once(child, 'close'))[0];
const stat = (file: string, more = {}) => ({ tool: 'stat_file', args: { path: file }, ...more });

test('answers each request of a session before the next is sent', async () => {
  const { child, send, answer } = start();
  for (let i = 0; i < 20; i++) {
    send(stat(`deep/${i}.txt`, { request_id: i }));
    expect(await answer()).toMatchObject({ ok: true, request_id: i });
  }
  child.stdin.end();
  expect(await exitOf(child)).toBe(0);
});

test('answers parallel requests, and those after them, all of them once', async () => {
  const { child, send, answer } = start();
  const ids = Array.from({ length: 60 }, (_, i) => i);
  for (const id of ids) send(stat(`deep/${id}.txt`, { request_id: id, parallel: id % 3 === 0 }));
  child.stdin.end();
  const seen: number[] = [];
  for (const _ of ids) seen.push((await answer()).request_id);
  expect(seen.toSorted((a, b) => a - b)).toEqual(ids);
  const ordered = seen.filter((id) => id % 3 !== 0);
  expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
  expect(await exitOf(child)).toBe(0);
});

test('answers what came before a long call while that still runs', async () => {
  const { child, answer, cwd } = start();
  const wait = { tool: 'run_shell', args: { command: 'until [ -e go ]; do sleep 0.02; done' } };
  // More than are read at once stand behind it.
  const requests = [stat('deep/1.txt'), wait, ...Array.from({ length: 20 }, () => stat('deep/2.txt'))];
  child.stdin?.end(requests.map((request) => JSON.stringify(request)).join('\n'));
  expect(await answer()).toMatchObject({ ok: true });
  makeTree(cwd, { go: '' });
  for (const _ of requests.slice(1)) expect(await answer()).toMatchObject({ ok: true });
});

/** Runs a shell pipeline with jinn in it. */
function shell(script: string) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n', 'big.txt': `${'x'.repeat(99)}\n`.repeat(500) });
  const env = { ...process.env, JINN: `'${process.execPath}' '${JINN}'` };
  return spawnSync('bash', ['-c', script], { cwd, encoding: 'utf8', env });
}

const REQUEST = '{"tool":"read_file","args":{"path":"big.txt"}}';
const hasPerl = spawnSync('perl', ['-e', '0']).status === 0;

/** Runs jinn with O_NONBLOCK set on one of its standard descriptors, as a parent may leave them. */
const nonBlocking = (stream: 'STDIN' | 'STDOUT') =>
  `perl -MFcntl -e 'fcntl(${stream}, F_SETFL, O_NONBLOCK) or die; exec "$ENV{JINN}"'`;

test.skipIf(!hasPerl)('reads on where standard input does not wait', () => {
  const { stdout, status } = shell(`(sleep 0.3; echo '${REQUEST}') | ${nonBlocking('STDIN')}`);
  expect([JSON.parse(stdout).ok, status]).toEqual([true, 0]);
});

test.skipIf(!hasPerl)('writes on where standard output does not wait', () => {
  const requests = `for i in $(seq 20); do echo '${REQUEST}'; done`;
  const { stdout } = shell(`(${requests}) | ${nonBlocking('STDOUT')} | (sleep 0.3; cat)`);
  const answers = stdout.trimEnd().split('\n');
  expect(answers.map((line) => JSON.parse(line).ok)).toEqual(Array(20).fill(true));
});

test('ends quietly when its reader has gone', () => {
  const requests = `for i in $(seq 50); do echo '${REQUEST}'; done`;
  const { stdout, stderr } = shell(`(${requests}) | eval "$JINN" | head -c 1; echo " \${PIPESTATUS[1]}"`);
  expect({ stdout, stderr }).toEqual({ stdout: '{ 1\n', stderr: '' });
});

test('reads a request from a file', () => {
  const { stdout } = shell(`echo '${REQUEST}' > request.json; eval "$JINN" < request.json`);
  expect(JSON.parse(stdout).ok).toBe(true);
});
