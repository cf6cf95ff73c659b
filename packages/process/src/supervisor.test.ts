import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPerl, toMessage } from './start-command.ts';

const SCRIPT = path.join(import.meta.dirname, 'supervisor.pl');
/** A system that has none of the calls. */
const NO_CALLS = ['0', '0', '0', '0', '0'];

/** Starts the script as it stands. `frames` are a letter and the text of each answer so far. */
function start() {
  const child = spawn(findPerl() as string, ['-f', SCRIPT, ...NO_CALLS], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const socket = child.stdio[3] as Socket;
  onTestFinished(() => void child.kill('SIGKILL'));
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { socket, ended, frames: () => framesIn(bytes) };
}

function framesIn(bytes: Buffer): [letter: string, text: string][] {
  const frames: [string, string][] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    if (end > bytes.length) break;
    frames.push([String.fromCharCode(bytes[at] as number), bytes.subarray(at + 5, end).toString()]);
    at = end;
  }
  return frames;
}

function message(script: string, more: { cwd?: string; environment?: Record<string, string>; argv?: string[] } = {}) {
  const { cwd = '/', environment = {}, argv = ['/bin/bash', '-c', script] } = more;
  return toMessage({ argv, cwd, environment }, '/dev/null');
}

async function finished(supervisor: ReturnType<typeof start>, commands = 1): Promise<[string, string][]> {
  const ends = () => supervisor.frames().filter(([letter]) => letter === 'x');
  await expect.poll(ends, { timeout: 15_000 }).toHaveLength(commands);
  return supervisor.frames();
}

test('runs a command, with its variables alone, and answers with frames', async () => {
  const supervisor = start();
  supervisor.socket.write(message('pwd; echo $A >&2; exit 3', { cwd: '/usr', environment: { A: 'x=y' } }));
  const frames = await finished(supervisor);
  expect(frames[0]).toEqual(['p', expect.stringMatching(/^\d+$/)]);
  expect(frames.slice(1, -1).toSorted()).toEqual([
    ['e', 'x=y\n'],
    ['o', '/usr\n'],
  ]);
  expect(frames.at(-1)).toEqual(['x', `${3 << 8} 0 0`]);
});

test('runs one command after another, however the messages are cut', async () => {
  const supervisor = start();
  for (const byte of message('echo one')) supervisor.socket.write(Buffer.of(byte));
  await finished(supervisor);
  supervisor.socket.write(message('echo two; kill -9 $$'));
  const frames = await finished(supervisor, 2);
  expect(frames.filter(([letter]) => 'ox'.includes(letter))).toEqual([
    ['o', 'one\n'],
    ['x', '0 0 0'],
    ['o', 'two\n'],
    ['x', '9 0 0'],
  ]);
});

test.each([
  [
    'a working directory that is missing',
    { cwd: '/missing' },
    'jinn: cannot enter the working directory: No such file',
  ],
  ['a program that is missing', { argv: ['/missing'] }, 'jinn: cannot run /missing: No such file'],
])('says what is wrong with %s', async (_, more, said) => {
  const supervisor = start();
  supervisor.socket.write(message('', more));
  const frames = await finished(supervisor);
  expect(frames[1]).toEqual(['e', expect.stringContaining(said)]);
  expect(frames.at(-1)).toEqual(['x', `${126 << 8} 0 0`]);
});

test('ends a command when anything comes while it runs', async () => {
  const supervisor = start();
  supervisor.socket.write(message('echo started; sleep 60'));
  await expect.poll(supervisor.frames, { timeout: 15_000 }).toContainEqual(['o', 'started\n']);
  supervisor.socket.write('!');
  expect((await finished(supervisor)).at(-1)).toEqual(['x', '9 0 0']);
});

test('ends with the socket, and a command with it', async () => {
  const idle = start();
  idle.socket.end();
  expect(await idle.ended).toBe(0);
  const busy = start();
  busy.socket.write(message('echo $$; sleep 60'));
  await expect.poll(busy.frames, { timeout: 15_000 }).toContainEqual(['o', expect.any(String)]);
  const [[, pid] = []] = busy.frames();
  busy.socket.destroy();
  expect(await busy.ended).toBe(0);
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
