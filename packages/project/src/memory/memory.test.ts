import fs from 'node:fs';
import { type CallOptions, call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { memory } from './memory.ts';

/** Calls that share a state directory and a workspace, both fresh. */
function openPlace() {
  const state = makeTempDirectory();
  const root = makeTempDirectory();
  const ask = (args: object, options: CallOptions = {}) => call(memory, args, { state, root, ...options });
  const list = async (args: object = {}, options: CallOptions = {}) =>
    JSON.parse((await ask({ action: 'list', ...args }, options)).result ?? '');
  return { state, root, ask, list };
}

const save = (key: string, value: string, more: object = {}) => ({ action: 'save', key, value, ...more });

test('saves, recalls, lists and forgets', async () => {
  const { ask } = openPlace();
  expect(await ask(save('db.host', 'localhost'))).toEqual({ ok: true, result: 'saved: db.host' });
  expect(await ask({ action: 'recall', key: 'db.host' })).toMatchObject({ ok: true, result: 'localhost' });
  expect((await ask({ action: 'list' })).result).toBe('{"keys":["db.host"],"count":1}');
  for (const existed of [true, false]) {
    const answer = await ask({ action: 'forget', key: 'db.host' });
    expect(answer).toEqual({ ok: true, result: 'forgotten: db.host', meta: { existed } });
  }
  expect(await ask({ action: 'recall', key: 'db.host' })).toEqual({
    ok: false,
    error: 'key not found: db.host',
    error_code: 'not_found',
    suggestion: 'use action="list" to see available keys',
  });
  expect((await ask({ action: 'list' })).result).toBe('{"keys":[],"count":0}');
});

test('replaces the text of a key, its pin and its expiry', async () => {
  const { ask } = openPlace();
  await ask(save('k', 'one', { expires_in: 60 }));
  expect((await ask({ action: 'recall', key: 'k' })).meta).toHaveProperty('expires');
  await ask(save('k', 'two', { pin: true }));
  const pinned = await ask({ action: 'recall', key: 'k' });
  expect(pinned).toMatchObject({ result: 'two', meta: { pinned: true } });
  expect(pinned.meta).not.toHaveProperty('expires');
  await ask(save('k', ''));
  const plain = await ask({ action: 'recall', key: 'k' });
  expect(plain).toEqual({ ok: true, result: '', meta: { updated: expect.stringMatching(/^\d{4}-\S+:\d\dZ$/) } });
});

test('adds lines to a text, which keeps its pin and its expiry', async () => {
  const { ask } = openPlace();
  const append = (key: string, value: string) => ask({ action: 'append', key, value });
  expect(await append('log', 'one')).toEqual({ ok: true, result: 'appended: log' });
  for (const value of ['two $& $1', 'three\n', 'four']) await append('log', value);
  expect((await ask({ action: 'recall', key: 'log' })).result).toBe('one\ntwo $& $1\nthree\nfour');
  await ask(save('pinned', 'a', { pin: true }));
  await ask(save('soon', '', { expires_in: 60 }));
  const { meta } = await ask({ action: 'recall', key: 'soon' });
  for (const key of ['pinned', 'soon']) await append(key, 'b');
  expect(await ask({ action: 'recall', key: 'pinned' })).toMatchObject({ result: 'a\nb', meta: { pinned: true } });
  const soon = await ask({ action: 'recall', key: 'soon' });
  expect(soon).toMatchObject({ result: 'b', meta: { expires: (meta as { expires: string }).expires } });
  await ask(save('full', 'x'.repeat(16_380)));
  expect(await append('full', 'yyyy')).toMatchObject({ error: 'value exceeds 16 KiB limit (16385 bytes)' });
  expect(await append('full', 'yyy')).toMatchObject({ ok: true });
});

test('replaces a part of a text that is there once', async () => {
  const { ask, list } = openPlace();
  const replace = (old_text: string, value: string) => ask({ action: 'replace', key: 'k', old_text, value });
  expect(await replace('a', 'b')).toMatchObject({ error: 'key not found: k', error_code: 'not_found' });
  await ask(save('k', 'host: alpha\nport: 80\nuser: ünï\nport: 90\naaa', { pin: true }));
  expect(await replace('alpha', '$& béta')).toEqual({ ok: true, result: 'replaced: k' });
  expect(await replace('\nport: 80', '')).toMatchObject({ ok: true });
  const text = 'host: $& béta\nuser: ünï\nport: 90\naaa';
  expect(await ask({ action: 'recall', key: 'k' })).toMatchObject({ result: text, meta: { pinned: true } });
  expect(await list({ query: 'béta' })).toMatchObject({ keys: ['k'] });
  expect(await replace('user: üni', 'x')).toEqual({
    ok: false,
    error: 'old_text not found in k. Nearest match at line 2: did you mean this?\n- user: üni\n+ user: ünï',
    error_code: 'edit_not_found',
    suggestion: 'use action="recall" to see the text, then retry with the exact part',
  });
  expect(await replace('entirely other', 'x')).toMatchObject({ error: 'old_text not found in k' });
  for (const old_text of [': ', 'aa']) {
    expect(await replace(old_text, 'x')).toMatchObject({ error: 'old_text is in k more than once' });
  }
  expect(await replace('90', 'x'.repeat(16_384))).toMatchObject({ error_code: 'invalid_args' });
  expect((await ask({ action: 'recall', key: 'k' })).result).toBe(text);
});

test.for([
  ['a key of 128', 'k'.repeat(128), 'v'],
  ['every kind of character', 'aZ09_.-', 'v'],
  ['dots alone', '..', 'v'],
  ['a dash first', '-x', 'v'],
  ['16 KiB', 'k', 'x'.repeat(16_384)],
  ['16 KiB of characters of several bytes', 'k', `${'€é'.repeat(3276)}1234`],
  ['a value with NUL', 'k', 'a\0b\0'],
  ['pairs of surrogates, line ends and a BOM', 'k', '\ufeff😀\r\n\u2028'],
  ['what looks like a number', 'k', '007'],
])('recalls %s unchanged', async ([, key = '', value = '']) => {
  const { ask, list } = openPlace();
  expect(await ask(save(key, value))).toMatchObject({ ok: true, result: `saved: ${key}` });
  expect((await ask({ action: 'recall', key })).result).toBe(value);
  expect((await list({ include_values: true })).entries).toMatchObject([{ key, value }]);
});

const BAD_KEYS = ['', 'a:b', 'a\\b', 'a b', 'ä', 'a/b', 'a\n', '\0', 'k'.repeat(129), '\ud800'];
const ACTIONS = ['save', 'append', 'replace', 'recall', 'forget'];

test.for(ACTIONS.flatMap((action) => BAD_KEYS.map((key) => [action, key] as const)))(
  '%s refuses the key %j',
  async ([action, key]) => {
    const { ask, state } = openPlace();
    const answer = await ask({
      action,
      key,
      ...(action === 'recall' || action === 'forget' ? {} : { value: 'x'.repeat(20_000), scope: 'none' }),
    });
    expect(answer).toMatchObject({
      ok: false,
      error_code: 'invalid_args',
      error: expect.stringMatching(/^invalid key/),
    });
    expect(fs.readdirSync(state)).toEqual([]);
  },
);

test.for([
  [{ action: 'save', value: 'v' }, 'key is required for save'],
  [{ action: 'recall' }, 'key is required for recall'],
  [{ action: 'forget' }, 'key is required for forget'],
  [{ action: 'save', key: 'k' }, 'value is required for save'],
  [{ action: 'append', key: 'k' }, 'value is required for append'],
  [{ action: 'replace', key: 'k', value: 'v' }, 'old_text is required for replace'],
  [{ action: 'replace', key: 'k', old_text: 'v' }, 'value is required for replace'],
  [{ action: 'append', key: 'k', value: 'v', pin: true }, 'append keeps the pin and the expiry of a text'],
  [{ action: 'replace', key: 'k', value: 'v', old_text: 'w', expires_in: 5 }, 'replace keeps the pin'],
  [save('k', 'v', { scope: 'shared' }), 'the scope "shared" is read-only'],
  [{ action: 'append', key: 'k', value: 'v', scope: 'shared' }, 'the scope "shared" is read-only'],
  [{ action: 'replace', key: 'k', value: 'v', old_text: 'w', scope: 'shared' }, 'the scope "shared" is read-only'],
  [{ action: 'forget', key: 'k', scope: 'shared' }, 'the scope "shared" is read-only'],
  [{ action: 'move', from: 'shared' }, 'the scope "shared" is read-only'],
  [{ action: 'move', from: '/x', scope: 'shared' }, 'the scope "shared" is read-only'],
  [save('k', 'x'.repeat(16_385)), 'value exceeds 16 KiB limit (16385 bytes)'],
  [save('k', 'é'.repeat(8193)), 'value exceeds 16 KiB limit (16386 bytes)'],
  [save('k', '\ud83d'), 'value contains half of a surrogate pair, which is not text'],
  [save('k', 'v', { pin: true, expires_in: 5 }), 'pin and expires_in exclude each other'],
  [save('k', 'x'.repeat(16_385), { scope: 'none' }), 'value exceeds 16 KiB limit (16385 bytes)'],
  [{ action: 'gc' }, 'memory: action'],
  [
    {},
    'memory: missing required argument action: one of save, append, replace, recall, list, forget, export, scopes, move',
  ],
  [save('k', 'v', { expires_in: 1.5 }), 'memory: expires_in: Invalid input: expected string or int'],
  [{ action: 'list', limit: 0 }, 'memory: limit'],
  [save('k', 'v', { ttl: 5 }), 'unknown argument "ttl"'],
  [{ action: 'save', key: 'k', value: 5 }, 'memory: value'],
] as const)('refuses %j', async ([args, error]) => {
  const { ask, state } = openPlace();
  const answer = await ask(args);
  expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', error: expect.stringContaining(error) });
  expect(answer.suggestion).toBeTruthy();
  expect(fs.readdirSync(state)).toEqual([]);
});

test.for([
  ['must be between a second and 100 years', [0, -1, '0s', '36501d', 3_153_600_001]],
  [
    'must be seconds, or numbers with s, m, h, d or w, like "1d12h"',
    ['', 'soon', '7 days', '500ms', '1.5h', '-3d', '9'.repeat(400)],
  ],
] as const)('refuses to keep something for a time that it cannot: %s', async ([rule, times]) => {
  for (const expires_in of times) {
    const answer = await openPlace().ask(save('k', 'v', { expires_in }));
    expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', suggestion: expect.stringContaining('30m') });
    expect(answer.error).toMatch(/^invalid expires_in: /);
    expect(answer.error?.endsWith(` — ${rule}`)).toBe(true);
    expect(answer.error?.length).toBeLessThan(150);
  }
});

test('proposes expires_in for ttl, whose unit may be another', async () => {
  const { suggestion } = await openPlace().ask({ action: 'list', ttl: 'x' });
  expect(suggestion).toMatch(/^did you mean "expires_in"\?/);
});

test('takes name and content for key and value', async () => {
  const { ask } = openPlace();
  expect(await ask({ action: 'save', name: 'k', content: 'v' })).toMatchObject({ ok: true, result: 'saved: k' });
  expect(await ask({ action: 'recall', key: 'k' })).toMatchObject({ result: expect.stringContaining('v') });
});

test.for([
  [1, 1],
  ['90', 90],
  ['30m', 1800],
  ['12h', 43_200],
  ['7d', 604_800],
  ['2w', 1_209_600],
  ['1d12h', 129_600],
  ['36500d', 3_153_600_000],
] as const)('keeps something for %j', async ([expires_in, seconds]) => {
  const { meta } = await openPlace().ask(save('k', 'v', { expires_in }));
  const left = Date.parse((meta as { expires: string }).expires) - Date.now();
  expect(Math.abs(left - seconds * 1000)).toBeLessThan(10_000);
});

test('leaves an expired text out of recall, list, query and export', { timeout: 10_000 }, async () => {
  const { ask, list } = openPlace();
  await ask(save('short', 'lived', { expires_in: 1 }));
  await ask(save('long', 'lived', { expires_in: '1h' }));
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await ask({ action: 'recall', key: 'short' })).toMatchObject({ ok: false, error_code: 'not_found' });
  expect(await list()).toEqual({ keys: ['long'], count: 1 });
  expect(await list({ query: 'lived' })).toEqual({ keys: ['long'], count: 1 });
  expect((await ask({ action: 'export' })).result).not.toContain('short');
});

