import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { CommandView } from './confinement.ts';
import { findSandbox } from './find-sandbox.ts';
import { GIT, makeHome, makeScene } from './fixture/sandbox-scene.ts';
import { confine } from './start-confined.ts';
import { bubblewrapArguments } from './view/bubblewrap.ts';
import { seatbeltArguments } from './view/seatbelt.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(!sandbox.works);
const has = (program: string) => spawnSync('bash', ['-c', `command -v ${program}`]).status === 0;
withSandbox(
  'lets commands write in the workspace, in /tmp and in caches without programs, and nowhere else',
  async () => {
    const home = makeHome();
    makeTree(home, { '.cache/pip/': '', '.cache/node/': '', 'plain/': '', 'extra/': '' });
    const { root, run } = makeScene({ policy: { home, writable: [`${home}/extra`] } });
    const outside = makeHome();
    const allowed = [root, '/tmp', `${home}/.cache/pip`, `${home}/extra`];
    const places = [...allowed, `${home}/.cache`, `${home}/.cache/node`, `${home}/plain`, outside, '/usr', '/etc', '/'];
    const { stdout } = await run(
      places
        .map((place) => `(: > ${place}/jinn-probe && rm ${place}/jinn-probe && echo yes) 2>/dev/null || echo no`)
        .join('\n'),
    );
    expect(stdout.trim().split('\n')).toEqual(places.map((place) => (allowed.includes(place) ? 'yes' : 'no')));
    expect(fs.existsSync('/tmp/jinn-probe')).toBe(false);
  },
);

withSandbox(
  'lets commands write in a workspace that lies in a cache, and in what is shared of a replaced one',
  async () => {
    const home = makeHome();
    makeTree(home, { '.cache/pip/here/': '', '.npm/_cacache/': '', '.npm/_npx/': '' });
    const { run } = makeScene({
      root: `${home}/.cache/pip/here`,
      policy: { home, writable: [`${home}/.npm/_cacache`] },
    });
    await run(
      `echo a > relative; echo a > ../beside; echo a > ${home}/.npm/_cacache/file; echo a > ${home}/.npm/_npx/file`,
    );
    const written = ['.cache/pip/here/relative', '.cache/pip/beside', '.npm/_cacache/file', '.npm/_npx/file'];
    expect(written.map((file) => fs.existsSync(`${home}/${file}`))).toEqual([true, true, true, false]);
  },
);

withSandbox('hides secrets: by name in the workspace, in known places of the home, and those of jinn', async () => {
  const home = makeHome();
  const secret = 'hunter2';
  makeTree(home, {
    '.ssh/id': secret,
    '.aws/credentials': secret,
    '.netrc': secret,
    '.env': secret,
    'state/db': secret,
    'x/y': secret,
  });
  const files = {
    '.env': secret,
    'deep/er/.env.local': secret,
    'deep/.ENV': secret,
    '.env-local': secret,
    '.env ': secret,
    'deep/.ssh/id': secret,
    '.env.example': 'sample',
    'node_modules/p/a.js': 'code',
    link: { symlink: `${home}/.netrc` },
  };
  const { root, run } = makeScene({ files, policy: { home, state: [`${home}/state`], hidden: [`${home}/x`] } });
  const { stdout } = await run(`grep -rs . ${home} ${root}; cat link; echo end`);
  expect(stdout).not.toContain(secret);
  expect(stdout).toContain('.env.example:sample');
  expect(stdout).toContain('end');
  fs.writeFileSync(`${root}/deep/.env`, secret);
  expect((await run('cat deep/.env')).stdout).toBe('');
  const { stderr } = await run('rm -rf deep/er; mv .env .env2; echo x > deep/.env');
  expect(stderr.match(/busy|denied|Read-only/gi)?.length).toBeGreaterThanOrEqual(3);
  expect(fs.readFileSync(`${root}/.env`, 'utf8')).toBe(secret);
});

withSandbox(
  'has processes, hostname and System V objects of its own, and shows no environment from outside',
  async () => {
    const { run } = makeScene();
    const { stdout } = await run(
      'echo $$; ls /proc | grep -c "^[0-9]"; cat /proc/*/environ | tr "\\0" "\\n" | grep -c VITEST',
    );
    const [pid, count, leaks] = stdout.trim().split('\n').map(Number);
    expect(pid).toBeLessThan(16);
    expect(count).toBeLessThan(10);
    expect(leaks).toBe(0);
    const { stdout: names } = await run('for n in pid ipc uts mnt; do readlink /proc/self/ns/$n; done');
    for (const [i, name] of ['pid', 'ipc', 'uts', 'mnt'].entries()) {
      expect(names.split('\n')[i]).not.toBe(fs.readlinkSync(`/proc/self/ns/${name}`));
    }
    expect((await run(`kill -9 ${process.pid}; hostname evil`)).exitCode).not.toBe(0);
  },
);

withSandbox('ends what it left running', async () => {
  const { root, run } = makeScene();
  const file = path.join(root, 'alive');
  expect(await run(`(setsid bash -c 'while :; do date +%N > ${file}; sleep 0.05; done' &) ; sleep 0.3`)).toMatchObject({
    leftRunning: true,
    survivors: 0,
  });
  const seen = fs.readFileSync(file, 'utf8');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(fs.readFileSync(file, 'utf8')).toBe(seen);
});

