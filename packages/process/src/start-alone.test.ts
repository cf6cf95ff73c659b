import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { startAlone } from './start-alone.ts';

const BASH = '/bin/bash';
const isAlive = (pid: number) =>
  fs.existsSync(`/proc/${pid}`) && !/^State:\tZ/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));

function start(script: string, options: { stdin?: string; environment?: Record<string, string> } = {}) {
  const output = { stdout: '', stderr: '' };
  const { stdin, environment = { PATH: '/usr/bin:/bin' } } = options;
  const command = { argv: [BASH, '-c', script], cwd: makeTempDirectory(), environment, stdin };
  const running = startAlone(command, (stream, chunk) => {
    output[stream] += chunk;
  });
  return { ...running, output };
}

test('gives status, output and error apart, and takes input', async () => {
  const { ended, output } = start('cat; echo bad >&2; exit 3', { stdin: 'in\n' });
  expect(await ended).toEqual({ exitCode: 3, signal: undefined, leftRunning: false, survivors: 0 });
  expect(output).toEqual({ stdout: 'in\n', stderr: 'bad\n' });
  expect((await start('cat').ended).exitCode).toBe(0);
  expect(await start('kill -TERM $$').ended).toMatchObject({ exitCode: 143, signal: 15 });
  expect((await start('true', { stdin: 'x'.repeat(1_000_000) }).ended).exitCode).toBe(0);
});

test('gives no environment but its own', async () => {
  const { ended, output } = start('env', { environment: { PATH: '/usr/bin:/bin', A: 'b' } });
  await ended;
  expect(output.stdout).toContain('A=b\n');
  expect(output.stdout).not.toContain('HOME=');
});

test.runIf(process.platform === 'linux')(
  'ends what a command leaves running, and all of it when it is stopped',
  async () => {
    const left = start('sleep 60 & echo $!');
    expect(await left.ended).toMatchObject({ exitCode: 0, leftRunning: true });
    await expect.poll(() => isAlive(Number(left.output.stdout))).toBe(false);
    const stopped = start('sleep 60 & echo $!; sleep 60');
    await expect.poll(() => stopped.output.stdout).toMatch(/\n/);
    stopped.stop();
    expect(await stopped.ended).toMatchObject({ exitCode: 137, signal: 9 });
    await expect.poll(() => isAlive(Number(stopped.output.stdout))).toBe(false);
    stopped.stop(); // Nothing is left to end.
  },
);

test('does not wait for what holds the pipes in another session', async () => {
  const { ended, output } = start('setsid sleep 5 & echo out');
  expect((await ended).exitCode).toBe(0);
  expect(output.stdout).toBe('out\n');
});

test('says when it cannot be started', async () => {
  const command = { argv: ['/nowhere/bash'], cwd: '/', environment: {}, stdin: undefined };
  await expect(startAlone(command, () => {}).ended).rejects.toMatchObject({ code: 'internal' });
});