test('lists by key, pinned ones first', async () => {
  const { ask, list } = openPlace();
  for (const key of ['b', 'A', 'a', '.z', 'pin.b', 'pin.a']) {
    await ask(save(key, key, { pin: key.startsWith('pin') }));
  }
  expect(await list()).toEqual({ keys: ['pin.a', 'pin.b', '.z', 'A', 'a', 'b'], count: 6 });
  const { keys, count, entries } = await list({ include_values: true });
  expect(entries.map(({ key }: { key: string }) => key)).toEqual(keys);
  expect(count).toBe(6);
  expect(entries[0]).toEqual({ key: 'pin.a', value: 'pin.a', updated: expect.any(String), pinned: true });
});

test('lists at most as many keys as asked for, and says how many there are', async () => {
  const { ask } = openPlace();
  for (const key of ['a', 'b', 'c']) await ask(save(key, 'v'));
  expect(await ask({ action: 'list', limit: 2 })).toEqual({
    ok: true,
    result: '{"keys":["a","b"],"count":2}',
    truncated: true,
    total_count: 3,
  });
  expect(await ask({ action: 'list', limit: 3 })).toEqual({ ok: true, result: '{"keys":["a","b","c"],"count":3}' });
});

test('leaves values beyond a megabyte out of a list, and sets truncated', async () => {
  const { ask, state } = openPlace();
  const entries = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, { value: key.repeat(500_000) }]));
  fs.writeFileSync(`${state}/memory.json`, JSON.stringify({ version: 1, entries }));
  const answer = await ask({ action: 'list', include_values: true, scope: 'global' });
  const listed = JSON.parse(answer.result ?? '');
  expect(listed.keys).toEqual(['a', 'b', 'c']);
  expect(listed.entries.map(({ key }: { key: string }) => key)).toEqual(['a', 'b']);
  expect(answer).toMatchObject({ truncated: true, total_count: 3 });
});

