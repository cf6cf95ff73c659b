import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, onTestFinished, test } from 'vitest';
import { signalName, startCommand, startSupervisor } from './start-command.ts';

type Supervisor = ReturnType<typeof startSupervisor>;

/** Runs a script, and gives how it ended and what came, piece by piece. */
async function run(
  script: string,
  { stdin, supervisor, stopAt }: { stdin?: string; supervisor?: Supervisor; stopAt?: string } = {},
) {
  const pieces: [string, string][] = [];
  const environment = { PATH: process.env['PATH'] ?? '', A: 'x=y' };
  const command = { argv: ['/bin/bash', '-c', script], cwd: '/', environment, stdin };
  const onOutput = (stream: string, chunk: Buffer) => {
    pieces.push([stream, chunk.toString('latin1')]);
    if (stopAt !== undefined && chunk.includes(stopAt)) running.stop();
  };
  const running = startCommand(command, onOutput, supervisor);
  const ended = await running.ended;
  const of = (name: string) => pieces.flatMap(([stream, text]) => (stream === name ? [text] : [])).join('');
  return { ...ended, all: pieces.map(([, text]) => text).join(''), out: of('stdout'), err: of('stderr') };
}

test.skipIf(process.platform !== 'linux')('keeps the order of what is written to two pipes', async () => {
  const piece = fc.record({ toError: fc.boolean(), length: fc.integer({ min: 1, max: 4_000 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 60 }), async (pieces) => {
      const texts = pieces.map(({ length }, i) => String.fromCharCode(97 + (i % 26)).repeat(length));
      const script = pieces.map(({ toError }, i) => `printf %s ${texts[i]}${toError ? ' >&2' : ''}`).join('\n');
      const { all, err } = await run(script);
      expect(all).toBe(texts.join(''));
      expect(err).toBe(texts.filter((_, i) => pieces[i]?.toError).join(''));
    }),
    { numRuns: 40 / inject('runsDivisor') },
  );
});

test('passes on every byte, however much is written at once', async () => {
  const { out, err } = await run(
    'head -c 3000000 /dev/zero | tr "\\0" x; head -c 2000000 /dev/zero >&2; printf "\\xff\\x00end"',
  );
  expect([out.length, err.length, out.slice(-6)]).toEqual([3_000_005, 2_000_000, 'x\xff\0end'.slice(-6)]);
});

test('runs one command after another below one supervisor, each with what it was given', async () => {
  expect(await run('cat; echo "$A"; exit 3', { stdin: 'in\n' })).toMatchObject({ exitCode: 3, out: 'in\nx=y\n' });
  expect(await run('cat; echo again')).toMatchObject({ exitCode: 0, out: 'again\n', leftRunning: false });
  expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143, signal: 15 });
  expect(await run('trap "" TERM; kill -TERM $$; echo lives')).toMatchObject({ exitCode: 0, out: 'lives\n' });
});

test('leaves no descriptor of its own to a command', async () => {
  const { out } = await run('ls /proc/self/fd 2> /dev/null || echo 0 1 2 3');
  expect(out.trim().split(/\s+/)).toEqual(['0', '1', '2', '3']);
});

test('says that a program cannot be run', async () => {
  const command = { argv: ['/nonexistent'], cwd: '/', environment: {}, stdin: undefined };
  const said: string[] = [];
  const { exitCode } = await startCommand(command, (_, chunk) => said.push(chunk.toString())).ended;
  expect([exitCode, said.join('')]).toEqual([126, expect.stringContaining('cannot run /nonexistent')]);
});

test('stops what does not listen', async () => {
  const ended = await run('trap "" TERM INT HUP; echo deaf; while :; do sleep 1; done', { stopAt: 'deaf' });
  expect(ended).toMatchObject({ exitCode: 137, signal: 9, out: 'deaf\n', survivors: 0 });
});

