import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../../index.ts';
import { findSandbox } from '../find-sandbox.ts';
import { git, makeHome, makeScene } from '../fixture/sandbox-scene.ts';
import { confine } from '../start-confined.ts';

const sandbox = await findSandbox({ network: true });
const isBubblewrap = sandbox.name === 'bubblewrap';
const withSandbox = test.skipIf(!isBubblewrap);
const RENAMEAT2 = { x64: 316, arm64: 276, riscv64: 276, loong64: 276 }[process.arch as string];
const RACE_MS = 3_000;

test.skipIf(!isBubblewrap || RENAMEAT2 === undefined)(
  'is not fooled by directories that are swapped while it is built',
  async () => {
    const home = makeHome();
    const root = `${home}/work`;
    fs.mkdirSync(root);
    fs.writeFileSync(`${home}/.bashrc`, 'as it was');
    const files = { 'x/.git/.ssh/id': '', 'sec/.env': 'hunter2', 'decoy/.env': 'none', l: { symlink: '../..' } };
    const { run, start } = makeScene({ root, files });
    git(root, 'init -q nest');
    const swap = (one: string, other: string) =>
      `perl -e 'syscall(${RENAMEAT2}, -100, "${one}", -100, "${other}", 2) while 1' &`;
    const job = await start(`${swap('x/.git', 'l')} ${swap('sec', 'decoy')} ${swap('x', 'sec')} wait`).running;
    let ran = 0;
    for (const end = Date.now() + RACE_MS; Date.now() < end; ) {
      const reading =
        'for i in 1 2 3 4; do cat sec/.env decoy/.env x/.env; done; echo evil > x/.git/.bashrc; echo evil >> nest/.git/config';
      const answer = await run(reading).catch((error: { code: string }) => error);
      if (!('stdout' in answer)) expect(answer.code).toBe('command_blocked');
      else {
        ran++;
        expect(answer.stdout).not.toContain('hunter2');
      }
      expect(fs.readFileSync(`${home}/.bashrc`, 'utf8')).toBe('as it was');
      expect(fs.readFileSync(`${root}/nest/.git/config`, 'utf8')).not.toContain('evil');
    }
    job.stop();
    await job.ended;
    expect(ran).toBeGreaterThan(0);
  },
  60_000,
);

withSandbox('runs nothing when another object stands in a protected place', async () => {
  const { root, confinement } = makeScene({ files: { 'sub/.env': 'hunter2' } });
  const { argv, view, check } = await confine(['/bin/bash', '-c', `touch ${root}/ran`], confinement);
  const other = view.map((field) => (/^\d+:\d+$/.test(field) ? '1:1' : field));
  expect(other).not.toEqual(view);
  const command = { argv, cwd: root, environment: {}, stdin: undefined };
  await expect(startCommand({ ...command, view: other }, () => {}).ended).rejects.toThrow(`changed: ${root}/sub/.env`);
  expect(fs.existsSync(`${root}/ran`)).toBe(false);
  expect(await startCommand({ ...command, view }, () => {}).ended).toMatchObject({ exitCode: 0 });
  expect(fs.existsSync(`${root}/ran`)).toBe(true);
  await check();
});

withSandbox('leaves no descriptor of its own to a command', async () => {
  expect((await makeScene().run('ls /proc/self/fd')).stdout.trim().split('\n')).toEqual(['0', '1', '2', '3']);
});