test('finds by words of keys and values, the best first', async () => {
  const { ask, list } = openPlace();
  await ask(save('project.notes', 'auth service uses JWT RS256, and nothing else of interest happens in it'));
  await ask(save('auth.jwt', 'tokens are signed'));
  await ask(save('db.host', 'localhost of the Überraschung'));
  await ask(save('deploy_steps', 'authentication happens first'));
  const found = async (query: string) => (await list({ query })).keys;
  expect(await found('jwt')).toEqual(['auth.jwt', 'project.notes']);
  expect(await found('JWT rs256')).toEqual(['project.notes', 'auth.jwt']);
  expect(await found('auth')).toEqual(['auth.jwt', 'project.notes', 'deploy_steps']);
  expect(await found('token')).toEqual(['auth.jwt']);
  expect(await found('uberraschung')).toEqual(['db.host']);
  expect(await found('db.host')).toEqual(['db.host']);
  expect(await found('what is the host?')).toEqual(['db.host']);
  expect(await found('steps')).toEqual(['deploy_steps']);
  expect(await found('ost')).toEqual([]);
  expect(await found('?!')).toEqual([]);
  expect(await found(' ')).toHaveLength(4);
  expect(await list({ query: 'jwt', include_values: true, limit: 1 })).toMatchObject({
    count: 1,
    entries: [{ key: 'auth.jwt', value: 'tokens are signed' }],
  });
});

