import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { startServer } from './start-server.ts';

function start(script: string) {
  return startServer({ argv: [process.execPath, '-e', script], cwd: makeTempDirectory(), environment: {} });
}

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

test('a server that ignores the end of its input and SIGTERM is killed', async () => {
  const server = start(`
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
    console.log('up');
  `);
  await firstLine(server.output);
  await server.stop(50);
  expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test.runIf(process.platform === 'linux')('the children of a server end with it', async () => {
  const server = start(`
    const child = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore' });
    process.stdin.on('end', () => process.exit()).resume();
    console.log(child.pid);
  `);
  const pid = Number(await firstLine(server.output));
  expect(await runs(pid)).toBe(true);
  await server.stop(2_000);
  await expect.poll(() => runs(pid)).toBe(false);
});

test('a server that cannot be started says so', async () => {
  const server = startServer({ argv: ['/nowhere/server'], cwd: '/', environment: {} });
  const { error } = await server.ended;
  expect((error as NodeJS.ErrnoException).code).toBe('ENOENT');
  await server.stop(10);
});

test('the end of standard error is kept, the rest is not', async () => {
  const server = start('process.stderr.write("x".repeat(300000) + "the reason", () => process.exit(3))');
  expect(await server.ended).toEqual({ code: 3, signal: null });
  await expect.poll(() => server.stderr().endsWith('the reason')).toBe(true);
  expect(server.stderr().length).toBeLessThanOrEqual(65_536);
});
