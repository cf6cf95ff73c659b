import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { type ServerProcess, startServer, startServerAlone } from './start-server.ts';

function start(script: string, how = startServer): ServerProcess {
  return how({ argv: [process.execPath, '-e', script], cwd: makeTempDirectory(), environment: {} });
}

/** Says the id of a child that it has started, as `options` say. */
const withChild = (options: object) => `
  const child = require('node:child_process').spawn('sleep', ['1000'], ${JSON.stringify(options)});
  process.stdin.on('end', () => process.exit()).resume();
  console.log(child.pid);
`;
const isLinux = process.platform === 'linux';

/** True while a process runs; a zombie does not. */
async function runs(pid: number): Promise<boolean> {
  const { readFileSync } = await import('node:fs');
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function firstLine(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => output.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));
}

test('a server reads its input and answers', async () => {
  const server = start('process.stdin.on("data", (chunk) => process.stdout.write("got " + chunk))');
  server.input.write('hello');
  expect(await firstLine(server.output)).toBe('got hello');
  await server.stop(1_000);
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

const WAYS = [
  ['below a supervisor', startServer],
  ['alone', startServerAlone],
] as const;

test.each(WAYS)('a server %s that ignores the end of its input and SIGTERM is killed', async (_, how) => {
  const deaf = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")';
  const server = start(deaf, how);
  await firstLine(server.output);
  await server.stop(50);
  expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test.each(WAYS)('a server %s that ignores the end of its input is asked with SIGTERM', async (_, how) => {
  const server = start(
    'process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1000); console.log("up")',
    how,
  );
  await firstLine(server.output);
  await server.stop(2_000);
  expect(await server.ended).toEqual({ code: 7, signal: null });
});

test.runIf(isLinux).each([
  ['the children of a server', startServer, { stdio: 'ignore' }],
  ['its children in a session of their own', startServer, { stdio: 'ignore', detached: true }],
  ['the children of a server without a supervisor', startServerAlone, { stdio: 'ignore' }],
] as const)('%s end with it', async (_, how, options) => {
  const server = start(withChild(options), how);
  const pid = Number(await firstLine(server.output));
  expect(await runs(pid)).toBe(true);
  await server.stop(2_000);
  await expect.poll(() => runs(pid)).toBe(false);
});

test.runIf(isLinux)('a server that kills its supervisor ends', async () => {
  const server = start('console.log(process.pid); setInterval(() => {}, 1000); process.kill(process.ppid, "SIGKILL")');
  const pid = Number(await firstLine(server.output));
  expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await expect.poll(() => runs(pid)).toBe(false);
});

test.runIf(isLinux)('a server that stops its supervisor ends when it is stopped', async () => {
  const server = start(`
    console.log(process.pid);
    setInterval(() => process.kill(process.ppid, "SIGSTOP"), 20);
  `);
  const pid = Number(await firstLine(server.output));
  await server.stop(100);
  await expect.poll(() => runs(pid)).toBe(false);
});

test('a server that cannot be started says so', async () => {
  const command = { argv: ['/nowhere/server'], cwd: '/', environment: {} };
  const server = startServer(command);
  expect(await server.ended).toEqual({ code: 126, signal: null });
  expect(server.stderr()).toContain('cannot run /nowhere/server: No such file');
  await server.stop(10);
  const alone = startServerAlone(command);
  expect(await alone.ended).toMatchObject({ error: { code: 'ENOENT' } });
  await alone.stop(10);
});

test('the end of standard error is kept, the rest is not', async () => {
  const server = start('process.stderr.write("x".repeat(300000) + "the reason", () => process.exit(3))');
  expect(await server.ended).toEqual({ code: 3, signal: null });
  await expect.poll(() => server.stderr().endsWith('the reason')).toBe(true);
  expect(server.stderr().length).toBeLessThanOrEqual(65_536);
});