test('works where the system has no such calls, but for orphans and the order', { tags: 'slow' }, async () => {
  const supervisor = startSupervisor([0, 0, 0, 0, 0]);
  expect(await run('echo out; sleep 0.1; echo err >&2; exit 4', { supervisor })).toMatchObject({
    exitCode: 4,
    all: 'out\nerr\n',
    out: 'out\n',
  });
  const left = await run('sleep 300 & echo done', { supervisor: startSupervisor([0, 0, 0, 0, 0]) });
  expect(left).toMatchObject({ exitCode: 0, out: 'done\n' });
  const supervised = { supervisor: startSupervisor([0, 0, 0, 0, 0]), stopAt: 'up' };
  const stopped = await run('sleep 300 & echo up; sleep 300', supervised);
  expect(stopped).toMatchObject({ signal: 9 });
});

test('gives the next command another supervisor when one was killed', async () => {
  expect(await run('kill -9 $PPID; sleep 300')).toMatchObject({ signal: 9, leftRunning: true });
  await sleep(50);
  expect(await run('echo fine')).toMatchObject({ exitCode: 0, out: 'fine\n' });
});

test('names signals', () => {
  expect([9, 15, 40].map(signalName)).toEqual(['SIGKILL', 'SIGTERM', 'SIG40']);
});

test('does not stop the next command when it is told late', async () => {
  const command = { argv: ['/bin/bash', '-c', 'true'], cwd: '/', environment: {}, stdin: undefined };
  const first = startCommand(command, () => {});
  await first.ended;
  // It runs below the supervisor of the first, which is idle now.
  const second = run('sleep 0.3; echo whole');
  first.stop();
  expect(await second).toMatchObject({ exitCode: 0, out: 'whole\n' });
});

/** Makes a control group; undefined if this system has none that may be made. */
function makeControlGroup(): string | undefined {
  try {
    const mounts = fs.readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const [, , , , point] = mounts.find((line) => line.includes(' - cgroup2 '))?.split(' ') ?? [];
    const group = `${point}/jinn-test-${process.pid}`;
    fs.mkdirSync(group);
    onTestFinished(() => expect.poll(() => removeGroup(group)).toBe(true));
    return group;
  } catch {
    return undefined;
  }
}

/** A group can be removed when nothing runs in it. */
function removeGroup(group: string): boolean {
  for (const pid of fs.readFileSync(`${group}/cgroup.procs`, 'utf8').trim().split('\n')) {
    if (pid) fs.writeFileSync(`${group}/../cgroup.procs`, pid);
  }
  fs.rmdirSync(group);
  return !fs.existsSync(group);
}

test('runs a command, and what it starts, in the control group that is given', async ({ skip }) => {
  const controlGroup = makeControlGroup();
  if (controlGroup === undefined) skip('this system has no control group that may be made');
  let out = '';
  const argv = ['/bin/bash', '-c', 'cat /proc/self/cgroup; (cat /proc/self/cgroup)'];
  const command = { argv, cwd: '/', environment: {}, stdin: undefined, controlGroup };
  const onOutput = (_: string, chunk: Buffer) => {
    out += chunk;
  };
  await startCommand(command, onOutput).ended;
  expect(out.match(/^0::.*\/jinn-test-\d+$/gm)?.length).toBe(2);
});

test('runs a command of no control group below another supervisor than one of a group', async () => {
  const parentOf = async (controlGroup?: string) => {
    let out = '';
    const argv = ['/bin/bash', '-c', 'echo $PPID'];
    const onOutput = (_: string, chunk: Buffer) => {
      out += chunk;
    };
    await startCommand({ argv, cwd: '/', environment: {}, stdin: undefined, controlGroup }, onOutput).ended;
    return out;
  };
  // A directory is enough: all that is written there is the process.
  const group = makeTempDirectory();
  const limited = await Promise.all(Array.from({ length: 5 }, () => parentOf(group)));
  const free = await parentOf();
  expect(limited).not.toContain(free);
  // Those in the group leave room for it.
  expect(await parentOf(group)).not.toBe(free);
  expect(await parentOf()).toBe(free);
});

test('runs nothing where its limits cannot be set', async () => {
  const command = { argv: ['/bin/true'], cwd: '/', environment: {}, stdin: undefined, controlGroup: '/nowhere' };
  expect(() => startCommand(command, () => undefined)).toThrow('its limits could not be set');
  expect(await run('echo fine')).toMatchObject({ out: 'fine\n' });
});