withSandbox('commits in a worktree whose repository knows it, and opens nothing for one that pretends', async () => {
  const main = makeHome();
  const { root, run } = makeScene({ files: {} });
  fs.rmdirSync(root);
  execFileSync('bash', [
    '-c',
    `cd ${main} && git init -q && ${GIT} commit -q --allow-empty -m x && git worktree add -q ${root}`,
  ]);
  expect(await run(`echo x > a && git add a && ${GIT} commit -qm y`)).toMatchObject({ exitCode: 0 });
  expect((await run(`echo x > ${main}/.git/hooks/pre-commit; echo y > ${main}/new`)).exitCode).not.toBe(0);
  expect((await run('echo gitdir: /elsewhere > .git')).exitCode).not.toBe(0);

  const victim = makeHome();
  const pretender = makeScene({ files: { '.git': `gitdir: ${victim}/.git/worktrees/x\n` } });
  makeTree(victim, {
    '.git/worktrees/x/gitdir': '/elsewhere/.git\n',
    '.git/HEAD': '',
    '.git/objects/': '',
    '.git/refs/': '',
  });
  expect((await pretender.run(`echo x > ${victim}/.git/evil`)).exitCode).not.toBe(0);
});

withSandbox('leaves the network out when it is told to', async () => {
  const probe = 'cat < /dev/tcp/127.0.0.1/9; grep -c : /proc/net/dev';
  const { stdout } = await makeScene({ network: false }).run(probe);
  expect(stdout.trim()).toBe('1');
  const outside = execFileSync('grep', ['-c', ':', '/proc/net/dev'], { encoding: 'utf8' });
  expect((await makeScene().run(probe)).stdout).toBe(outside);
});

const CERTIFICATES = process.env['JINN_TEST_CA_CERTS'];

test.for([
  ['git', 'git --version'],
  ['npm', 'npm test'],
  ['node', 'node -e "console.log(1)"'],
  ['python3', 'python3 -c "import ssl, tempfile; tempfile.TemporaryFile(); print(1)"'],
  ['awk', 'awk "BEGIN { print 1 }"'],
  ['perl', 'perl -e "print 1"'],
  ['curl', `curl -sS --max-time 5 -o /dev/null https://localhost:1/ 2>&1 | grep -v -i certificate`],
  ['make', 'make -v'],
] as const)('%s works inside', async ([program, command], { skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  if (!has(program)) skip(`there is no ${program}`);
  const home = os.homedir();
  const { run } = makeScene({ files: { 'package.json': '{"scripts":{"test":"node -e 0"}}' }, policy: { home } });
  const { exitCode, stdout, stderr } = await run(command);
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
});

test('refuses what it cannot do', async () => {
  const off = { mode: 'off' } as const;
  await expect(makeScene({ policy: off, network: false }).run('true')).rejects.toMatchObject({
    code: 'command_blocked',
    message: expect.stringContaining('needs the sandbox, which is off'),
  });
  const { confinement } = makeScene({ policy: off });
  expect(await confine(['x'], confinement)).toMatchObject({ sandbox: 'none', argv: ['x'], view: [] });
});

const BOX: CommandView = {
  ...{ cwd: '/w', writable: ['/w', '/tmp'], temporary: '/k/tmp', replaced: [{ from: '/k/npm', to: '/h/.npm' }] },
  ...{ settings: undefined, sockets: ['/h/s'], network: false, folders: [] },
  mounts: [
    { kind: 'r', path: '/w/.git/hooks', id: '1:2' },
    { kind: 'h', path: '/h/.ssh', id: undefined },
  ],
};

test('mounts with bubblewrap only what no command can move', () => {
  const line = bubblewrapArguments(BOX).join(' ');
  const places = [
    '--ro-bind / /',
    '--tmpfs /run',
    '--bind /k/tmp /tmp',
    '--bind /w /w',
    '--bind /h/s',
    '--chdir /w --',
  ];
  const found = places.map((place) => line.indexOf(place));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found).not.toContain(-1);
  expect(line).not.toContain('/w/.git');
  for (const flag of ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--cap-drop ALL'])
    expect(line).toContain(flag);
});

test('writes a profile for macOS in which the last rule decides', () => {
  const [, profile = ''] = seatbeltArguments(BOX);
  const lines = profile.split('\n');
  expect(lines.indexOf('(deny file-write*)')).toBeLessThan(
    lines.findIndex((line) => line.includes('(subpath "/tmp")')),
  );
  expect(lines.at(-1)).toBe('(deny network*)');
  expect(lines).toContain('(deny file-read* file-write* (subpath "/h/.ssh"))');
  expect(lines).toContain('(deny file-write* (subpath "/w/.git/hooks"))');
  expect(profile.match(/\(/g)?.length).toBe(profile.match(/\)/g)?.length);
});

test.skipIf(CERTIFICATES === undefined || !sandbox.works || !has('curl'))(
  'reads the certificates of the system',
  async () => {
    const { stdout } = await makeScene().run(`test -r ${CERTIFICATES} && echo yes`);
    expect(stdout).toBe('yes\n');
  },
);