test('finds words in scripts without blanks, however short, and Latin words between them', async () => {
  const { ask, list } = openPlace();
  await ask(save('auth', '認証サービスはJWTを使う'));
  await ask(save('db', '数据库的密码放在金库里'));
  await ask(save('key', '鍵は毎月かえる'));
  await ask(save('ko', '서버의 인증은 세션으로'));
  await ask(save('en', 'sessions, and the other host'));
  const found = async (query: string) => (await list({ query })).keys;
  expect(await found('認証')).toEqual(['auth']);
  expect(await found('サービス')).toEqual(['auth']);
  expect(await found('密码')).toEqual(['db']);
  expect(await found('鍵')).toEqual(['key']);
  expect(await found('인증')).toEqual(['ko']);
  expect(await found('数据库密码')).toEqual(['db']);
  expect(await found('jwt')).toEqual(['auth']);
  expect(await found('JWT認証')).toEqual(['auth']);
  expect(await found('SESSION鍵')).toEqual(['key', 'en'].toSorted());
  expect(await found('証認')).toEqual([]);
  expect(await found('wt')).toEqual([]);
  expect(await list({ query: '密码', scope: 'global' })).toEqual({ keys: [], count: 0 });
  await ask(save('best', '密码和密码库'));
  expect(await found('数据库密码')).toEqual(['db', 'best']);
  expect((await ask({ action: 'list', query: '漢字かな'.repeat(50_000) })).ok).toBe(true);
  expect((await ask({ action: 'list', query: 'x'.repeat(200_000) })).ok).toBe(true);
});

test('updates the index when texts are replaced and forgotten', async () => {
  const { ask, list } = openPlace();
  await ask(save('k', 'apples'));
  await ask(save('k', 'pears'));
  expect(await list({ query: 'apples' })).toEqual({ keys: [], count: 0 });
  expect(await list({ query: 'pears' })).toEqual({ keys: ['k'], count: 1 });
  await ask({ action: 'forget', key: 'k' });
  expect(await list({ query: 'pears' })).toEqual({ keys: [], count: 0 });
});

test('accepts every query, and finds what was saved with its words', { tags: 'slow' }, async () => {
  const { ask } = openPlace();
  const syntax = fc.constantFrom(
    '"',
    "'",
    '*',
    '^',
    ':',
    '-',
    '(',
    ')',
    'NEAR(',
    'AND',
    'OR',
    'NOT',
    'key:',
    '\0',
    '\ud800',
  );
  const query = fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), syntax), { maxLength: 8 })
    .map((parts) => parts.join(' '));
  await ask(save('k', 'needle'));
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      expect(await ask({ action: 'list', query: text })).toMatchObject({ ok: true });
      expect((await ask({ action: 'list', query: `${text} needle` })).result).toBe('{"keys":["k"],"count":1}');
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
  expect((await ask({ action: 'list', query: 'x '.repeat(200_000) })).ok).toBe(true);
});

