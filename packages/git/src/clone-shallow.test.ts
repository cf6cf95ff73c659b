import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { cloneShallow, toRemoteUrl } from './clone-shallow.ts';

function repository(files: Parameters<typeof makeTree>[1]) {
  const root = makeTempDirectory();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  makeTree(root, files);
  git('add', '.');
  git('commit', '-q', '-m', 'x');
  return { root, git };
}

test.for([
  ['owner/name', 'https://github.com/owner/name', undefined],
  ['owner/name#v1.0', 'https://github.com/owner/name', 'v1.0'],
  ['https://example.com/a/b.git', 'https://example.com/a/b.git', undefined],
  ['gitlab.com/group/sub/name', 'https://gitlab.com/group/sub/name', undefined],
  ['git@example.com:a/b.git#dev', 'git@example.com:a/b.git', 'dev'],
  ['file:///srv/a', 'file:///srv/a', undefined],
] as const)('takes %s for an address', ([asked, url, ref]) => {
  expect(toRemoteUrl(asked)).toEqual({ url, ref });
});

test.for(['name', '--upload-pack=x', 'ext::sh -c true', 'https://-x', 'git@-oProxy:x', '../a', ''])(
  'refuses %s',
  (asked) => {
    expect(() => toRemoteUrl(asked)).toThrow('no address of a git repository');
  },
);

test('fetches as much of the history as is asked for', async () => {
  const { root, git } = repository({ a: '1\n' });
  for (const subject of ['two', 'three', 'four']) git('commit', '-q', '--allow-empty', '-m', subject);
  const directory = makeTempDirectory();
  await cloneShallow({ url: `file://${root}`, ref: undefined, directory, depth: 3, variables: process.env });
  const log = execFileSync('git', ['log', '--format=%s'], { cwd: directory, encoding: 'utf8' });
  expect(log).toBe('four\nthree\ntwo\n');
});

test('clones the last commit, and runs no hook and no filter', async () => {
  const { root, git } = repository({ a: '1\n', l: { symlink: '/etc/passwd' }, '.gitattributes': '* filter=evil\n' });
  makeTree(root, { a: '2\n' });
  git('commit', '-qam', 'y');
  const home = makeTempDirectory();
  makeTree(home, {
    trap: { content: `#!/bin/sh\ntouch ${home}/sprung\ncat\n`, mode: 0o755 },
    'template/hooks/post-checkout': { content: `#!/bin/sh\ntouch ${home}/sprung\n`, mode: 0o755 },
    '.gitconfig': `[filter "evil"]\nsmudge = ${home}/trap\nrequired = true\n[init]\ntemplateDir = ${home}/template\n`,
  });
  const directory = makeTempDirectory();
  const variables = { ...process.env, HOME: home };
  await cloneShallow({ url: `file://${root}`, ref: undefined, directory, variables });
  expect(fs.readFileSync(`${directory}/a`, 'utf8')).toBe('2\n');
  expect(fs.lstatSync(`${directory}/l`).isFile()).toBe(true);
  expect(fs.existsSync(`${home}/sprung`)).toBe(false);
  const count = execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: directory, encoding: 'utf8' });
  expect(count).toBe('1\n');
});

test('clones a branch, and says what is wrong', async () => {
  const { root, git } = repository({ a: '1\n' });
  git('checkout', '-q', '-b', 'dev');
  makeTree(root, { b: '2\n' });
  git('add', '.');
  git('commit', '-qm', 'y');
  git('checkout', '-q', 'main');
  const directory = makeTempDirectory();
  await cloneShallow({ url: `file://${root}`, ref: 'dev', directory, variables: process.env });
  expect(fs.existsSync(`${directory}/b`)).toBe(true);
  const failed = cloneShallow({
    url: 'file:///nowhere',
    ref: undefined,
    directory: makeTempDirectory(),
    variables: process.env,
  });
  await expect(failed).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('could not clone file:///nowhere'),
  });
});
