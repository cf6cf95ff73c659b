import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { descendantsOf, endSupervisor } from './end-supervisor.ts';

/** A process that does not mind the end of its socket, with a child in a session of its own, whose number it tells. */
async function startDeaf() {
  const script = 'trap "" TERM; setsid sleep 300 & echo $! >&3; wait; while :; do sleep 300; done';
  const child = spawn('/bin/bash', ['-c', script], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const socket = child.stdio[3] as Socket;
  const [told] = (await once(socket, 'data')) as [Buffer];
  return { child, socket, descendant: Number(told) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.skipIf(process.platform !== 'linux')(
  'ends what is below a supervisor that does nothing, and then itself',
  async () => {
    const { child, socket, descendant } = await startDeaf();
    child.kill('SIGSTOP');
    const ended = once(child, 'exit');
    endSupervisor({ socket, process: child });
    expect(isAlive(descendant)).toBe(true);
    expect(await ended).toEqual([null, 'SIGKILL']);
    await expect.poll(() => isAlive(descendant)).toBe(false);
  },
);

test('finds nothing below a process that could not be started', () => {
  expect(descendantsOf(0)).toEqual([]);
});