test('accepts exactly the keys of the documented form', async () => {
  const { ask } = openPlace();
  const letters = fc.string({ unit: fc.constantFrom(...'aZ9_.-'), minLength: 1, maxLength: 130 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(letters, fc.string({ unit: 'binary' })), fc.string(), async (key, value) => {
      const isKey = key.length > 0 && key.length <= 128 && !/[^a-zA-Z0-9_.-]/.test(key);
      expect((await ask(save(key, value))).ok).toBe(isKey);
      const { ok, result } = await ask({ action: 'recall', key });
      expect([ok, result]).toEqual(isKey ? [true, value] : [false, undefined]);
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});

test('creates no file to read, or to forget a missing key', async () => {
  const state = `${makeTempDirectory()}/not/there`;
  const root = makeTempDirectory();
  for (const scope of [undefined, 'global', '/nowhere']) {
    for (const action of ['recall', 'list', 'forget', 'export']) {
      const { ok } = await call(memory, { action, key: 'k', scope: scope ?? '' }, { state, root });
      expect(ok).toBe(action !== 'recall');
    }
  }
  expect(fs.existsSync(state)).toBe(false);
});

test('keeps scopes apart', async () => {
  const { ask } = openPlace();
  const scopes = [undefined, 'global', '/projects/a', '/projects/b'];
  for (const [i, scope] of scopes.entries()) await ask(save('k', `${i}`, scope === undefined ? {} : { scope }));
  for (const [i, scope] of scopes.entries()) {
    const answer = await ask({ action: 'recall', key: 'k', ...(scope !== undefined && { scope }) });
    expect(answer.result).toBe(`${i}`);
  }
  await ask({ action: 'forget', key: 'k', scope: '/projects/a' });
  expect((await ask({ action: 'recall', key: 'k', scope: '/projects/b' })).ok).toBe(true);
});

test('takes the nearest directory with a .git, file or directory, for the project', async () => {
  const { ask, root, state } = openPlace();
  makeTree(root, {
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
    'repo/src/deep/a.txt': '',
    'repo/worktree/.git': 'gitdir: ../.git/worktrees/w\n',
    'repo/worktree/src/a.txt': '',
    'repo/odd/.git': { symlink: 'nowhere' },
    'plain/sub/a.txt': '',
  });
  const inside = (name: string) => ({ root: `${root}/${name}`, state });
  const recalled = async (name: string) => (await ask({ action: 'recall', key: 'k' }, inside(name))).result;
  await ask(save('k', 'repo'), inside('repo/src/deep'));
  await ask(save('k', 'worktree'), inside('repo/worktree/src'));
  await ask(save('k', 'plain'), inside('plain'));
  for (const name of ['repo', 'repo/src', 'repo/src/deep', 'repo/odd']) expect(await recalled(name)).toBe('repo');
  expect(await recalled('repo/worktree')).toBe('worktree');
  expect(await recalled('plain')).toBe('plain');
  expect(await recalled('plain/sub')).toBeUndefined();
  expect((await ask({ action: 'recall', key: 'k', scope: `${root}/repo` })).result).toBe('repo');
});

/** A repository with a worktree, as git makes them. */
function makeWorktree(root: string): void {
  makeTree(root, {
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
    'repo/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n',
    'repo/.git/worktrees/w/gitdir': `${fs.realpathSync(root)}/w/.git\n`,
    'w/.git': `gitdir: ${root}/repo/.git/worktrees/w\n`,
    'w/src/a.txt': '',
    'bare.git/worktrees/x/gitdir': '../../../x/.git\n',
    'x/.git': 'gitdir: ../bare.git/worktrees/x\n',
    'y/.git': 'gitdir: ../bare.git/worktrees/x\n',
    // What a hostile tree could bring: a pointer into a repository that does not name it.
    'false/.git': `gitdir: ${root}/repo/.git/worktrees/w\n`,
    'module/.git': 'gitdir: ../repo/.git/modules/m\n',
    'repo/.git/modules/m/gitdir': '../../../../module/.git\n',
  });
}

test('shares the memory of a repository with its worktrees, if the settings say so', async () => {
  const { ask, root, state } = openPlace();
  makeWorktree(root);
  const inside = (name: string) => ({ root: `${root}/${name}`, state });
  const recalled = async (name: string) => (await ask({ action: 'recall', key: 'k' }, inside(name))).result;
  await ask(save('k', 'repo'), inside('repo'));
  expect(await recalled('w')).toBeUndefined();
  makeTree(state, { 'config.json': '{"memory": {"share_worktrees": true}}' });
  expect(await recalled('w/src')).toBe('repo');
  for (const name of ['false', 'module', 'x', 'y']) expect([name, await recalled(name)]).toEqual([name, undefined]);
  await ask(save('k', 'bare'), inside('x'));
  expect(await recalled('y')).toBeUndefined();
  expect((await ask({ action: 'recall', key: 'k', scope: `${root}/bare.git` })).result).toBe('bare');
  await ask(save('k', 'from the worktree'), inside('w'));
  expect(await recalled('repo')).toBe('from the worktree');
  const exact = await ask({ action: 'recall', key: 'k', scope: `${root}/w` }, inside('w'));
  expect(exact.error_code).toBe('not_found');
});

test.for([
  '{',
  '[]',
  '{"memory": true}',
  '{"memory": {"share_worktrees": "yes"}}',
  '{"memory": {"share_worktrees": true, "share_worktrees": false}}',
])('keeps worktrees apart, with a warning, if config.json is %j', async (config) => {
  const { ask, root, state } = openPlace();
  makeWorktree(root);
  makeTree(state, { 'config.json': config });
  await ask(save('k', 'repo'), { root: `${root}/repo`, state });
  const answer = await ask({ action: 'list' }, { root: `${root}/w`, state });
  expect(answer.result).toBe('{"keys":[],"count":0}');
  expect(answer.meta).toMatchObject({ warnings: [expect.stringContaining('worktrees do not share')] });
  const elsewhere = await ask({ action: 'list' }, { root: `${root}/repo`, state });
  expect(elsewhere.meta).toEqual(answer.meta);
});

test('takes different paths of a project for the same project', async () => {
  const { ask, root } = openPlace();
  makeTree(root, { 'real/a/b.txt': '', link: { symlink: 'real' }, loop: { symlink: 'loop' } });
  await ask(save('k', 'v', { scope: `${root}/real/a` }));
  for (const name of ['link/a', 'real/a/', 'real/./x/../a', '/real//a']) {
    expect((await ask({ action: 'recall', key: 'k', scope: `${root}/${name}` })).result).toBe('v');
  }
  // A project that does not exist yet keeps its memory once it is created.
  await ask(save('k', 'later', { scope: `${root}/link/new/one` }));
  fs.mkdirSync(`${root}/real/new/one`, { recursive: true });
  expect((await ask({ action: 'recall', key: 'k', scope: `${root}/link/new/one` })).result).toBe('later');
  for (const name of ['loop', 'loop/x', 'real/a/b.txt/x']) {
    expect(await ask(save('k', 'v', { scope: `${root}/${name}` }))).toMatchObject({ ok: true });
  }
});

const NO_PATH = 'must be empty, "global", or an absolute path';

test.for([
  ...['project', 'src', './src', '../x', '~', 'Global', ' global', 'C:\\x'].map((scope) => [scope, NO_PATH]),
  ['/a\0b', 'a path cannot have such characters'],
  ['/\ud800', 'a path cannot have such characters'],
  [`/${'x'.repeat(4096)}`, 'has 4097 bytes, and a path has at most 4096'],
] as [string, string][])('refuses the scope %j', async ([scope, fault]) => {
  const { ask, state } = openPlace();
  for (const args of [save('k', 'v', { scope }), { action: 'list', scope }]) {
    const answer = await ask(args);
    expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args' });
    expect(answer.error).toMatch(/^invalid scope: ".*" — /);
    expect(answer.error?.endsWith(` — ${fault}`)).toBe(true);
    expect(answer.error?.length).toBeLessThan(250);
  }
  expect(fs.readdirSync(state)).toEqual([]);
});

test('exports Markdown, in fences that are longer than any inside a value', async () => {
  const { ask, root } = openPlace();
  makeTree(root, { 'my app/.git/HEAD': '' });
  const options = { root: `${root}/my app` };
  expect((await ask({ action: 'export' }, options)).result).toBe('# Memory of my app\n\nNothing is saved.\n');
  await ask(save('b', 'text with ````` inside'), options);
  await ask(save('a', '# no heading\n\n```sh\nls\n```', { pin: true }), options);
  const { result, meta } = await ask({ action: 'export' }, options);
  expect(meta).toEqual({ count: 2 });
  expect(result?.replaceAll(/\d{4}-\S+Z/g, 'DATE')).toMatchInlineSnapshot(`
    "# Memory of my app

    ## a

    saved DATE, pinned

    \`\`\`\`
    # no heading

    \`\`\`sh
    ls
    \`\`\`
    \`\`\`\`

    ## b

    saved DATE

    \`\`\`\`\`\`
    text with \`\`\`\`\` inside
    \`\`\`\`\`\`
    "
  `);
  expect((await ask({ action: 'export', scope: 'global' })).result).toContain('# Global memory\n');
  expect((await ask({ action: 'export', scope: '/' })).result).toContain('# Memory of /\n');
});

test('shows control characters of names as escapes in an export, so that each heading is one line', async () => {
  const { ask, root, state } = openPlace();
  const entries = { 'a\n# b\u202e\u2028': { value: 'v\n', updated: '2024\r\n## c' } };
  fs.writeFileSync(`${state}/memory.json`, JSON.stringify({ version: 1, entries }));
  expect((await ask({ action: 'export', scope: 'global' })).result).toBe(
    '# Global memory\n\n## a\\u{a}# b\\u{202e}\\u{2028}\n\nsaved 2024\\u{d}\\u{a}## c\n\n```\nv\n\n```\n',
  );
  makeTree(root, { 'x\ny\u0007/.git/HEAD': '' });
  const { result } = await ask({ action: 'export' }, { root: `${root}/x\ny\u0007` });
  expect(result).toBe('# Memory of x\\u{a}y\\u{7}\n\nNothing is saved.\n');
});

test('refuses an export that is larger than an answer', async () => {
  const { ask, state } = openPlace();
  const entries = { large: { value: 'x'.repeat(16 * 1024 * 1024) } };
  fs.writeFileSync(`${state}/memory.json`, JSON.stringify({ version: 1, entries }));
  const answer = await ask({ action: 'export', scope: 'global' });
  expect(answer).toMatchObject({
    ok: false,
    error_code: 'resource_limit',
    suggestion: expect.stringContaining('list'),
  });
});

test('imports the file of an older jinn, with keys and values that are refused today', async () => {
  const { ask, list, state } = openPlace();
  const entries = {
    'old\\key': { value: 'odd', updated: '2024-05-06T07:08:09Z' },
    large: { value: 'x'.repeat(40_000), updated: '2024-05-06T07:08:09Z' },
  };
  fs.writeFileSync(`${state}/memory.json`, JSON.stringify({ version: 1, entries }));
  const odd = { key: 'old\\key', scope: 'global' };
  expect(await ask({ action: 'recall', ...odd })).toEqual({
    ok: true,
    result: 'odd',
    meta: { updated: '2024-05-06T07:08:09Z' },
  });
  expect((await ask({ action: 'recall', key: 'large', scope: 'global' })).result).toHaveLength(40_000);
  expect((await ask(save(odd.key, 'v', odd))).error).toMatch(/^invalid key/);
  expect(await ask({ action: 'forget', ...odd })).toMatchObject({ ok: true, meta: { existed: true } });
  expect((await list({ scope: 'global' })).keys).toEqual(['large']);
  expect(fs.readdirSync(state).filter((name) => name.includes('json'))).toEqual(['memory.json.migrated']);
});

test('warns of a damaged file of an older jinn, whatever the answer, and goes on', async () => {
  const { ask, state } = openPlace();
  fs.writeFileSync(`${state}/memory.json`, '{"version":1,"entries":');
  const warning = expect.stringMatching(/^memory\.json of an older jinn was not imported and was left in place/);
  expect(await ask({ action: 'list' })).toEqual({
    ok: true,
    result: '{"keys":[],"count":0}',
    meta: { warnings: [warning] },
  });
  expect(fs.readdirSync(state)).toEqual(['memory.json']);
  const missing = await ask({ action: 'recall', key: 'k' });
  expect(missing.error).toMatch(/^key not found: k; memory\.json of an older jinn was not imported/);
  expect(await ask(save('k', 'v'))).toMatchObject({ ok: true, meta: { warnings: [warning] } });
  expect(await ask({ action: 'recall', key: 'k' })).toMatchObject({ result: 'v', meta: { warnings: [warning] } });
  expect(await ask({ action: 'forget', key: 'k' })).toMatchObject({ meta: { warnings: [warning] } });
  expect(await ask({ action: 'export' })).toMatchObject({ meta: { warnings: [warning] } });
  expect(fs.readFileSync(`${state}/memory.json`, 'utf8')).toBe('{"version":1,"entries":');
});

test('finds the parts of names, and words with a typing error', async () => {
  const { ask, list } = openPlace();
  await ask(save('hooks', 'call useWebSocket, which reconnects after 3 s'));
  await ask(save('http', 'HTTPServer reads retry_policy from the environment'));
  await ask(save('auth.tokenStore', 'opaque'));
  await ask(save('deploy', 'my script uses helm'));
  for (const [query, key] of [
    ['websocket', 'hooks'],
    ['socket', 'hooks'],
    ['server', 'http'],
    ['retry', 'http'],
    ['retryPolicy', 'http'],
    ['store', 'auth.tokenStore'],
    ['reconects', 'hooks'],
    ['enviroment', 'http'],
    ['opqaue', 'auth.tokenStore'],
    ['websokcet', 'hooks'],
    ['useWebSockett', 'hooks'],
    ['useWebSocket', 'hooks'],
    ['myWebSocket', 'hooks'],
  ]) {
    expect([query, await list({ query })]).toEqual([query, { keys: [key], count: 1 }]);
  }
  for (const query of ['rver', 'kangaroo', 'opaquest', 'useKangaroo']) expect((await list({ query })).keys).toEqual([]);
});

test('lists this project and global together', async () => {
  const { root, list, ask } = openPlace();
  await ask(save('style', 'tabs'));
  await ask(save('style', 'spaces', { scope: 'global' }));
  await ask(save('editor', 'vim', { scope: 'global' }));
  const scope = fs.realpathSync(root);
  expect(await list({ scope: 'all' })).toEqual({
    keys: ['style', 'editor', 'style'],
    count: 3,
    entries: [
      { key: 'style', scope },
      { key: 'editor', scope: 'global' },
      { key: 'style', scope: 'global' },
    ],
  });
  expect((await list({ scope: 'all', query: 'spaces', include_values: true })).entries).toMatchObject([
    { key: 'style', scope: 'global', value: 'spaces' },
  ]);
  expect(await ask({ action: 'list', scope: 'all', limit: 1 })).toMatchObject({ truncated: true, total_count: 3 });
});

test('lists the scopes, and moves the texts of one to another', async () => {
  const { root, ask, list } = openPlace();
  const gone = '/a/old-place'; // It comes before every temporary directory.
  await ask(save('a', 'one', { scope: gone }));
  await ask(save('b', 'two', { scope: gone }));
  await ask(save('b', 'mine'));
  const { scopes } = JSON.parse((await ask({ action: 'scopes' })).result ?? '');
  expect(scopes).toMatchObject([
    { scope: gone, count: 2 },
    { scope: fs.realpathSync(root), count: 1 },
  ]);
  expect(await ask({ action: 'move', from: gone })).toMatchObject({
    ok: true,
    result: `moved: 1. Not moved, because ${fs.realpathSync(root)} has the same keys: b`,
    meta: { moved: 1, kept: ['b'] },
  });
  expect((await list()).keys).toEqual(['a', 'b']);
  expect((await ask({ action: 'recall', key: 'b' })).result).toBe('mine');
  expect((await list({ query: 'one' })).keys).toEqual(['a']);
  expect(await ask({ action: 'move' })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: 'from is required for move',
  });
  expect(await ask({ action: 'move', from: 'all' })).toMatchObject({ ok: false, error_code: 'invalid_args' });
});

test('refuses to move from a scope without texts, and from a scope to itself', async () => {
  const { root, ask } = openPlace();
  const missing = {
    ok: false,
    error_code: 'not_found',
    error: 'nothing is saved in /home/me/nowhere',
    suggestion: 'use action="scopes" to see all scopes',
  };
  expect(await ask({ action: 'move', from: '/home/me/nowhere' })).toMatchObject(missing);
  await ask(save('a', 'one'));
  expect(await ask({ action: 'move', from: '/home/me/nowhere' })).toMatchObject(missing);
  expect(await ask({ action: 'move', from: root })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: `from and scope are the same: ${fs.realpathSync(root)}`,
  });
});

test('points to a text that is saved for all projects', async () => {
  const { ask } = openPlace();
  await ask(save('style', 'spaces', { scope: 'global' }));
  const hint = 'it is saved for all projects: use scope="global"';
  expect(await ask({ action: 'recall', key: 'style' })).toMatchObject({ ok: false, suggestion: hint });
  const usual = 'use action="list" to see available keys';
  expect(await ask({ action: 'recall', key: 'other' })).toMatchObject({ suggestion: usual });
  expect(await ask({ action: 'recall', key: 'style', scope: '/elsewhere' })).toMatchObject({ suggestion: hint });
  expect(await ask({ action: 'recall', key: 'x', scope: 'global' })).toMatchObject({ suggestion: usual });
  const warnings = ['1 more in the scope "global": use scope="all" to list them too'];
  for (const args of [{}, { scope: '' }, { query: 'spaces' }]) {
    expect(await ask({ action: 'list', ...args })).toMatchObject({
      result: '{"keys":[],"count":0}',
      meta: { warnings },
    });
  }
  await ask(save('own', 'no spaces'));
  expect(await ask({ action: 'list' })).toMatchObject({ result: '{"keys":["own"],"count":1}', meta: { warnings } });
  for (const args of [{ scope: 'all' }, { scope: 'global' }, { scope: '/elsewhere' }, { query: 'spaces' }]) {
    expect(await ask({ action: 'list', ...args })).not.toHaveProperty('meta.warnings');
  }
});
