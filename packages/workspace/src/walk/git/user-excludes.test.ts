import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findUserExcludes } from './user-excludes.ts';

const FILES = { '.config/git/ignore': '', mine: '', 'sub/other': '' };

function scene(files: Record<string, string>) {
  const home = makeTempDirectory();
  makeTree(home, { ...FILES, ...files });
  return { home, find: (more = {}) => relative(home, findUserExcludes(`${home}/top`, variables(home, more))) };
}

function variables(home: string, more: Record<string, string> = {}) {
  return { HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...more };
}

function relative(home: string, found: string | undefined) {
  return found && path.relative(home, found);
}

test.each([
  ['', '.config/git/ignore'],
  ['[core]\n\texcludesFile = ~/mine\n', 'mine'],
  ['[CORE]\nEXCLUDESFILE=~/mine # a comment', 'mine'],
  ['[core] excludesFile = "~/mine" ; a comment\n', 'mine'],
  ['[core]\nexcludesFile = ~/none\nexcludesFile = ~/mi\\\nne\n', 'mine'],
  ['[core]\r\nexcludesfile = ~/mine\r\n', 'mine'],
  ['[core "x"]\nexcludesFile = ~/mine\n', '.config/git/ignore'],
  ['[user]\nexcludesFile = ~/mine\n', '.config/git/ignore'],
  ['[core]\n# excludesFile = ~/mine\n', '.config/git/ignore'],
  ['[core]\nexcludesFile = ../mine\n', 'mine'],
  ['[core]\nexcludesFile =\n', undefined],
  ['[core]\nexcludesFile = ~/none\n', undefined],
  ['[include]\npath = sub/config\n', 'sub/other'],
  ['[include]\npath = .gitconfig\n[core]\nexcludesFile = ~/mine\n', 'mine'],
])('reads %j as git does', (config, expected) => {
  const { home, find } = scene({ '.gitconfig': config, 'sub/config': '[core]\nexcludesFile = ~/sub/other\n' });
  expect(find()).toBe(expected);
  if (config.includes('path = .gitconfig')) return; // Git refuses a circle.
  const env = { PATH: process.env['PATH'], ...variables(home) };
  const byGit = execFileSync('git', ['config', '--path', '--default', '-', 'core.excludesFile'], { cwd: home, env });
  const named = byGit.toString().trim();
  if (expected !== undefined && named !== '-') expect(path.resolve(`${home}/top`, named)).toBe(`${home}/${expected}`);
});

test('reads the configuration where git does', () => {
  const { home, find } = scene({
    '.config/git/config': '[core]\nexcludesFile = ~/mine\n',
    'xdg/git/ignore': '',
    system: '[core]\nexcludesFile = ~/sub/other\n',
    global: '[core]\nexcludesFile = ~/sub/other\n',
  });
  expect(find()).toBe('mine');
  expect(find({ XDG_CONFIG_HOME: `${home}/xdg` })).toBe('xdg/git/ignore');
  expect(find({ GIT_CONFIG_GLOBAL: `${home}/global` })).toBe('sub/other');
  expect(find({ GIT_CONFIG_GLOBAL: '/dev/null' })).toBe('.config/git/ignore');
  const system = { HOME: home, GIT_CONFIG_SYSTEM: `${home}/system` };
  expect(relative(home, findUserExcludes('/', { ...system, GIT_CONFIG_GLOBAL: '' }))).toBe('sub/other');
  expect(findUserExcludes('/', {})).toBeUndefined();
});

test('waits for no FIFO in the place of the configuration', () => {
  const { home, find } = scene({});
  execFileSync('mkfifo', [`${home}/.gitconfig`]);
  expect(find()).toBe('.config/git/ignore');
  fs.rmSync(`${home}/.config/git/ignore`);
  expect(find()).toBeUndefined();
});
