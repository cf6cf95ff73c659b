import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree, toStatelessRequest } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { listen } from '../fixture/listen.ts';

const TOKENS = {
  ann: 'the-token-of-ann-1',
  bob: 'the-token-of-bob-1',
  '..': 'the-token-of-dots-1',
  eve: 'the-token-of-eve-1',
};
type Person = keyof typeof TOKENS;

/** Serves a directory of workspaces, outside of /tmp, which is another one in the sandbox. */
async function serveOwn(settings: object = {}, args: readonly string[] = []) {
  const base = fs.mkdtempSync('/var/tmp/jinn-people-');
  onTestFinished(() => fs.rmSync(base, { recursive: true, force: true }));
  const place = makeTempDirectory();
  const tokens = Object.entries(TOKENS).map(([person, token]) => `${person}:${token}\n`);
  makeTree(place, { tokens: tokens.join(''), 'team.json': JSON.stringify(settings) });
  const files = ['--token-file', `${place}/tokens`, '--team', `${place}/team.json`];
  const { url, server } = await listen({ args: [...files, '--root', `${base}/{person}`, ...args] });
  const call = async (person: Person, name: string, given: object) => {
    const { headers, body } = toStatelessRequest('tools/call', { name, arguments: given });
    const all = { ...headers, authorization: `Bearer ${TOKENS[person]}` };
    const text = await (await fetch(url, { method: 'POST', headers: all, body })).text();
    return text.replaceAll(/\\[nt"]/g, ' ');
  };
  return { base, call, log: server.log };
}

test('each user has a workspace of their own, made at the first call, and sees no other', async () => {
  const template = makeTempDirectory();
  makeTree(template, { 'a.txt': 'of the template\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', template, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message=one');
  const { base, call } = await serveOwn({ create_workspace: ['git', 'clone', '--quiet', template, '{root}'] });
  const both = [call('ann', 'read_file', { path: 'a.txt' }), call('ann', 'list_dir', { path: '.' })];
  expect((await Promise.all(both)).join()).toMatch(/of the template[\s\S]*a\.txt/);
  expect(fs.readdirSync(base)).toEqual(['ann']);
  await call('bob', 'write_file', { path: 'b.txt', content: 'of bob\n' });
  expect(fs.readdirSync(base).toSorted()).toEqual(['ann', 'bob']);
  for (const path of ['../bob/b.txt', `${base}/bob/b.txt`, 'b.txt']) {
    expect(await call('ann', 'read_file', { path })).toMatch(/path_outside_sandbox|not_found/);
  }
  expect(await call('ann', 'read_file', { path: 'b.txt', root: `${base}/bob` })).not.toContain('of bob');
  expect(await call('ann', 'undo', { action: 'list' })).not.toContain('b.txt');
  const seen = await call('ann', 'run_shell', { command: `cat ../bob/b.txt ${base}/bob/b.txt; ls ${base}; cat a.txt` });
  expect(seen).toContain('of the template');
  expect(seen).not.toMatch(/of bob|"bob/);
  expect(await call('..', 'list_dir', { path: '.' })).toContain('path_outside_sandbox: this server has no workspace');
});

test('a workspace that cannot be made, or is a link, serves nobody; what was half made is removed', async () => {
  const { base, call, log } = await serveOwn({
    create_workspace: ['sh', '-c', 'echo half > "$1/half"; [ "$2" = ann ]', 'sh', '{root}', '{person}'],
  });
  expect(await call('bob', 'list_dir', { path: '.' })).toContain('unavailable: your workspace could not be made');
  expect(log()).toContain('Command failed: sh -c');
  expect(fs.readdirSync(base)).toEqual([]);
  expect(await call('ann', 'list_dir', { path: '.' })).toContain('half');
  fs.symlinkSync(`${base}/ann`, `${base}/eve`);
  expect(await call('eve', 'list_dir', { path: '.' })).toContain('path_outside_sandbox');
});

test.each([
  [['--http', '127.0.0.1:0'], 'needs --http, a way to sign in, and no --worktrees'],
  [[], 'needs --http, a way to sign in, and no --worktrees'],
  [['--root', '/tmp'], '{person} is the last part of the only root'],
])('%j and a root with {person} do not go together', (args, message) => {
  const env = { ...process.env, HOME: makeTempDirectory() };
  const line = [PROGRAM, '--root', '/var/tmp/{person}', ...args];
  const { status, stderr } = spawnSync(process.execPath, line, { env, encoding: 'utf8', input: '' });
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
