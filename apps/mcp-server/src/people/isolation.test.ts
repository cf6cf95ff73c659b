import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { converse, shakeHands } from '../fixture/converse.ts';
import { makePlace, SECRET, serve, TOKEN, TOKENS } from '../fixture/serve-isolated.ts';

const canConfine = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
const confined = test.skipIf(!canConfine);

const run = (command: string) => ['run_shell', { command }] as const;

confined('commands see no file of the server, by whatever name, and none that takes its place', async () => {
  const place = makePlace();
  const team = { limits: { jobs: 3 }, database: { url: 'postgres://ann@127.0.0.1:1/x', workspace: 'x' } };
  makeTree(place, {
    'own/tokens': TOKENS,
    'own/key': `${SECRET}-${SECRET}\n`,
    'own/team.json': JSON.stringify({
      openid: { issuer: 'https://a.example', resource: `https://b.example/${SECRET}` },
    }),
    'mixed/passwords': SECRET,
    'mixed/other': 'seen\n',
    'logs/calls.1': SECRET,
    'logs/calls.2.gz': SECRET,
    'mixed/passwords-of-others': 'seen\n',
    'home/.config/jinn/tools/look/tool.md': LOOK,
    'home/.config/jinn/tools/look/script.sh': `cat ../../own/* ../own/*; echo '{"seen":true}' | cat - ${place}/own/tokens`,
  });
  fs.writeFileSync(`${place}/own/team.json`, JSON.stringify({ ...team, proxy: PROXY }));
  fs.symlinkSync(`${place}/own/tokens`, `${place}/link`);
  const { call, log } = await serve(place, {
    args: [
      ...['--token-file', `${place}/link`, '--approval-key-file', `${place}/own/key`],
      ...['--team', `${place}/own/team.json`, '--log-file', `${place}/logs/calls`, '--log-args', 'full'],
    ],
    env: { PGPASSFILE: `${place}/mixed/passwords` },
  });
  expect(log()).not.toContain('sandbox');
  const look = `cat ${place}/{own,mixed,logs}/* ${place}/link; ls ${place}/own; cp -r ${place}/own /tmp/copy; cat /tmp/copy/*`;
  const seen = await call(...run(look));
  expect(seen).toContain('seen');
  expect(seen).not.toContain(SECRET);
  expect(seen).not.toContain('a-session-of-isolation');
  await call(...run(`echo evil:the-token-of-evil-x >> ${place}/own/tokens; mv ${place}/own ${place}/gone`));
  expect(fs.readFileSync(`${place}/own/tokens`, 'utf8')).toBe(TOKENS);
  const looked = await call('look', {});
  expect(looked).toContain('seen');
  expect(looked).not.toContain(SECRET);
  expect(await call('read_file', { path: `${place}/own/tokens` })).toContain('path_outside_sandbox');
  // A job sees nothing of a file that is put in the place of another while it runs.
  const command = `until cat ${place}/own/tokens; do sleep 0.1; done`;
  const [job] = /job-1@[\w.:-]+/.exec(await call('run_shell', { command, background: true })) ?? [];
  const output = () => call('run_shell', { job, action: 'output' });
  await expect.poll(output).toMatch(/Permission denied|No such file/);
  fs.writeFileSync(`${place}/own/next`, `${TOKENS}\n`);
  fs.renameSync(`${place}/own/next`, `${place}/own/tokens`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await output()).not.toContain(SECRET);
});

const PROXY = { addresses: ['192.0.2.1'], header: 'X-User' };
const LOOK =
  '---\nname: look\nscript: script.sh\nruntime: bash\ninputSchema:\n  type: object\noutputSchema:\n  type: object\n---\n\nLooks.\n';

const READS_ENVIRONMENTS = 'for (1..99999) { open(F, "<", "/proc/$_/environ") or next; local $/; print <F> }';
const CHANGES_GROUPS = `find /sys/fs/cgroup -maxdepth 2 -writable
for file in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); do echo $$ > $file; done
mkdir /sys/fs/cgroup/x; echo end`;