/** Something that listens at a path, or at an abstract name that begins with `@`, and says `reached`. */
async function listen(place: string): Promise<void> {
  const script = `import socket, sys
s = socket.socket(socket.AF_UNIX); p = sys.argv[1]
s.bind('\\0' + p[1:] if p[0] == '@' else p); s.listen(); print(1, flush=True)
while True: s.accept()[0].sendall(b'reached')`;
  const child = spawn('python3', ['-c', script, place], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
}

const connect = (place: string) =>
  `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('${place}'.replace('@', chr(0), 1)); print(s.recv(9))"`;

withSandbox('reaches no socket outside, with the network or without, but those that are allowed', async () => {
  const home = makeHome();
  fs.mkdirSync(`${home}/.docker/run`, { recursive: true });
  const places = [
    `${home}/any.sock`,
    `${home}/.docker/run/docker.sock`,
    `${makeTempDirectory()}/s`,
    `@jinn-${process.pid}`,
  ];
  for (const place of places) await listen(place);
  const scenes = [makeScene({ policy: { home } }), makeScene({ policy: { home }, network: false })];
  for (const { run } of scenes) {
    for (const place of places) expect((await run(connect(place))).stdout, place).not.toContain('reached');
  }
  const sockets = places.slice(0, 3);
  const allowed = makeScene({ policy: { home, sockets } });
  for (const place of sockets) expect((await allowed.run(connect(place))).stdout, place).toContain('reached');
  const offline = makeScene({ policy: { home, sockets }, network: false });
  for (const place of sockets) expect((await offline.run(connect(place))).stdout, place).not.toContain('reached');
});

withSandbox('writes to no FIFO in the home, and reads none', async () => {
  const home = makeHome();
  const fifos = [`${home}/other/control`, `${home}/a/b/pass`];
  for (const fifo of fifos) {
    fs.mkdirSync(path.dirname(fifo), { recursive: true });
    execFileSync('mkfifo', [fifo]);
  }
  const { run } = makeScene({ policy: { home } });
  const { stderr } = await run(
    fifos.map((fifo) => `timeout 2 bash -c 'echo evil 1<> ${fifo}; read -t 1 < ${fifo}'`).join('; '),
  );
  expect(stderr.match(/denied|Read-only/g)).toHaveLength(4);
});

withSandbox('reaches a socket in the workspace', async () => {
  const { root, run } = makeScene();
  await listen(`${root}/own.sock`);
  expect((await run(connect(`${root}/own.sock`))).stdout).toContain('reached');
});

test.skipIf(!isBubblewrap || process.getuid?.() !== 0)(
  'leaves the files of the system in /proc read-only for root',
  async () => {
    const { run } = makeScene();
    const entries = fs.readdirSync('/proc').filter((name) => !/^\d/.test(name));
    const probe = `for f in $(find ${entries.map((name) => `/proc/${name}`).join(' ')} -maxdepth 4 -type f -perm /222 2> /dev/null); do [ -w $f ] && echo $f; done; true`;
    expect((await run(probe)).stdout).toBe('');
    expect((await run('echo x > /proc/sys/kernel/core_pattern')).stderr).toContain('Read-only');
    expect(execFileSync('cat', ['/proc/sys/kernel/core_pattern'], { encoding: 'utf8' })).not.toBe('x\n');
  },
);

withSandbox('says what the sandbox refused, and which setting allows it', async () => {
  const home = makeHome();
  const outside = makeHome();
  const { root, run } = makeScene({ files: { 'sub/.env': 'x' }, policy: { home } });
  const denied = async (command: string) => (await run(command)).denials.map(({ place, setting }) => [place, setting]);
  expect(await denied(`touch ${outside}/x`)).toEqual([[`${outside}/x`, expect.stringContaining('writable')]]);
  expect(await denied(`echo evil >> ${outside}/y`)).toEqual([[`${outside}/y`, expect.stringContaining('writable')]]);
  expect(await denied('cat sub/.env')).toEqual([[`${root}/sub/.env`, expect.stringContaining('shown')]]);
  expect(await denied('rm -rf sub')).toEqual([[`${root}/sub/.env`, expect.stringContaining('shown')]]);
  expect(await denied('cat /nonexistent; chmod 0 sub; false')).toEqual([]);
  const offline = makeScene({ network: false });
  const { denials } = await offline.run('git ls-remote https://example.org/x.git');
  expect(denials).toEqual([expect.objectContaining({ place: 'network' })]);
});

const onlyRoot = test.skipIf(!isBubblewrap || process.getuid?.() !== 0);

onlyRoot('leaves no file that runs as its owner', async () => {
  const { root, run } = makeScene();
  const attempts = [
    'cp /bin/true a; chmod 4755 a',
    'cp /bin/true b; chmod g+s b',
    'install -m 6755 /bin/true c',
    `perl -e 'use Fcntl; sysopen(my $f, "d", O_CREAT | O_WRONLY, 04777)'`,
    `perl -e 'syscall(${process.arch === 'x64' ? 133 : 33}, "e", 0104755, 0)'`,
    `python3 -c 'import os; os.fchmod(os.open("f", os.O_CREAT), 0o4755)'`,
  ];
  for (const attempt of attempts) await run(attempt);
  expect(execFileSync('find', [root, '-perm', '/6000'], { encoding: 'utf8' })).toBe('');
  const { denials } = await run('touch g; chmod u+s g');
  expect(denials).toEqual([expect.objectContaining({ why: expect.stringContaining('runs as its owner') })]);
  expect(
    (await run('touch h && chmod 1755 h && chmod 644 h && mkdir -p i/j && cp -a i k && tar c i | tar x -C k')).exitCode,
  ).toBe(0);
});

const KEYS = { x64: [248, 250], arm64: [217, 219], riscv64: [217, 219], loong64: [217, 219] }[process.arch as string];

test.skipIf(!isBubblewrap || KEYS === undefined)('reaches no key of the session outside', async () => {
  const [add, control] = KEYS as [number, number];
  const show = `my $text = "\\0" x 99; my $n = syscall(${control}, 11, $ARGV[0] + 0, $text, 99); print substr($text, 0, $n) if $n > 0`;
  const outside = `syscall(${control}, 1, 0); my ($t, $d, $v) = ("user", "jinn-test", "hunter2"); my $k = syscall(${add}, $t, $d, $v, 7, -3); syscall(${control}, 5, $k, 0x3f3f0000); $| = 1; print $k; <STDIN>`;
  const keeper = spawn('perl', ['-e', outside], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void keeper.kill('SIGKILL'));
  const key = String(await new Promise((resolve) => keeper.stdout.once('data', resolve)));
  expect(Number(key)).toBeGreaterThan(0);
  expect(execFileSync('perl', ['-e', show, key], { encoding: 'utf8' })).toBe('hunter2');
  const adding = `perl -e 'my ($t, $d) = ("user", "x"); print syscall(${add}, $t, $d, $d, 1, -3)'`;
  expect((await makeScene().run(`perl -e '${show}' ${key}; ${adding}`)).stdout).toBe('-1');
});

onlyRoot('does not see what is mounted later', async ({ skip }) => {
  const { root, start } = makeScene({ files: { 'mnt/': '', 'started/': '' } });
  const share = `mount --bind ${root} ${root} && mount --make-shared ${root}`;
  if (spawnSync('bash', ['-c', share], { stdio: 'ignore' }).status !== 0) skip('no mounts may be made here');
  onTestFinished(() => void execFileSync('umount', ['-R', '-l', root]));
  execFileSync('mkfifo', [`${root}/go`]);
  const { running, text } = start('mkdir started/yes; read < go; cat mnt/secret; touch mnt/made');
  const command = await running;
  while (!fs.existsSync(`${root}/started/yes`)) await new Promise((resolve) => setTimeout(resolve, 10));
  execFileSync('mount', ['-t', 'tmpfs', 'x', `${root}/mnt`]);
  fs.writeFileSync(`${root}/mnt/secret`, 'hunter2');
  fs.writeFileSync(`${root}/go`, '\n');
  await command.ended;
  expect(text.stdout).toBe('');
  expect(fs.readdirSync(`${root}/mnt`)).toEqual(['secret']);
});

withSandbox('shows what is kept below /tmp, read-only, over the /tmp of commands', async () => {
  const top = makeTempDirectory(tmpdir());
  const kept = `${top}/a/kept`;
  fs.mkdirSync(kept, { recursive: true });
  fs.writeFileSync(`${kept}/output`, 'text\n');
  const { confinement } = makeScene();
  const run = async (command: string) => {
    const inside = await confine(['/bin/bash', '-c', command], { ...confinement, readable: kept });
    let text = '';
    await startCommand(
      { argv: inside.argv, view: inside.view, cwd: confinement.cwd, environment: {}, stdin: undefined },
      (_, chunk) => {
        text += chunk.toString();
      },
    ).ended;
    await inside.check();
    return text;
  };
  expect(await run(`cat ${kept}/output; touch ${kept}/x`)).toMatch(/^text\n.*Read-only file system\n$/);
  // A command puts a link in the way: later ones see what it leads to, and no mount lies there.
  await run(`mv ${top} /tmp/old && mkdir -p /tmp/other/a/kept && ln -s other ${top}`);
  expect(await run(`readlink ${top}; ls -A ${kept} /tmp/other/a/kept /tmp/old/a/kept; mount | grep -c ${top}`)).toMatch(
    /^other\n(?:(?!x\n).*\n)*0\n$/,
  );
  await run(`rm ${top} && mkdir -p ${top}/a && ln -s /tmp/other ${kept}`);
  expect(await run(`readlink ${kept}`)).toBe('/tmp/other\n');
});
