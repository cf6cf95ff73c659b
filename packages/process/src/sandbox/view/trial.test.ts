import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { trialOf } from '../find-sandbox.ts';

const canConfine = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
const isRoot = process.getuid?.() === 0;

/** Runs a trial behind some program, and returns its status and what it says. */
function attempt(name: Parameters<typeof trialOf>[0], ...before: readonly string[]): [number | null, string] {
  const [program = '', ...args] = [...before, '/bin/bash', '-c', trialOf(name)];
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', env: {} });
  return [status, stdout.trim()];
}

const READ_ONLY = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev'];

test.for(['bubblewrap', 'sandbox-exec'] as const)('a shell that nothing confines fails the trial for %s', (name) => {
  const [status, said] = attempt(name);
  expect([status, said]).toEqual([1, expect.stringMatching(/^a command can (write to|read a hidden)/)]);
});

test.skipIf(!canConfine)('each attempt of the trial for sandbox-exec fails it', () => {
  const writable = isRoot ? '/usr' : '/tmp';
  expect(attempt('sandbox-exec')).toEqual([1, `a command can write to ${writable}`]);
  expect(attempt('sandbox-exec', ...READ_ONLY, '--bind', '/tmp', '/tmp')).toEqual([1, 'a command can write to /tmp']);
  expect(attempt('sandbox-exec', ...READ_ONLY)).toEqual([1, 'a command can read a hidden file']);
  const hidden = [...READ_ONLY, '--tmpfs', '/etc'];
  expect(attempt('sandbox-exec', ...hidden)).toEqual([1, 'a command can see other processes']);
  expect(attempt('sandbox-exec', ...hidden, '--unshare-pid', '--as-pid-1', '--proc', '/proc')).toEqual([0, '']);
});

test.skipIf(!canConfine)('each attempt of the trial for bubblewrap fails it', () => {
  expect(attempt('bubblewrap', ...READ_ONLY)).toEqual([1, 'a command can read a hidden file']);
  const hidden = [...READ_ONLY, '--tmpfs', '/etc'];
  expect(attempt('bubblewrap', ...hidden)).toEqual([1, 'a command can see other processes']);
  expect(attempt('bubblewrap', ...hidden, '--unshare-pid', '--proc', '/proc')).toEqual([0, '']);
});