confined('commands read no environment of the server, and change no control group', async () => {
  const place = makePlace();
  const { call } = await serve(place, { env: { JINN_MCP_TOKEN: TOKENS, PGPASSWORD: SECRET } });
  makeTree(place, { 'root/look.pl': READS_ENVIRONMENTS, 'root/groups.sh': CHANGES_GROUPS });
  const seen = await call(...run('perl look.pl'));
  expect(seen).toContain('HOME=');
  expect(seen).not.toContain(SECRET);
  const groups = await call(...run('bash groups.sh'));
  expect(groups).toContain('end');
  expect(groups).toMatch(/Read-only file system|Permission denied/);
  expect(groups).not.toMatch(/"\/sys/);
});

test.each(['token-file', 'team', 'approval-key-file', 'log-file'])(
  'a server does not start with --%s in a root',
  (flag) => {
    const place = makeTempDirectory();
    makeTree(place, { file: flag === 'team' ? '{}' : TOKENS });
    const line = [PROGRAM, '--http', '127.0.0.1:0', '--root', place, `--${flag}`, `${place}/file`];
    const { status, stderr } = spawnSync(process.execPath, line, {
      encoding: 'utf8',
      env: { HOME: makeTempDirectory() },
      timeout: 10_000,
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining(`--${flag}: ${place}/file is in ${place}`)]);
  },
);

test('a server does not start with the password of its database in a root', () => {
  const [place, root] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(place, { 'team.json': JSON.stringify({ database: { url: 'postgres://127.0.0.1:1/x', workspace: 'x' } }) });
  const line = [PROGRAM, '--http', '127.0.0.1:0', '--root', root, '--team', `${place}/team.json`];
  const env = { HOME: makeTempDirectory(), PGPASSFILE: `${root}/passwords` };
  const { status, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8', env, timeout: 10_000 });
  expect([status, stderr]).toEqual([2, expect.stringContaining(`PGPASSFILE: ${root}/passwords is in ${root}`)]);
});

test('a log in the project of one person is closed to tools', async () => {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n' });
  const conversation = converse({ cwd, args: ['--log-file', 'calls'] });
  await shakeHands(conversation);
  const ask = async (id: number, name: string, args: object) => {
    conversation.send({ id, method: 'tools/call', params: { name, arguments: args } });
    return JSON.stringify((await conversation.receive()).result);
  };
  expect(await ask(1, 'read_file', { path: 'a.txt' })).toContain('one');
  expect(fs.readFileSync(`${cwd}/calls`, 'utf8')).toContain('read_file');
  for (const path of ['calls', './/calls', `${cwd}/calls`]) {
    expect(await ask(2, 'read_file', { path })).toContain('path_outside_sandbox');
  }
  expect(await ask(3, 'search_files', { pattern: 'read_file' })).not.toContain('"calls');
});

const NO_NAME = { JINN_MCP_TOKEN: TOKEN };
const NAMES = { JINN_MCP_TOKEN: TOKENS };

const REFUSED = [
  /sandbox: none: no command runs/,
  /command_blocked: no sandbox works here/,
  /sandbox: .*no command runs/,
];
const ALLOWED = [/sandbox: none: commands have the rights/, /fine/, /can read and change the data of all users/];

confined.each([
  { who: 'people with names', env: NAMES, args: [], words: REFUSED },
  { who: 'people with names, by --sandbox auto', env: NAMES, args: ['--sandbox', 'auto'], words: ALLOWED },
  { who: 'people with names, by --sandbox off', env: NAMES, args: ['--sandbox', 'off'], words: ALLOWED },
])('where no sandbox works, for $who', async ({ env, args, words: [readiness, answer, warning] }) => {
  const { call, ready, log } = await serve(makePlace(), { env, args, isBare: true });
  expect(await ready()).toMatch(readiness as RegExp);
  expect(await call(...run('echo fine'))).toMatch(answer as RegExp);
  await expect.poll(log).toMatch(warning as RegExp);
});

confined('where no sandbox works, one person goes on', async () => {
  const { call, ready, log } = await serve(makePlace(), { env: NO_NAME, isBare: true });
  expect(await ready()).toContain('sandbox: none: commands have the rights');
  expect(await call(...run('echo fine'))).toContain('fine');
  expect(log()).not.toContain('sandbox: ');
});

confined('the sandbox is required from the moment that a file of tokens has names', async () => {
  const place = makePlace();
  makeTree(place, { 'own/tokens': TOKEN });
  const { call, ready } = await serve(place, { args: ['--token-file', `${place}/own/tokens`], isBare: true });
  expect(await ready()).toContain('rights of the server');
  fs.writeFileSync(`${place}/own/tokens`, TOKENS);
  expect(await call(...run('echo fine'))).toContain('command_blocked');
  expect(await ready()).toContain('no command runs');
});

confined('a server listens before it knows whether the sandbox works', async () => {
  const place = makePlace();
  fs.writeFileSync(`${place}/bwrap`, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
  const { log } = await serve(place, { env: NAMES, inPlaceOfBubblewrap: `${place}/bwrap` });
  expect(log()).not.toContain('sandbox: ');
});

confined('the sandbox that works is named', async () => {
  expect(await (await serve(makePlace(), { env: NAMES })).ready()).toBe('ready\nsandbox: bubblewrap\n');
});
