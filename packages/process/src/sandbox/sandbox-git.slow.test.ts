import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { findSandbox } from './find-sandbox.ts';
import { GIT, git, makeHome, makeScene } from './fixture/sandbox-scene.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(sandbox.name !== 'bubblewrap');
const ALLOW_FILES = 'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always';

/** A repository with a commit, as the person made it. */
function makeRepository(...commands: string[]) {
  const scene = makeScene({ files: { 'a.txt': 'one\n' } });
  git(scene.root, 'init -q -b main', 'config user.name me', 'config user.email me@x', 'add .', 'commit -qm one');
  for (const command of commands) execFileSync('bash', ['-c', command], { cwd: scene.root, stdio: 'pipe' });
  return { ...scene, trap: `touch ${scene.root}/TRAPPED; false`, isTrapped: () => useGit(scene.root) };
}

/** True when a program of the trap runs while the person uses git in every directory. */
function useGit(root: string): boolean {
  const use = `find . -type d -not -path '*/.git/*' | while read -r d; do (cd "$d"; git status; git add -A; git commit -qm x; git log -1; git fetch); done`;
  execFileSync('bash', ['-c', use], { cwd: root, stdio: 'ignore', env: { ...process.env, GIT_EDITOR: 'true' } });
  return fs.existsSync(`${root}/TRAPPED`);
}

const SUBMODULE = `git init -q lib && ${GIT} -C lib commit -q --allow-empty -m l && ${ALLOW_FILES} git submodule -q add ./lib libs/foo && git commit -qm sub`;
const NESTED = `git init -q nested && echo n > nested/n && ${GIT} -C nested add n && ${GIT} -C nested commit -qm n`;
const copy = (place: string) => `mkdir -p ${place}; cp -r .git/objects .git/refs .git/HEAD ${place}/;`;
const settings = (trap: string) => `printf '[core]\\n\\tfsmonitor = "${trap}"\\n'`;
const commondir = (trap: string, directory: string) =>
  `${copy('.ev')} ${settings(trap)} > .ev/config; echo $PWD/.ev > ${directory}/commondir`;

withSandbox.for([
  ['commondir', '', (trap: string) => [commondir(trap, '.git')]],
  ['commondir of a submodule', SUBMODULE, (trap: string) => [commondir(trap, '.git/modules/libs/foo')]],
  ['commondir of a worktree', 'git worktree add -q wt', (trap: string) => [commondir(trap, '.git/worktrees/wt')]],
  ['the settings', '', (trap: string) => [`git config core.fsmonitor '${trap}'`]],
  ['the settings of a submodule', SUBMODULE, (trap: string) => [`${settings(trap)} >> .git/modules/libs/foo/config`]],
  [
    'the parent of a submodule, renamed',
    SUBMODULE,
    (trap: string) => [
      `cd .git/modules; mv libs l2; mv libs/foo l3; cp -r l2 libs; cp -r l3 libs/foo; ${settings(trap)} >> libs/foo/config`,
    ],
  ],
  [
    'a nested repository, replaced',
    NESTED,
    (trap: string) => [`mv nested n2; cp -r n2 nested; ${settings(trap)} >> nested/.git/config`],
  ],
  [
    'a nested repository, replaced and changed later',
    NESTED,
    (trap: string) => ['mv nested n2; cp -r n2 nested', `${settings(trap)} >> nested/.git/config`],
  ],
  [
    'hooks that are not there yet',
    'rm -rf .git/hooks',
    (trap: string) => [
      `mkdir .git/hooks; printf '#!/bin/sh\\n${trap}\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/*`,
    ],
  ],
  ['hooks', '', (trap: string) => [`printf '#!/bin/sh\\n${trap}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/*`]],
  [
    'config.worktree',
    'git config extensions.worktreeConfig true',
    (trap: string) => [`${settings(trap)} > .git/config.worktree`],
  ],
  ['a new repository', '', (trap: string) => [`git init -q new; ${settings(trap)} >> new/.git/config`]],
  [
    'a new repository, changed later',
    '',
    (trap: string) => ['git init -q new', `${settings(trap)} >> new/.git/config`],
  ],
  [
    'a pointer to a directory that is no .git',
    '',
    (trap: string) => [`mkdir s; ${copy('s/ev')} ${settings(trap)} > s/ev/config; echo gitdir: ev > s/.git`],
  ],
  [
    'a bare repository',
    '',
    (trap: string) => [
      `${copy('bare')} ${settings(trap)} > bare/config; printf '\\tbare = false\\n\\tworktree = .\\n' >> bare/config`,
    ],
  ],
] as const)('lets nobody turn git against the person: %s', async ([, setUp, commands]) => {
  const { root, run, trap, isTrapped } = makeRepository(setUp || 'true');
  for (const command of commands(trap)) await run(command);
  expect(isTrapped()).toBe(false);
  expect(execFileSync('git', ['log', '--oneline'], { cwd: root, encoding: 'utf8' })).toContain('one');
});

