import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerProcess } from '../index.ts';
import { findSandbox } from './find-sandbox.ts';
import { makeHome, makeScene } from './fixture/sandbox-scene.ts';
import { startConfinedServer, temporaryInside } from './start-confined-server.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(!sandbox.works);

function start(script: string, scene: ReturnType<typeof makeScene>): Promise<ServerProcess> {
  return startProgram(['/bin/bash', '--norc', '-c', script], scene);
}

function startProgram(argv: readonly string[], { confinement }: ReturnType<typeof makeScene>): Promise<ServerProcess> {
  const command = {
    argv,
    cwd: confinement.root,
    environment: { PATH: '/usr/bin:/bin' },
  };
  return startConfinedServer(command, confinement);
}

function lineOf({ output }: ServerProcess): Promise<string> {
  return new Promise((resolve) => output.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));
}

withSandbox('a server reads its input and answers from within the sandbox', async () => {
  const outside = makeHome();
  const scene = makeScene({ files: { '.env': 'hunter2' } });
  const server = await start(
    `while read -r line; do echo "$line: $(cat .env; touch ${outside}/made made; ls)"; done 2>/dev/null`,
    scene,
  );
  server.input.write('first\n');
  expect(await lineOf(server)).toBe('first: made');
  server.input.write('second\n');
  expect(await lineOf(server)).toBe('second: made');
  expect(fs.readdirSync(outside)).toEqual([]);
  await server.stop(2_000);
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

withSandbox('a server that does not end is killed, with what it started in another session', async () => {
  const scene = makeScene();
  const server = await start(
    `trap '' TERM; setsid -f bash -c 'while :; do date +%N > alive; sleep 0.05; done'; echo up; while :; do sleep 1; done`,
    scene,
  );
  await lineOf(server);
  const alive = () => fs.readFileSync(`${scene.root}/alive`, 'utf8');
  await expect.poll(alive).toMatch(/\d/);
  await server.stop(50);
  const last = alive();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(alive()).toBe(last);
});

withSandbox('tells how a server ended, and what it said last', async () => {
  const server = await start('echo the reason >&2; exit 3', makeScene());
  expect(await server.ended).toEqual({ code: 3, signal: null });
  expect(server.stderr()).toBe('the reason\n');
});

withSandbox('the input of a server that ends early is no error of ours', async () => {
  const server = await start('exec 0<&-; echo closed; sleep 0.2', makeScene());
  await lineOf(server);
  server.input.write('x'.repeat(1 << 20));
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

withSandbox('repositories are read-only for a server', async () => {
  const scene = makeScene({ files: { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/': '', '.git/refs/': '' } });
  const server = await start('echo x > .git/config; echo x > .git/hook; ls .git', scene);
  expect(await lineOf(server)).not.toMatch(/config|hook/);
  await server.ended;
});

test('starts a server without the sandbox where the policy says off, and none where it asks for too much', async () => {
  const root = makeTempDirectory();
  const off = makeScene({ root, policy: { mode: 'off' } });
  expect(await temporaryInside(off.confinement)).toBeUndefined();
  const server = await start('echo hello', off);
  expect(await lineOf(server)).toBe('hello');
  await server.ended;
  await expect(
    startConfinedServer({ argv: ['/bin/bash'], cwd: root, environment: {} }, { ...off.confinement, network: false }),
  ).rejects.toMatchObject({ code: 'command_blocked' });
});

const RENAMEAT2 = { x64: 316, arm64: 276, riscv64: 276, loong64: 276 }[process.arch as string];

test.skipIf(sandbox.name !== 'bubblewrap' || RENAMEAT2 === undefined)(
  'a server starts although directories are swapped meanwhile, or not at all, and never sees what is hidden',
  { tags: 'slow', timeout: 60_000 },
  async () => {
    const scene = makeScene({ files: { 'one/.env': 'hunter2', 'two/.env': 'hunter2', 'one/a/.env': 'hunter2' } });
    const swap = `perl -e 'syscall(${RENAMEAT2}, -100, "one", -100, "two", 2) while 1'`;
    const job = await scene.start(swap).running;
    let started = 0;
    for (let i = 0; i < 10; i++) {
      const server = await start('cat one/.env two/.env one/a/.env two/a/.env; echo end', scene).catch((error) => {
        expect(error).toMatchObject({ code: 'command_blocked' });
      });
      if (!server) continue;
      started++;
      expect(await lineOf(server)).toBe('end');
      expect((await server.ended).code).toBe(0);
    }
    job.stop();
    await job.ended;
    expect(started).toBeGreaterThan(0);
  },
);

const SHOW = `#!/bin/sh
here=$(dirname "$0")
echo "runs $(cat "$here/part" "$here/beside" "$here/../../beside" "$@" 2>/dev/null)"
`;

withSandbox.for([
  ['with its node_modules', 'node_modules/.bin/server', 'node_modules/.bin/part', 'runs a part'],
  ['alone', 'own/server', 'own/part', 'runs'],
] as const)('a server that lies below /tmp is seen %s, and what lies beside is not', async ([, name, part, seen]) => {
  const place = fs.mkdtempSync('/tmp/jinn-test-');
  onTestFinished(() => fs.rmSync(place, { recursive: true }));
  const program = `${place}/${name}`;
  const beside = { beside: 'hunter2', 'own/beside': 'hunter2' };
  makeTree(place, { [name]: { content: SHOW, mode: 0o755 }, [part]: 'a part', ...beside });
  for (const argv of [[program], ['/bin/sh', program]])
    expect(await lineOf(await startProgram([...argv, `${place}/beside`], makeScene()))).toBe(seen);
});
