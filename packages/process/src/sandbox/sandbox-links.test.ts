import fs from 'node:fs';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findSandbox } from './find-sandbox.ts';
import { GIT, git, makeHome, makeScene } from './fixture/sandbox-scene.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(sandbox.name !== 'bubblewrap');
const EVIL = `printf '[core]\\n\\tfsmonitor = touch '$PWD'/TRAPPED;:\\n\\trepositoryformatversion = 0\\n'`;

/** A repository with a commit and a submodule directory, as the person made it, and a directory outside of it. */
function makeRepository() {
  const outside = makeHome();
  const scene = makeScene({ files: { 'a.txt': 'one\n' } });
  git(scene.root, 'init -q -b main', 'config user.name Ada', 'config user.email a@b', 'add .', 'commit -qm one');
  return { ...scene, outside, trapped: () => fs.existsSync(`${scene.root}/TRAPPED`) };
}

withSandbox.each([
  ...['logs/HEAD', 'COMMIT_EDITMSG', 'FETCH_HEAD', 'packed-refs', 'index', 'gc.pid', 'logs/refs/heads', 'refs/heads/x'],
  ...['info', 'sequencer', 'rebase-merge', 'objects/ab', 'objects/info', 'objects/pack/multi-pack-index', 'gitdir'],
  ...['modules/x', 'worktrees/x', 'lfs', 'logs/refs/heads/x/objects/ab/y', 'config.worktree', 'commondir', 'any/thing'],
])('removes a link that a command puts at .git/%s, and says where it led', async (name) => {
  const { root, outside, run } = makeRepository();
  const { undone } = await run(
    `mkdir -p $(dirname .git/${name}); rm -rf .git/${name}; ln -s ${outside}/x .git/${name}`,
  );
  expect(undone).toContainEqual({ place: `${root}/.git/${name}`, what: `a link to ${outside}/x` });
  expect(fs.lstatSync(`${root}/.git/${name}`, { throwIfNoEntry: false })).toBeUndefined();
});

withSandbox(
  'removes links from worktrees, submodules, bare and new repositories, and leaves those of the person',
  async () => {
    const { root, outside, run } = makeRepository();
    git(root, 'worktree add -q wt', 'init -q .git/modules/m', 'init -q --bare bare.git', 'init -q nested');
    fs.renameSync(`${root}/.git/modules/m`, `${root}/m`);
    fs.renameSync(`${root}/m/.git`, `${root}/.git/modules/m`);
    fs.symlinkSync(outside, `${root}/nested/.git/mine`);
    const places = [
      '.git/worktrees/wt/logs/HEAD',
      '.git/modules/m/FETCH_HEAD',
      'bare.git/packed-refs',
      'new/.git/info/x',
    ];
    const links = places.map((place) => `rm -f ${place}; ln -s ${outside}/x ${place}`).join('; ');
    const { undone } = await run(`git init -q new; ${links}; mv nested moved; ln -s ../a.txt bare.git/README`);
    expect(undone.map(({ place }) => place).sort()).toEqual(places.map((place) => `${root}/${place}`).sort());
    expect(fs.readlinkSync(`${root}/moved/.git/mine`)).toBe(outside);
    expect(fs.readlinkSync(`${root}/bare.git/README`)).toBe('../a.txt');
  },
);

withSandbox('keeps the name of the person where a command sets one that other programs would run', async () => {
  const { root, run } = makeRepository();
  const { undone } = await run("git config user.name 'Ada; touch x;: #'");
  expect(undone.map(({ what }) => what)).toEqual(['user.name']);
  expect(git(root, 'config --local user.name')).toBe('Ada\n');
});

withSandbox.each(['node_modules/x', 'node_modules/@s/x', 'node_modules/a/b/c', '.env.d/r', 'b/x'])(
  'undoes the settings of a repository at %s that the index names',
  async (place) => {
    const { run, root, trapped } = makeRepository();
    const make = `mkdir -p b/objects b/refs; touch b/HEAD; git init -q ${place}; ${GIT} -C ${place} commit -q --allow-empty -m x; ${EVIL} > ${place}/.git/config`;
    const name = `git update-index --add --cacheinfo 160000,$(cat ${place}/.git/refs/heads/*),${place}`;
    await run(`${make}; ${name}`);
    git(root, 'status');
    expect(trapped()).toBe(false);
  },
);

withSandbox.each(['node_modules/x', 'node_modules/@s/x', '.env.d/r', '.env.d'])(
  'undoes the settings of a new repository at %s',
  async (place) => {
    const { run, root } = makeRepository();
    const { undone } = await run(`git init -q ${place}; ${EVIL} > ${place}/.git/config`);
    expect(undone).toEqual([{ place: `${root}/${place}/.git/config`, what: 'core.fsmonitor' }]);
  },
);

withSandbox('checks everything although one part cannot be reached or has a name that is too long', async () => {
  const { run, root } = makeScene();
  const long = 'h'.repeat(250);
  const commands = [
    `mkdir -p q/r; git init -q q/r; ${EVIL} > q/r/.git/config; chmod 555 q/r q/r/.git`,
    `git init -q hooked; mkdir -p hooked/.git/hooks; echo true > hooked/.git/hooks/${long}; chmod 311 hooked/.git/hooks`,
    'echo evil > .envrc; chmod 311 q; chmod 000 hooked',
  ];
  const { undone } = await run(commands.join('; '));
  expect(undone.map(({ place }) => place.slice(root.length + 1)).sort()).toEqual([
    '.envrc',
    `hooked/.git/hooks/${long}`,
    'q/r/.git/config',
  ]);
  expect((fs.statSync(`${root}/q`).mode & 0o777).toString(8)).toBe('311');
  fs.chmodSync(`${root}/hooked`, 0o755);
});

withSandbox(
  'renames a link of a command in the place of a directory of run files, and not one of the person',
  async () => {
    const { run, root } = makeScene();
    makeTree(root, { 'v/tasks.json': 'mine', 'own/x': '', '.zed': { symlink: 'own' } });
    const { undone } = await run('ln -s v .vscode; echo evil > own/tasks.json');
    expect(undone.map(({ place, by }) => [place.slice(root.length + 1), by]).sort()).toEqual([
      ['.vscode', 'VS Code'],
      ['own/tasks.json', 'Zed'],
    ]);
    expect(fs.readFileSync(`${root}/v/tasks.json`, 'utf8')).toBe('mine');
    expect([`${root}/.vscode`, `${root}/.zed/tasks.json`].map((path) => fs.existsSync(path))).toEqual([false, false]);
  },
);

withSandbox('has only the families of sockets that the network namespace confines, without the network', async () => {
  const script = `import socket
for family in (1, 2, 10, 16, 17, 38, 40):
  for make in (socket.socket, socket.socketpair):
    try: make(family, 1 if family != 16 else 3); print(family, 'open')
    except OSError as error: print(family, error.errno)`;
  const command = `python3 -c "${script}"`;
  const { stdout } = await makeScene({ network: false }).run(command);
  expect(stdout.match(/^\d+ open$/gm)).toEqual(['1 open', '1 open', '2 open', '10 open', '16 open']);
  expect(stdout.match(/^40 .*$/gm)).toEqual(['40 97', '40 97']);
  const server = `python3 -c "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('served')"`;
  for (const network of [true, false]) expect((await makeScene({ network }).run(server)).stdout).toBe('served\n');
});