withSandbox('the traps of these tests work where there is no sandbox', () => {
  for (const make of [
    (trap: string) => commondir(trap, '.git'),
    (trap: string) => `git init -q new; ${settings(trap)} >> new/.git/config`,
    (trap: string) => `mkdir s; ${copy('s/ev')} ${settings(trap)} > s/ev/config; echo gitdir: ev > s/.git`,
  ]) {
    const { root, trap, isTrapped } = makeRepository('true');
    execFileSync('bash', ['-c', make(trap)], { cwd: root });
    expect(isTrapped(), make(trap)).toBe(true);
  }
});

withSandbox('leaves to the person what is theirs', async () => {
  const { root, run } = makeRepository(
    'git config core.hooksPath hooks; git config alias.x "!true"; mkdir -p .git/hooks; echo true > .git/hooks/pre-push',
  );
  const before = fs.readFileSync(`${root}/.git/config`, 'utf8');
  expect(await run('git status && git config user.name Other')).toMatchObject({ exitCode: 0, undone: [] });
  expect(fs.readFileSync(`${root}/.git/config`, 'utf8')).toBe(before.replace('name = me', 'name = Other'));
  expect(fs.existsSync(`${root}/.git/hooks/pre-push`)).toBe(true);
  const { undone } = await run('git config alias.y "!evil"; git config user.name Third');
  expect(undone).toEqual([{ place: `${root}/.git/config`, what: 'alias.y' }]);
  const third = before.replace('name = me', 'name = Third');
  expect(fs.readFileSync(`${root}/.git/config`, 'utf8')).toBe(third);
  const { undone: taken } = await run('git config --unset core.hooksPath; git config user.name Fourth');
  expect(taken).toEqual([{ place: `${root}/.git/config`, what: 'core.hookspath' }]);
  expect(fs.readFileSync(`${root}/.git/config`, 'utf8')).toBe(third);
});

withSandbox('keeps a later push and a later collection of garbage as the person set them up', async () => {
  const { root, run } = makeRepository(
    'git init -q --bare r.git; git remote add origin $PWD/r.git; git push -q origin main:release; git push -q -u origin main',
  );
  const { undone } = await run(
    'git config remote.origin.mirror true; git update-ref -d refs/remotes/origin/release; git config gc.recentObjectsHook evil; git config gc.auto 1; git config branch.main.description text',
  );
  expect(undone.map(({ what }) => what)).toEqual(['remote.origin.mirror, gc.recentobjectshook, gc.auto']);
  git(root, 'push -q');
  expect(git(`${root}/r.git`, 'branch --list release').trim()).toBe('release');
  expect(git(root, 'config branch.main.description')).toBe('text\n');
  expect((await run('git config core.bare true')).undone).toEqual([
    { place: `${root}/.git/config`, what: 'core.bare' },
  ]);
});

withSandbox('renames a pointer to a repository that nobody looks at', async () => {
  const home = makeHome();
  fs.mkdirSync(`${home}/.cache/pip`, { recursive: true });
  const { root, trap, isTrapped } = makeRepository('mkdir s');
  const { run } = makeScene({ root, policy: { home } });
  const evil = `${home}/.cache/pip/ev`;
  const { undone } = await run(`${copy(evil)} ${settings(trap)} > ${evil}/config; echo gitdir: ${evil} > s/.git`);
  expect(undone).toEqual([{ place: `${root}/s/.git`, what: evil }]);
  expect(isTrapped()).toBe(false);
});

withSandbox('keeps repositories and the directories of submodules from being renamed or changed', async () => {
  for (const command of [
    'mv .git moved',
    'mv .git/modules .git/moved',
    'mv .git/modules/libs .git/modules/moved',
    'mv .git/modules/libs/foo .git/modules/moved',
    'rm -f .git/config',
    'echo x > .git/hooks/new',
    'echo x >> .git/modules/libs/foo/hooks/new',
    'echo x > libs/foo/.git',
  ]) {
    const { run } = makeRepository(SUBMODULE);
    expect((await run(command)).exitCode, command).not.toBe(0);
  }
});

