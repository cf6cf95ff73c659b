import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { cloneShallow, toRemote } from './clone-shallow.ts';

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
  expect(toRemote(asked)).toEqual({ url, ref });
});

test.for([
  ['https://github.com/o/n/tree/main', 'https://github.com/o/n', 'main'],
  ['https://github.com/o/n/tree/feature/x/src/a%20b?tab=1#L3', 'https://github.com/o/n', 'feature/x/src/a b'],
  ['https://github.com/o/n/blob/v1/README.md', 'https://github.com/o/n', 'v1/README.md'],
  ['https://github.com/o/n/commit/0123456789', 'https://github.com/o/n', '0123456789'],
  ['https://gitlab.com/g/s/n/-/tree/main/src/', 'https://gitlab.com/g/s/n', 'main/src'],
  ['https://codeberg.org/o/n/src/branch/main/src', 'https://codeberg.org/o/n', 'main/src'],
] as const)('takes the page %s for a repository', ([asked, url, refAndPath]) => {
  expect(toRemote(asked)).toEqual({ url, ref: undefined, refAndPath });
});

test.for(['main/../../etc', 'main/%2e%2e/x', 'main//x'])('refuses a page of %s', (page) => {
  expect(() => toRemote(`https://github.com/o/n/tree/${page}`)).toThrow('is not a branch with a path');
});

/** Serves the repositories of a directory over HTTP, as forges do. */
async function serveOverHttp(directory: string): Promise<string> {
  const server = http.createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: directory,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.once('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      for (const line of answer.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('clones what a page shows: a branch with slashes and a directory, a commit, a commit by its beginning', {
  tags: 'slow',
}, async () => {
  const { root, git } = repository({ a: '1\n', 'src/b': 'b\n' });
  const first = git('rev-parse', 'HEAD').toString().trim();
  git('checkout', '-q', '-b', 'feature/x');
  makeTree(root, { 'src/b': 'of x\n' });
  git('commit', '-qam', 'two');
  git('branch', 'deadbeef');
  git('checkout', '-q', 'main');
  makeTree(root, { a: '3\n' });
  git('commit', '-qam', 'three');
  const origin = await serveOverHttp(path.dirname(root));
  const base = `${origin}/${path.basename(root)}/.git`;
  const clone = async (asked: string) => {
    const directory = makeTempDirectory();
    const within = await cloneShallow({ ...toRemote(asked), directory, variables: process.env });
    const content = (name: string) => fs.readFileSync(`${directory}/${name}`, 'utf8').trim();
    return [within, content('a'), content('src/b')];
  };
  expect(await clone(`${base}/tree/feature/x/src`)).toEqual(['src', '1', 'of x']);
  expect(await clone(`${base}/tree/main`)).toEqual([undefined, '3', 'b']);
  expect(await clone(`${base}/commit/${first}`)).toEqual([undefined, '1', 'b']);
  expect(await clone(`${base}#${first}`)).toEqual([undefined, '1', 'b']);
  expect(await clone(`${base}#${first.slice(0, 9)}`)).toEqual([undefined, '1', 'b']);
  expect(await clone(`${base}#deadbeef`)).toEqual([undefined, '1', 'of x']);
  await expect(clone(`${base}#0123456789`)).rejects.toThrow('git could not clone');
  await expect(clone(`${base}/tree/nope/src`)).rejects.toThrow('git could not clone');
});

test.for(['name', '--upload-pack=x', 'ext::sh -c true', 'https://-x', 'git@-oProxy:x', '../a', ''])(
  'refuses %s',
  (asked) => {
    expect(() => toRemote(asked)).toThrow('is not an address of a git repository');
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
    message: "git could not clone file:///nowhere: 'nowhere' does not appear to be a git repository",
  });
});

test('reports the cause, and neither a password nor the directories of a path', async () => {
  const { root } = repository({ a: '1\n' });
  const origin = await serveOverHttp(makeTempDirectory());
  const host = new URL(origin).host;
  const variables = { ...process.env, LANGUAGE: 'de', LC_ALL: 'de_DE.UTF-8' };
  const failureOf = (asked: string, more = {}) =>
    cloneShallow({ ...toRemote(asked), directory: makeTempDirectory(), variables: { ...variables, ...more } }).then(
      () => 'no failure',
      ({ message }: Error) => message,
    );
  expect(await failureOf(`http://me:pa55w0rd@${host}/gone.git`)).toMatch(
    new RegExp(`^git could not clone ${origin}/gone\\.git: .*${origin}/gone\\.git/`),
  );
  expect(await failureOf(`file://${root}#nope`)).toBe(
    `git could not clone file://${root}: Remote branch nope not found in upstream origin`,
  );
  const ssh = "sh -c 'echo Warning: Permanently added x >&2; echo Host key verification failed. >&2; exit 255'";
  expect(await failureOf('git@example.org:a/b', { GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'simple' })).toBe(
    'git could not clone git@example.org:a/b: Host key verification failed.',
  );
});
