import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findSandbox, trialScript } from './find-sandbox.ts';
import { makeScene } from './fixture/sandbox-scene.ts';

const canConfine = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
const isRoot = process.getuid?.() === 0;

/** Runs a trial behind some program, and returns its status and what it says. */
function attempt(name: Parameters<typeof trialScript>[0], ...before: readonly string[]): [number | null, string] {
  const [program = '', ...args] = [...before, '/bin/bash', '-c', trialScript(name)];
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

/** Returns which file the record of a trial is, and its text: a new one is another file. */
function recordIn(keep: string, name = 'trial.txt') {
  const file = `${keep}/${name}`;
  return { ino: fs.statSync(file).ino, text: fs.readFileSync(file, 'utf8'), mode: fs.statSync(file).mode & 0o777 };
}

test.skipIf(!canConfine)(
  'a trial that succeeded spares later processes the trial, but not those of other networks',
  async () => {
    const [first, second] = [makeTempDirectory(), makeTempDirectory()];
    const sandbox = await findSandbox({ network: true, keep: first });
    expect(sandbox).toMatchObject({ works: true });
    expect(recordIn(first)).toMatchObject({ text: expect.stringMatching(/^[\da-f]{64}$/), mode: 0o600 });
    fs.copyFileSync(`${first}/trial.txt`, `${second}/trial.txt`);
    const copied = recordIn(second);
    // Another directory stands for another process: nothing that this one remembers applies to it.
    expect(await findSandbox({ network: true, keep: second })).toEqual(sandbox);
    expect(recordIn(second)).toEqual(copied);
    expect(await findSandbox({ network: false, keep: second })).toEqual(sandbox);
    expect(recordIn(second, 'trial-offline.txt').text).not.toBe(copied.text);
  },
);

test.skipIf(!canConfine)('a record of another system, program or trial leads to another trial', async () => {
  const keep = makeTempDirectory();
  fs.writeFileSync(`${keep}/trial.txt`, '0'.repeat(64));
  const forged = recordIn(keep);
  await findSandbox({ network: true, keep });
  expect(recordIn(keep).ino).not.toBe(forged.ino);
});

test.skipIf(!canConfine)('a record that cannot be read or kept changes nothing', async () => {
  const keep = makeTempDirectory();
  fs.mkdirSync(`${keep}/trial.txt`);
  expect(await findSandbox({ network: true, keep })).toMatchObject({ works: true });
  expect(await findSandbox({ network: true, keep: `${keep}/trial.txt/../missing/\0` })).toMatchObject({ works: true });
});

test.skipIf(!canConfine)(
  'a sandbox that fails before the command runs is tried out again by the next one',
  async () => {
    const keep = makeTempDirectory();
    const { root, start, run } = makeScene({ policy: { keep } });
    expect(await run('echo in')).toMatchObject({ stdout: 'in\n' });
    const recorded = recordIn(keep);
    const gone = makeScene({ policy: { keep }, root });
    Object.assign(gone.confinement, { cwd: `${root}/gone` });
    await expect(gone.run('echo in > made')).rejects.toMatchObject({
      code: 'command_blocked',
      message: expect.stringContaining('so the command did not run: jinn: cannot enter the working directory'),
    });
    expect(fs.readdirSync(root)).toEqual([]);
    expect(recordIn(keep).text).toBe('');
    const { running } = start('echo again');
    expect((await (await running).ended).exitCode).toBe(0);
    expect(recordIn(keep).text).toBe(recorded.text);
  },
);