withSandbox('leaves what the person adds to a repository that a command made', async () => {
  const { root, run } = makeRepository('true');
  await run('git clone -q . made');
  git(`${root}/made`, 'config alias.x "!true"', 'config core.hooksPath .git/hooks');
  fs.writeFileSync(`${root}/made/.git/hooks/pre-push`, 'true', { mode: 0o755 });
  const { undone } = await run(
    'cd made && git config alias.y "!evil"; echo evil > .git/hooks/pre-commit; mv ../made ../moved',
  );
  expect(undone.map(({ what }) => what).sort()).toEqual(['a hook', 'alias.y']);
  expect(git(`${root}/moved`, 'config --get-regexp alias')).toBe('alias.x !true\n');
  expect(fs.existsSync(`${root}/moved/.git/hooks/pre-push`)).toBe(true);
});

withSandbox('leaves a repository to the person that a command renames', async () => {
  const { root, run } = makeRepository(`${NESTED}; git -C nested config alias.x '!true'`);
  expect((await run('mv nested other')).undone).toEqual([]);
  expect(git(`${root}/other`, 'config alias.x')).toBe('!true\n');
  expect((await run('cd other && git config alias.y "!evil"')).undone).toHaveLength(1);
});

withSandbox('ends a command at once that leads git elsewhere', async () => {
  const { root, run, trap } = makeRepository('true');
  const started = Date.now();
  const { signal, undone } = await run(`${commondir(trap, '.git')}; sleep 60`);
  expect([signal, Date.now() - started < 30_000]).toEqual([9, true]);
  expect(undone.map(({ place }) => place)).toContain(`${root}/.git/commondir`);
  expect(fs.existsSync(`${root}/.git/commondir`)).toBe(false);
});

withSandbox('keeps a repository read-only for a job that runs on', async () => {
  const { root } = makeRepository('true');
  const { run } = makeScene({ root, lasting: true });
  expect((await run('git status && echo x > .git/commondir')).stderr).toContain('Read-only file system');
  expect((await run('git init -q made && git -C made status')).exitCode).toBe(0);
});

withSandbox.for([
  [
    'commit, stash, rebase',
    'true',
    [
      'echo b > b && git add -A && git commit -qm b',
      'echo c >> b && git stash -q && git stash pop -q',
      'git commit -qam c && git rebase -q HEAD~1 && git log --oneline',
    ],
  ],
  ['a clone', 'true', ['git clone -q . clone', 'cd clone && git status', 'rm -rf clone']],
  [
    'a worktree',
    'true',
    [
      'git worktree add -q wt',
      'cd wt && echo w > w && git add w && git commit -qm w',
      'git worktree remove wt && git branch -D wt',
    ],
  ],
  [
    'a submodule',
    SUBMODULE,
    [
      `${ALLOW_FILES} git submodule update --init`,
      'git submodule status',
      `git submodule deinit -f libs/foo && ${ALLOW_FILES} git submodule update --init`,
    ],
  ],
  [
    'push -u to a bare repository',
    'git init -q --bare remote.git; git remote add origin $PWD/remote.git',
    ['git push -q -u origin main', 'git rev-parse @{upstream} && git pull -q'],
  ],
  [
    'clean -fdx',
    'echo dist > .gitignore; git add -A; git commit -qm i',
    ['mkdir dist && touch dist/x', 'git clean -fdx'],
  ],
  [
    'a tracked .env.example',
    'echo X=1 > .env.example; git add -A; git commit -qm e',
    [
      'cat .env.example && git add -A && git diff --exit-code',
      'echo Y=2 >> .env.example',
      'git add -A && git commit -qm y && git stash list',
      'git checkout -q HEAD~1 && git checkout -q main && git rebase -q HEAD~1',
      'echo Z=3 >> .env.example && git stash -q && git stash pop -q && git diff --stat',
    ],
  ],
] as const)('git works: %s', async ([, setUp, commands]) => {
  const { run } = makeRepository(setUp);
  for (const command of commands) {
    const { exitCode, stderr, undone, denials } = await run(command);
    expect({ command, exitCode, stderr, undone, denials }).toMatchObject({ exitCode: 0, undone: [], denials: [] });
  }
});
