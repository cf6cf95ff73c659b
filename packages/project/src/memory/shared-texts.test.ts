import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { memory } from './memory.ts';

type Tree = Parameters<typeof makeTree>[1];

/** A home with shared directories, whose names are those of the settings. */
function openHome(files: Tree, shared: unknown = ['~/team']) {
  const [home, state, root] = [makeTempDirectory(), makeTempDirectory(), makeTempDirectory()];
  makeTree(home, files);
  const configure = (value: unknown) =>
    makeTree(state, { 'config.json': JSON.stringify({ memory: { shared: value } }) });
  configure(shared);
  const ask = (args: object) => call(memory, args, { home, state, root });
  const list = async (args: object) => {
    const { result = '', ...rest } = await ask({ action: 'list', ...args });
    return { ...rest, ...JSON.parse(result) };
  };
  return { home, configure, ask, list };
}

test('reads the texts of shared directories, and does not open a database for that', async () => {
  const { ask, list } = openHome({
    'team/style.md': '# Style\nTabs.\n',
    'team/db.host.txt': 'localhost',
    'team/sub/x.md': '',
  });
  expect(await ask({ action: 'recall', key: 'style', scope: 'shared' })).toEqual({
    ok: true,
    result: '# Style\nTabs.\n',
    meta: { updated: expect.stringMatching(/^\d{4}-\S+:\d\dZ$/) },
  });
  expect(await list({ scope: 'shared' })).toMatchObject({ keys: ['db.host', 'style'], count: 2 });
  expect((await ask({ action: 'export', scope: 'shared' })).result).toMatch(
    /^# Shared memory\n\n## db\.host\n\nsaved [^\n]+\n\n```\nlocalhost\n```\n\n## style\n/,
  );
  expect((await ask({ action: 'scopes' })).result).toMatch(/^\{"scopes":\[\{"scope":"shared","count":2,"updated":"/);
});

test('lists the shared texts with the others, and searches them by the same rules', async () => {
  const { ask, list } = openHome({ 'team/hooks.md': 'call useWebSocket after signing', 'team/b.md': 'x' });
  await ask({ action: 'save', key: 'a', value: 'the socket' });
  await ask({ action: 'save', key: 'g', value: 'signed', scope: 'global' });
  const all = await list({ scope: 'all', include_values: true });
  expect(
    all.entries.map(({ scope, key }: { scope: string; key: string }) => [key, scope.replace(/^\/.*/, '')]),
  ).toEqual([
    ['a', ''],
    ['g', 'global'],
    ['b', 'shared'],
    ['hooks', 'shared'],
  ]);
  expect(await list({ scope: 'all', query: 'socket' })).toMatchObject({ keys: ['a', 'hooks'] });
  for (const query of ['signs', 'websocket', 'sigming']) {
    expect([query, await list({ scope: 'shared', query })]).toMatchObject([query, { keys: ['hooks'] }]);
  }
  expect(await list({ scope: 'shared', query: 'other' })).toMatchObject({ keys: [] });
  expect((await list({ query: 'signing' })).meta).toEqual({
    warnings: ['1 more in the scope "global", 1 more in the scope "shared": use scope="all" to list them too'],
  });
});

test('says that a missing text is in a shared directory', async () => {
  const { ask } = openHome({ 'team/k.md': 'v' });
  for (const args of [{ action: 'recall' }, { action: 'replace', old_text: 'v', value: 'w' }]) {
    expect(await ask({ key: 'k', ...args })).toMatchObject({
      error_code: 'not_found',
      suggestion: 'it is in a shared directory: use scope="shared"',
    });
  }
  await ask({ action: 'save', key: 'k', value: 'g', scope: 'global' });
  expect((await ask({ action: 'recall', key: 'k' })).suggestion).toContain('scope="global"');
  expect(await ask({ action: 'recall', key: 'none', scope: 'shared' })).toMatchObject({ error_code: 'not_found' });
});

test('takes the first directory and the .md for a key, and sees each change', async () => {
  const { ask, home, configure } = openHome({ 'a/k.txt': 'a.txt', 'a/k.md': 'a.md', 'b/k.md': 'b' });
  const recall = async () => (await ask({ action: 'recall', key: 'k', scope: 'shared' })).result;
  configure([`${home}/b`, '~/a']);
  expect(await recall()).toBe('b');
  configure(['~/a', '~/b']);
  expect(await recall()).toBe('a.md');
  fs.writeFileSync(`${home}/a/k.md`, 'new');
  expect(await recall()).toBe('new');
  fs.rmSync(`${home}/a`, { recursive: true });
  expect(await recall()).toBe('b');
});

test('reads regular files with a key for a name, and no secrets and links', async () => {
  const { list, home } = openHome({
    'secret.md': 'x',
    'team/ok.md': 'x',
    'team/link.md': { symlink: '../secret.md' },
    'team/inner.md': { symlink: 'ok.md' },
    'team/.env.md': 'x',
    'team/.hidden.md': 'x',
    'team/my notes.md': 'x',
    'team/ä.txt': 'x',
    'team/a.markdown': 'x',
    'team/large.md': 'x'.repeat(16_385),
    'team/full.md': 'x'.repeat(16_384),
    'team/directory.md/x': '',
  });
  fs.writeFileSync(`${home}/team/latin.md`, Buffer.from([0xe9]));
  expect(await list({ scope: 'shared' })).toMatchObject({
    keys: ['full', 'ok'],
    meta: {
      warnings: [
        'too large (over 16 KiB), not read: large.md',
        'not UTF-8, not read: latin.md',
        'no key (a-z A-Z 0-9 _ . -), not read: my notes.md, ä.txt',
      ],
    },
  });
});

test('reads a bounded number of files', { tags: 'slow' }, async () => {
  const names = Array.from({ length: 520 }, (_, i) => `team/k${String(i).padStart(3, '0')}.md`);
  const { list } = openHome(Object.fromEntries(names.map((name) => [name, 'x'])));
  const found = await list({ scope: 'shared', include_values: true });
  expect([found.count, found.entries.length]).toEqual([500, 500]);
  const [warning, ...more] = found.meta.warnings;
  expect([more, warning.length <= 100]).toEqual([[], true]);
  expect(warning).toMatch(/^over the limit of 500 files, not read: k500\.md, k501\.md, .* and 1\d more$/);
});

test.for([
  ['~/none', 'memory.shared: file not found: ~/none'],
  ['~/file', 'memory.shared: not a directory: ~/file'],
  ['team', 'memory.shared: invalid args: team'],
  ['~/.ssh', 'memory.shared: path outside sandbox: ~/.ssh'],
  ['~/safe', 'memory.shared: path outside sandbox: ~/safe'],
] as const)('warns of the shared directory %s, and reads the others', async ([path, warning]) => {
  const { list } = openHome({ 'team/k.md': 'v', file: '', '.ssh/a.md': 'x', safe: { symlink: '.ssh' } }, [
    path,
    '~/team',
  ]);
  expect(await list({ scope: 'shared' })).toMatchObject({ keys: ['k'], meta: { warnings: [warning] } });
});

test.for(['~/team', [1], { a: 1 }, true])('warns of the setting %j', async (shared) => {
  const { list } = openHome({ 'team/k.md': 'v' }, shared);
  expect(await list({ scope: 'shared' })).toMatchObject({
    keys: [],
    meta: { warnings: ['config.json has no list of directories: memory.shared'] },
  });
});
