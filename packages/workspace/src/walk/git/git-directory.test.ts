import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../guard/index.ts';
import { walk } from '../walk.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
/** The least that makes a directory a git directory, with one rule. */
const GIT = { HEAD: 'ref: refs/heads/main\n', 'info/exclude': 'out\n' };

async function listed(root: string): Promise<string[]> {
  const workspace = openWorkspace({ root, home: '/nowhere' });
  const paths: string[] = [];
  await walk(workspace, '.', { gitignore: true, checkpoint: async () => {} }, ({ path: found, kind }) => {
    if (kind === 'file') paths.push(found);
    return undefined;
  });
  workspace.close();
  return paths;
}

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd, env });
  if (status !== 0) throw new Error(stderr.toString());
}

/** A workspace with the files `in` and `out`, and a directory beside it. */
function makeScene(workspaceFiles: Parameters<typeof makeTree>[1], outsideFiles: Parameters<typeof makeTree>[1] = {}) {
  const base = fs.realpathSync(makeTempDirectory());
  makeTree(base, { 'ws/in': '', 'ws/out': '' });
  makeTree(path.join(base, 'ws'), workspaceFiles);
  makeTree(path.join(base, 'outside'), outsideFiles);
  return { base, ws: path.join(base, 'ws'), outside: path.join(base, 'outside') };
}

describe('reads info/exclude', () => {
  test('of a git directory in the workspace, whatever leads to it', async () => {
    const inside = Object.fromEntries(Object.entries(GIT).map(([name, text]) => [`store/${name}`, text]));
    expect(await listed(makeScene({ ...inside, '.git': 'gitdir: store\n' }).ws)).not.toContain('out');
    expect(await listed(makeScene({ ...inside, '.git': { symlink: 'store' } }).ws)).not.toContain('out');
  });

  test('of a repository that holds the workspace', async () => {
    const { ws, base } = makeScene({});
    makeTree(path.join(base, '.git'), GIT);
    expect(await listed(ws)).toEqual(['in']);
  });

  test.skipIf(!hasGit)('of a worktree, from its top and from a directory in it', async () => {
    const { ws, outside } = makeScene({}, { f: '', 'd/in': '' });
    git(outside, 'init', '-q');
    git(outside, 'add', '.');
    git(outside, 'commit', '-q', '-m', 'x');
    fs.rmSync(ws, { recursive: true });
    git(outside, 'worktree', 'add', '-q', ws);
    fs.writeFileSync(path.join(outside, '.git/info/exclude'), 'out\n');
    makeTree(ws, { out: '', 'd/out': '' });
    expect(await listed(ws)).toEqual(['d/in', 'f']);
    expect(await listed(path.join(ws, 'd'))).toEqual(['in']);
  });

  test.skipIf(!hasGit)('of a submodule, when the workspace is the submodule', async () => {
    const { outside, base } = makeScene({}, { in: '' });
    git(outside, 'init', '-q');
    git(outside, 'add', '.');
    git(outside, 'commit', '-q', '-m', 'x');
    const above = path.join(base, 'above');
    fs.mkdirSync(above);
    git(above, 'init', '-q');
    git(above, 'submodule', '--quiet', 'add', outside, 'a "b" sub');
    fs.writeFileSync(path.join(above, '.git/modules/a "b" sub/info/exclude'), 'out\n');
    makeTree(path.join(above, 'a "b" sub'), { out: '' });
    expect(await listed(path.join(above, 'a "b" sub'))).toEqual(['in']);
  });
});

describe('reads no info/exclude outside of the workspace', () => {
  test.for<[string, Parameters<typeof makeTree>[1], Parameters<typeof makeTree>[1]]>([
    ['a .git file names', { '.git': 'gitdir: ../outside\n' }, GIT],
    ['a .git link leads to', { '.git': { symlink: '../outside' } }, GIT],
    ['commondir names', { '.git/HEAD': 'x', '.git/commondir': '../../outside\n' }, GIT],
    ['commondir of a directory of worktrees names', worktreeIn('.git', '../../../outside'), GIT],
    ['a link at .git/info leads to', { '.git/HEAD': 'x', '.git/info': { symlink: '../../outside/info' } }, GIT],
    [
      'a link at info/exclude leads to',
      { '.git/HEAD': 'x', '.git/info/exclude': { symlink: '../../../outside/info/exclude' } },
      GIT,
    ],
    [
      'is a worktree of another directory',
      { '.git': 'gitdir: ../outside/worktrees/a\n' },
      {
        ...GIT,
        'worktrees/a/HEAD': 'x',
        'worktrees/a/commondir': '../..\n',
        'worktrees/a/gitdir': '../../other/.git\n',
      },
    ],
    [
      'is a worktree that does not name its directory',
      { '.git': 'gitdir: ../outside/worktrees/a\n' },
      { ...GIT, 'worktrees/a/HEAD': 'x', 'worktrees/a/commondir': '../..\n' },
    ],
    [
      'is a submodule of another directory',
      { '.git': 'gitdir: ../outside/modules/a\n' },
      {
        'modules/a/HEAD': 'x',
        'modules/a/info/exclude': 'out\n',
        'modules/a/config': '[core]\n\tworktree = ../../other\n',
      },
    ],
    [
      'says that it belongs to the directory, but is no worktree and no submodule',
      { '.git': 'gitdir: ../outside\n' },
      { ...GIT, gitdir: '../ws/.git\n', config: '[core]\n\tworktree = ../ws\n' },
    ],
  ])('that %s', async ([, workspaceFiles, outsideFiles]) => {
    expect(await listed(makeScene(workspaceFiles, outsideFiles).ws)).toContain('out');
  });

  test.skipIf(!hasGit)('of a repository with a git directory of its own', async () => {
    const { ws, outside } = makeScene({});
    git(ws, 'init', '-q', '--separate-git-dir', outside);
    fs.writeFileSync(path.join(outside, 'info/exclude'), 'out\n');
    makeTree(ws, { '.gitignore': 'in\n' });
    expect(await listed(ws)).toEqual(['out']);
  });
});

/** A git directory in the workspace that has the form of a worktree's, but names a shared directory elsewhere. */
function worktreeIn(git: string, common: string) {
  return {
    [git]: 'gitdir: store/worktrees/a\n',
    'store/worktrees/a/HEAD': 'x',
    'store/worktrees/a/gitdir': '../../../.git\n',
    'store/worktrees/a/commondir': `../${common}\n`,
  };
}
