import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findSandbox } from '../find-sandbox.ts';
import { makeScene } from '../fixture/sandbox-scene.ts';
import { WorkspaceScanner } from './workspace-scan.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(sandbox.name !== 'bubblewrap');
const onLinux = test.skipIf(process.platform !== 'linux');

/** Goes down into directories of long names, and leaves something there. */
function goDeep(root: string, levels: number, width: number, leave = 'true'): void {
  onTestFinished(() => void execFileSync('rm', ['-rf', `${root}/${'0'.repeat(width)}`])); // Node cannot.
  const script = `use strict; my $name = "0" x ${width}; for (1 .. ${levels}) { mkdir $name; chdir $name or die } exec "bash", "-c", $ARGV[0]`;
  execFileSync('perl', ['-e', script, leave], { cwd: root });
}

function makeMany(root: string, count: number): void {
  for (let i = 0; i < count; i++) fs.mkdirSync(`${root}/d${i}/e`, { recursive: true });
}

test('refuses a workspace with more directories than it looks into, and misses none below that', async () => {
  const root = makeTempDirectory();
  makeTree(root, Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i}/.env`, ''])));
  expect((await new WorkspaceScanner(31).scan(root)).secrets).toHaveLength(30);
  await expect(new WorkspaceScanner(30).scan(root)).rejects.toThrow(/more than 30 directories/);
});

onLinux('looks into directories that no path reaches, and lets go of what it held', async () => {
  const root = makeTempDirectory();
  goDeep(root, 50, 200, 'echo x > .env; mkdir .git');
  goDeep(root, 400, 20);
  const open = () => fs.readdirSync('/proc/self/fd').length;
  const before = open();
  const { secrets, gits } = await new WorkspaceScanner().scan(root);
  expect(secrets.map((path) => path.length)).toEqual([root.length + 50 * 201 + 5]);
  expect(gits).toEqual([secrets[0]?.replace(/env$/, 'git')]);
  expect(open()).toBe(before);
});

onLinux('hides as a whole what is deeper than 16 KiB of path', async () => {
  const root = makeTempDirectory();
  goDeep(root, 100, 200, 'echo x > .env');
  const { secrets } = await new WorkspaceScanner().scan(root);
  expect(secrets).toHaveLength(1);
  expect(secrets[0]?.length).toBeGreaterThan(16 * 1024);
});

test('is ended by its signal while it looks', async () => {
  const root = makeTempDirectory();
  makeMany(root, 3_000);
  const stopper = new AbortController();
  const looking = new WorkspaceScanner().scan(root, { signal: stopper.signal });
  stopper.abort();
  await expect(looking).rejects.toMatchObject({ code: 'timeout' });
});

test('is ended by its signal, and knows a directory until it changes', async () => {
  const root = makeTempDirectory();
  makeMany(root, 100);
  const scanner = new WorkspaceScanner();
  await expect(scanner.scan(root, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'timeout' });
  expect((await scanner.scan(root)).secrets).toEqual([]);
  makeTree(root, { 'd7/e/.env': '' });
  expect((await scanner.scan(root)).secrets).toEqual([`${root}/d7/e/.env`]);
  fs.renameSync(`${root}/d7`, `${root}/moved`);
  expect((await scanner.scan(root)).secrets).toEqual([`${root}/moved/e/.env`]);
});

withSandbox(
  'runs commands beside a deep directory, hides what is in it, and leaves nothing for git there',
  async () => {
    const { root, run } = makeScene({ files: { 'sub/.env': 'hunter2' } });
    const down = 'p=$(printf "%0200d" 0); for i in $(seq 25); do mkdir -p $p && cd $p; done';
    expect((await run(down)).exitCode).toBe(0);
    expect((await run('echo hi')).stdout).toBe('hi\n');
    onTestFinished(() => void execFileSync('bash', ['-c', `rm -rf ${root}/0*`]));
    const trap = `git init -q r; git -C r config core.fsmonitor evil; ${down}; mv ${root}/r ${root}/sub .`;
    expect((await run(trap)).undone.map(({ what }) => what)).toEqual(['core.fsmonitor']);
    expect((await run(`${down}; cat sub/.env`)).stdout).toBe('');
    const { secrets } = await new WorkspaceScanner().scan(root);
    expect(secrets.map(({ length }) => length > 5_000)).toEqual([true]);
    const removed = await run(`mkdir other; cd other; ${down}; cd ${root}; rm -r other`);
    expect(removed.exitCode).toBe(0);
  },
);

withSandbox('counts the look at the workspace against the deadline, and tells it apart from the command', async () => {
  const { root, confinement } = makeScene();
  makeMany(root, 100);
  const { confine } = await import('../start-confined.ts');
  const looking = confine(['true'], { ...confinement, signal: AbortSignal.abort() });
  await expect(looking).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('did not run') });
});

withSandbox('refuses the whole system as a workspace', async () => {
  const { confinement } = makeScene();
  const { confine } = await import('../start-confined.ts');
  await expect(confine(['true'], { ...confinement, root: '/', cwd: '/' })).rejects.toMatchObject({
    code: 'command_blocked',
    message: expect.stringContaining('the whole system'),
  });
});
