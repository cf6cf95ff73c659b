import fs from 'node:fs';
import path from 'node:path';
import { createSession, defineTool, runPart } from '@jinn/core';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { mutate } from '@jinn/workspace';
import { expect, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { editFile } from './edit-file.ts';
import { undo } from './undo.ts';
import { writeFile } from './write-file.ts';

/** A workspace whose calls share a history. */
function makeWorkspace(files: Parameters<typeof makeTree>[1] = {}) {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  makeTree(options.root, files);
  const file = (name: string) => path.join(options.root, name);
  return {
    options,
    file,
    read: (name: string) => fs.readFileSync(file(name), 'utf8'),
    write: async (name: string, content: string) =>
      ((await call(writeFile, { path: name, content }, options)).meta as { undo_id: string }).undo_id,
    undo: (args: object) => call(undo, args, options),
    list: async (limit?: number) =>
      JSON.parse((await call(undo, { action: 'list', ...(limit && { limit }) }, options)).result ?? '') as {
        count: number;
        total: number;
        entries: Record<string, string>[];
      },
  };
}

/** Deletes `gone`, creates `made` and changes `kept` in one call. */
const threeChanges = defineTool({
  name: 'three',
  effect: 'write',
  description: 'A test.',
  input: (z) => z.strictObject({}),
  examples: [],
  async run(_args, ctx) {
    const contents = [undefined, Buffer.from('made'), Buffer.from('new')];
    const { operationId } = await mutate(ctx, {
      operation: 'three',
      targets: ['gone', 'made', 'kept'].map((name) => ({ path: name })),
      compute: (files) => ({ changes: files.map((file, i) => ({ file, content: contents[i] })), extra: undefined }),
    });
    return { meta: { operation_id: operationId } };
  },
});

test('names whose change it is, and warns before and when it takes back what somebody else did', async () => {
  const { options, write, list, read } = makeWorkspace({ a: 'v1' });
  const id = await write('a', 'v2');
  expect((await list()).entries[0]).not.toHaveProperty('person');
  const alice = { ...options, person: 'alice' };
  const hers = (await call(writeFile, { path: 'b', content: 'x' }, alice)).meta as { undo_id: string };
  const asBob = (args: object) => call(undo, args, { ...options, person: 'bob' });
  const listed = JSON.parse((await asBob({ action: 'list' })).result ?? '') as { entries: { person?: string }[] };
  expect(listed.entries.map(({ person }) => person)).toEqual(['alice', 'a user without a name']);
  const warning = /^b: alice made this change, not you \(\d{4}-\d\d-\d\dT[\d:]+Z\)$/;
  for (const action of ['preview', 'restore']) {
    expect((await asBob({ action, id: hers.undo_id })).meta).toMatchObject({
      warnings: [expect.stringMatching(warning)],
    });
  }
  const own = await call(undo, { action: 'restore', id }, options);
  expect([own.ok, own.meta]).toEqual([true, expect.not.objectContaining({ warnings: expect.anything() })]);
  expect(read('a')).toBe('v1');
});

test('warns of the later changes of others that go too', async () => {
  const { options, write } = makeWorkspace({ a: 'v1' });
  const id = await write('a', 'v2');
  await call(writeFile, { path: 'a', content: 'v3' }, { ...options, person: 'alice' });
  const { meta } = await call(undo, { action: 'restore', id, with_later: true }, options);
  expect(meta).toMatchObject({ warnings: [expect.stringContaining('a: alice made this change, not you')] });
});

const LACKS = { person: 'bob', lacksForOthers: 'the right of tests' };

test.each(['preview', 'restore'])(
  'refuses to %s what somebody else did without the right to, and names whose it is',
  async (action) => {
    const { options, write, file, read } = makeWorkspace({ a: 'v1\n' });
    const alice = { ...options, person: 'alice' };
    const asBob = (args: object) => call(undo, { action, ...args }, { ...options, ...LACKS });
    const { undo_id: id, operation_id: operation } = (await call(writeFile, { path: 'a', content: 'v2\n' }, alice))
      .meta as {
      undo_id: string;
      operation_id: string;
    };
    for (const named of [id, id.slice(0, 6), operation, operation.slice(0, 9)]) {
      for (const more of [{}, { with_later: true }]) {
        const refused = await asBob({ id: named, ...more });
        expect(refused).toMatchObject({
          ok: false,
          error_code: 'permission_denied',
          error: expect.stringMatching(
            /^a: alice made this change, not you \(.*Z\); you lack the right of tests \(nothing/,
          ),
          suggestion: 'ask alice to undo it, or a user with the right of tests',
        });
        expect(JSON.stringify(refused)).not.toContain('v1');
      }
    }
    const nameless = await write('b', 'x');
    expect(await asBob({ id: nameless })).toMatchObject({
      error: expect.stringContaining('b: a user without a name made this change'),
      suggestion: 'ask a user with the right of tests to undo it',
    });
    expect((await asBob({ last: 1 })).error).toBe('there are 0 calls to undo, not 1 (nothing was changed)');
    expect([read('a'), read('b')]).toEqual(['v2\n', 'x']);
    fs.rmSync(file('a'));
    expect((await asBob({ id })).error_code).toBe('permission_denied');
  },
);

test('refuses to take later changes of others along without the right to, and takes the own change out alone', async () => {
  const { options, read } = makeWorkspace({ a: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
  const bob = { ...options, ...LACKS };
  const own = (await call(editFile, { path: 'a', old_text: '2\n', new_text: 'bob\n' }, bob)).meta as {
    undo_id: string;
  };
  await call(editFile, { path: 'a', old_text: '8\n', new_text: 'alice\n' }, { ...options, person: 'alice' });
  for (const named of [{ id: own.undo_id }, { last: 1 }]) {
    for (const action of ['preview', 'restore']) {
      const refused = await call(undo, { action, ...named, with_later: true }, bob);
      expect(refused).toMatchObject({
        ok: false,
        error_code: 'permission_denied',
        error: expect.stringMatching(/^a: alice/),
      });
    }
  }
  expect(read('a')).toBe('1\nbob\n3\n4\n5\n6\n7\nalice\n9\n');
  expect(await call(undo, { action: 'restore', id: own.undo_id }, bob)).toMatchObject({ ok: true });
  expect(read('a')).toBe('1\n2\n3\n4\n5\n6\n7\nalice\n9\n');
});

test('refuses to take back a call of the own and one of somebody else in other files of it', async () => {
  const { options, read } = makeWorkspace({ a: 'v1\n', b: 'v1\n' });
  const bob = { ...options, ...LACKS };
  const own = (await call(writeFile, { path: 'a', content: 'v2\n' }, bob)).meta as { undo_id: string };
  const patch = '*** Begin Patch\n*** Update File: a\n-v2\n+v3\n*** Update File: b\n-v1\n+v3\n*** End Patch';
  await call(applyPatch, { patch }, { ...options, person: 'alice' });
  const refused = await call(undo, { action: 'restore', id: own.undo_id, with_later: true }, bob);
  expect(refused).toMatchObject({ ok: false, error_code: 'permission_denied' });
  expect([read('a'), read('b')]).toEqual(['v3\n', 'v3\n']);
});

test('refuses a call of somebody else in other files of it, where the own changes of a file are undone by it', async () => {
  const { options, read } = makeWorkspace({ a: 'v0\n', c: 'v0\n' });
  const bob = { ...options, ...LACKS };
  for (const content of ['v1\n', 'v2\n']) await call(writeFile, { path: 'a', content }, bob);
  const patch = '*** Begin Patch\n*** Update File: a\n-v2\n+v0\n*** Update File: c\n-v0\n+private\n*** End Patch';
  await call(applyPatch, { patch }, { ...options, person: 'alice' });
  for (const action of ['preview', 'restore']) {
    const refused = await call(undo, { action, last: 2, with_later: true }, bob);
    expect(refused).toMatchObject({
      ok: false,
      error_code: 'permission_denied',
      error: expect.stringContaining('alice'),
    });
    expect(JSON.stringify(refused)).not.toContain('private');
  }
  expect([read('a'), read('c')]).toEqual(['v0\n', 'private\n']);
});

test('lists changes, newest first', async () => {
  const { write, list } = makeWorkspace({ a: 'v1' });
  const ids = [await write('a', 'v2'), await write('b', 'x')];
  const { entries, count, total } = await list();
  expect({ count, total }).toEqual({ count: 2, total: 2 });
  expect(entries).toMatchObject([
    { id: ids[1], path: 'b', operation: 'write_file', created: true },
    { id: ids[0], path: 'a', operation: 'write_file', size: 2 },
  ]);
  expect(entries[0]?.['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(await list(1)).toMatchObject({ count: 1, total: 2, entries: [{ path: 'b' }] });
});

test('previews the difference to the present content', async () => {
  const { write, undo, file, read } = makeWorkspace({ c: 'v1\n' });
  const id = await write('c', 'v2\n');
  fs.writeFileSync(file('c'), 'v3\n');
  const { result } = await undo({ action: 'preview', id });
  expect(result).toMatch(/^\[undo preview\] id=\w+ op=write_file ts=.*\n--- a\/c\n/);
  expect(result).toContain('-v3\n+v1\n');
  expect(read('c')).toBe('v3\n');
});

test.each([
  [{ action: 'clear', id: 'a1b2c3' }, 'id does not go with the action clear, which removes the whole history'],
  [{ action: 'list', id: 'a1b2c3' }, 'id does not go with the action list'],
  [{ action: 'clear', limit: 5 }, 'limit does not go with the action clear'],
  [{ action: 'preview', id: 'a1b2c3', limit: 5 }, 'limit does not go with the action preview'],
  [{ action: 'restore', id: 'a1b2c3', limit: 5 }, 'limit does not go with the action restore'],
])('refuses %j, and the history stays', async (args, error) => {
  const { write, undo, list } = makeWorkspace({ a: 'v1' });
  await write('a', 'v2');
  expect(await undo(args)).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error,
    suggestion: expect.stringMatching(/^omit (id|limit)/),
  });
  expect(await list()).toMatchObject({ count: 1 });
});

test('takes an empty id for none, as hosts send it', async () => {
  const { write, undo, list } = makeWorkspace({ a: 'v1' });
  await write('a', 'v2');
  expect(await undo({ action: 'list', id: '' })).toMatchObject({ ok: true });
  expect(await undo({ action: 'clear', id: '' })).toMatchObject({ ok: true, meta: { removed: 1 } });
  expect(await list()).toMatchObject({ count: 0 });
});

test('restores content and mode, by a prefix of the id, and can undo that', async () => {
  const { write, undo, file, read, list } = makeWorkspace({ 'x.sh': { content: 'one', mode: 0o755 } });
  const id = await write('x.sh', 'two');
  fs.chmodSync(file('x.sh'), 0o644);
  const restored = await undo({ action: 'restore', id: id.slice(0, 8) });
  expect(restored).toMatchObject({ ok: true, meta: { version: expect.any(String), undo_id: expect.any(String) } });
  expect(restored.result).toMatch(/^restored: x\.sh to snapshot from .* \(op "write_file", id=\w+\)$/);
  expect([read('x.sh'), fs.statSync(file('x.sh')).mode & 0o777]).toEqual(['one', 0o755]);
  const [entry] = (await list()).entries;
  expect(entry).toMatchObject({ operation: 'undo' });
  await undo({ action: 'restore', id: entry?.['id'] });
  expect([read('x.sh'), fs.statSync(file('x.sh')).mode & 0o777]).toEqual(['two', 0o644]);
});

test('deletes a file that was created, and restores one that was deleted, with its mode', async () => {
  const { undo, write, file, read } = makeWorkspace();
  const id = await write('new/f', 'x');
  fs.chmodSync(file('new/f'), 0o600);
  expect((await undo({ action: 'preview', id })).result).toBe(
    '[undo preview] restoring would delete new/f (it was created by op "write_file")',
  );
  const { result, meta } = await undo({ action: 'restore', id });
  expect(result).toBe('restored: deleted new/f (undid "write_file")');
  expect(fs.existsSync(file('new/f'))).toBe(false);
  await undo({ action: 'restore', id: (meta as { undo_id: string }).undo_id });
  expect([read('new/f'), fs.statSync(file('new/f')).mode & 0o777]).toEqual(['x', 0o600]);
  expect((await undo({ action: 'restore', id: (meta as { undo_id: string }).undo_id })).result).toContain(
    '(no changes)',
  );
});

test('removes the directories that a creation made, and makes them again', async () => {
  const { options, undo, write } = makeWorkspace({ 'there/x': '' });
  const id = await write('there/a/b/c/f', 'x');
  const { meta } = await undo({ action: 'restore', id });
  expect(fs.readdirSync(options.root, { recursive: true }).sort()).toEqual(['there', 'there/x']);
  const again = await undo({ action: 'restore', id: (meta as { undo_id: string }).undo_id });
  expect(fs.existsSync(`${options.root}/there/a/b/c/f`)).toBe(true);
  await undo({ action: 'restore', id: (again.meta as { undo_id: string }).undo_id });
  expect(fs.readdirSync(options.root, { recursive: true }).sort()).toEqual(['there', 'there/x']);
});

test('keeps directories that hold something, that were there before, or that are links now', async () => {
  const { options, undo, write, file } = makeWorkspace({ 'old/sub/': '' });
  const before = await write('old/sub/f', 'x');
  const first = await write('new/a/f', 'x');
  const second = await write('new/g', 'x');
  const linked = await write('l/m/f', 'x');
  fs.renameSync(file('l/m'), file('elsewhere'));
  fs.symlinkSync('../elsewhere', file('l/m'));
  for (const id of [before, first]) await undo({ action: 'restore', id });
  expect(await undo({ action: 'restore', id: linked })).toMatchObject({ ok: false });
  const names = () => fs.readdirSync(options.root, { recursive: true, encoding: 'utf8' }).sort();
  const left = () => names().filter((name) => !name.startsWith('l/m/'));
  expect(left()).toEqual(['elsewhere', 'elsewhere/f', 'l', 'l/m', 'new', 'new/g', 'old', 'old/sub']);
  await undo({ action: 'restore', id: second });
  expect(left()).toContain('new');
});

test('removes the directories of a call that made several files in them', async () => {
  const { options, undo } = makeWorkspace({ f: 'old\n' });
  const patch = [
    '*** Add File: d/e/one',
    '+1',
    '*** Add File: d/two',
    '+2',
    '*** Update File: f',
    '*** Move to: d/g/f',
    '@@',
    '-old',
    '+new',
  ];
  const { meta } = await call(
    applyPatch,
    { patch: ['*** Begin Patch', ...patch, '*** End Patch'].join('\n') },
    options,
  );
  expect(fs.readdirSync(options.root)).toEqual(['d']);
  const id = (meta as { operation_id: string }).operation_id;
  expect(await undo({ action: 'preview', id })).toMatchObject({ ok: true });
  expect(fs.existsSync(`${options.root}/d/e/one`)).toBe(true);
  await undo({ action: 'restore', id });
  expect(fs.readdirSync(options.root)).toEqual(['f']);
});

test('undoes a whole call by its operation id, and undoes that', async () => {
  const { options, undo, file, read } = makeWorkspace({ gone: 'old', kept: 'old' });
  const { meta } = await call(threeChanges, {}, options);
  expect(fs.readdirSync(options.root).sort()).toEqual(['kept', 'made']);
  const id = (meta as { operation_id: string }).operation_id;
  expect((await undo({ action: 'preview', id })).result).toContain('restoring would delete made');
  const restored = await undo({ action: 'restore', id });
  expect(fs.readdirSync(options.root).sort()).toEqual(['gone', 'kept']);
  expect([read('gone'), read('kept')]).toEqual(['old', 'old']);
  await undo({ action: 'restore', id: (restored.meta as { operation_id: string }).operation_id });
  expect([fs.existsSync(file('gone')), read('made'), read('kept')]).toEqual([false, 'made', 'new']);
});

/** Replaces 50 files in one call. */
const fiftyChanges = defineTool({
  name: 'fifty',
  effect: 'write',
  description: 'A test.',
  input: (z) => z.strictObject({}),
  examples: [],
  async run(_args, ctx) {
    const { operationId } = await mutate(ctx, {
      operation: 'fifty',
      targets: Array.from({ length: 50 }, (_, i) => ({ path: `f${i}` })),
      compute: (files) => ({
        changes: files.map((file) => ({ file, content: Buffer.from('new') })),
        extra: undefined,
      }),
    });
    return { meta: { operation_id: operationId } };
  },
});

test('restores all files of a call, or none once it has left the history', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `old ${i}`]));
  const { options, write, undo, read } = makeWorkspace(files);
  const { meta } = await call(fiftyChanges, {}, options);
  const id = (meta as { operation_id: string }).operation_id;
  for (let n = 0; n < 199; n++) await write('other', `${n}`);
  expect((await undo({ action: 'preview', id })).result?.match(/^\[undo preview\]/gm)).toHaveLength(50);
  await write('other', 'one more');
  expect(await undo({ action: 'restore', id })).toMatchObject({ error_code: 'not_found' });
  expect(read('f0')).toBe('new');
});

test('clears the history of this workspace', async () => {
  const { write, undo, list } = makeWorkspace();
  await write('a', 'x');
  expect((await undo({ action: 'clear' })).result).toBe('cleared history for this workdir');
  expect(await list()).toEqual({ count: 0, total: 0, entries: [] });
});

test.for([
  ['no id to preview', { action: 'preview' }, 'invalid_args'],
  ['no id to restore', { action: 'restore' }, 'invalid_args'],
  ['an empty id', { action: 'restore', id: '' }, 'invalid_args'],
  ['an unknown id', { action: 'restore', id: 'zzz' }, 'not_found'],
  ['an unknown action', { action: 'forget' }, 'invalid_args'],
  ['a limit of 0', { action: 'list', limit: 0 }, 'invalid_args'],
] as const)('refuses %s', async ([, args, code]) => {
  const { write, undo, read } = makeWorkspace({ a: '1' });
  await write('a', '2');
  expect(await undo(args)).toMatchObject({ ok: false, error_code: code, suggestion: expect.any(String) });
  expect(read('a')).toBe('2');
});

test('refuses to preview or restore through a link that replaced the file', async () => {
  const { write, undo, file, options } = makeWorkspace({ a: '1', '.env': 'SECRET', b: 'other' });
  const id = await write('a', '2');
  const outside = makeTempDirectory();
  for (const [target, code] of [
    [`${outside}/x`, 'path_outside_sandbox'],
    ['.env', 'path_outside_sandbox'],
    ['b', 'conflict'],
  ] as const) {
    fs.rmSync(file('a'));
    fs.symlinkSync(target, file('a'));
    for (const action of ['preview', 'restore']) {
      expect(await undo({ action, id })).toMatchObject({ ok: false, error_code: code });
    }
  }
  expect(fs.readFileSync(path.join(options.root, 'b'), 'utf8')).toBe('other');
  expect(fs.readdirSync(outside)).toEqual([]);
});

test('previews a file that changed since it was read, and refuses to restore it', async () => {
  const { write, options, file, read } = makeWorkspace({ a: '1' });
  const id = await write('a', '2');
  const session = createSession();
  await call(writeFile, { path: 'a', content: '3' }, { ...options, session });
  fs.writeFileSync(file('a'), 'theirs');
  const preview = await call(undo, { action: 'preview', id }, { ...options, session });
  expect(preview.result).toContain('-theirs\n');
  expect(await call(undo, { action: 'restore', id }, { ...options, session })).toMatchObject({
    error_code: 'stale_file',
  });
  expect(read('a')).toBe('theirs');
});

test('says that there is no history with --no-history', async () => {
  expect(await call(undo, { action: 'list' }, { history: false })).toMatchObject({ error_code: 'not_found' });
});

test('takes back the last calls at once, and their files', async () => {
  const { write, undo, read, options, file } = makeWorkspace({ a: '1', kept: 'old', gone: 'x' });
  await write('a', '2');
  await call(threeChanges, {}, options);
  await write('a', '3');
  const preview = await undo({ action: 'preview', last: 2 });
  expect(preview.result).toMatch(/^\[undo preview\] of 2 calls: op-\w+ \(write_file\), op-\w+ \(three\)\n/);
  const { result } = await undo({ action: 'restore', last: 2 });
  expect(result).toMatch(/^took back 2 calls: op-\w+ \(write_file\), op-\w+ \(three\)\nrestored: a \(id=\w+\)\n/);
  expect([read('a'), read('kept'), read('gone'), fs.existsSync(file('made'))]).toEqual(['2', 'old', 'x', false]);
});

test('counts neither what was taken back nor what took it back', async () => {
  const { write, undo, read } = makeWorkspace({ a: '0' });
  for (const content of ['1', '2', '3']) await write('a', content);
  await undo({ action: 'restore', last: 1 });
  expect(read('a')).toBe('2');
  await write('a', '1');
  await undo({ action: 'restore', last: 1 });
  expect(read('a')).toBe('2');
  await undo({ action: 'restore', last: 2 });
  expect(read('a')).toBe('0');
  expect(await undo({ action: 'restore', last: 1 })).toMatchObject({ ok: false, error_code: 'not_found' });
});

test('takes the last call back alone, and keeps what others did beside it', async () => {
  const lines = Array.from({ length: 20 }, (_, i) => `${i}`);
  const { write, undo, read, file } = makeWorkspace({ a: lines.join('\n') });
  await write('a', lines.with(2, 'two').join('\n'));
  await write('a', lines.with(9, 'nine').join('\n'));
  await undo({ action: 'restore', last: 1 });
  fs.writeFileSync(file('a'), lines.with(2, 'two').with(15, 'theirs').join('\n'));
  const { result } = await undo({ action: 'restore', last: 1 });
  expect(result).toContain('restored: took this change out of a, and kept what was changed since');
  expect(read('a')).toBe(lines.with(15, 'theirs').join('\n'));
});

test('takes back all of the last calls or none', async () => {
  const { write, undo, read, file } = makeWorkspace({ a: '1\n', b: '1\n' });
  await write('a', '2\n');
  await write('b', '2\n');
  fs.writeFileSync(file('a'), 'theirs\n');
  const { result } = await undo({ action: 'preview', last: 2 });
  expect(result).toContain('restore is refused without with_later');
  expect(await undo({ action: 'restore', last: 2 })).toMatchObject({ ok: false, error_code: 'stale_file' });
  expect([read('a'), read('b')]).toEqual(['theirs\n', '2\n']);
  expect(await undo({ action: 'restore', last: 2, with_later: true })).toMatchObject({ ok: true });
  expect([read('a'), read('b')]).toEqual(['1\n', '1\n']);
});

test.each([
  [{ action: 'restore', last: 3 }, 'not_found', 'there is 1 call to undo, not 3', 'pass last: 1'],
  [{ action: 'restore', last: 1, id: 'a1' }, 'invalid_args', 'last does not go with id', 'leave one of them out'],
  [{ action: 'list', last: 1 }, 'invalid_args', 'last does not go with the action list', 'omit last'],
])('refuses %j, and changes nothing', async (args, error_code, error, suggestion) => {
  const { write, undo, read } = makeWorkspace({ a: '1' });
  await write('a', '2');
  const answer = await undo(args);
  expect(answer).toMatchObject({ ok: false, error_code, error: expect.stringContaining(error) });
  expect(answer.suggestion).toContain(suggestion);
  expect(read('a')).toBe('2');
});

test('lists a call a line for a model, and counts calls', async () => {
  const { write, options, list } = makeWorkspace({ kept: 'old', gone: 'x' });
  const listText = async (args = {}) =>
    (await call(undo, { action: 'list', ...args }, { ...options, maxResult: 10_000 })).result;
  expect(await listText()).toBe('[no changes in the history]');
  await call(threeChanges, {}, options);
  await write('kept', 'v2');
  const one = /^op-\w+ \S+Z write_file: changed kept$/m;
  const three = /^op-\w+ \S+Z three: (?=.*deleted gone)(?=.*created made)(?=.*changed kept)/m;
  expect(await listText()).toMatch(new RegExp(`${one.source}\n${three.source}`, 'm'));
  expect(await listText({ limit: 1 })).toMatch(/write_file: changed kept\n\[1 of 2 calls, limit: 2 lists all\]$/);
  expect(await list(2)).toMatchObject({ count: 4, total: 4 });
});

test('a change that is made while the history is listed is not told as damaged', async () => {
  const { options, write } = makeWorkspace();
  await write('a', 'x');
  const listMeanwhile = defineTool({
    name: 'list_meanwhile',
    effect: 'read',
    description: 'List the history while another process writes.',
    input: (z) => z.strictObject({}),
    examples: [],
    async run(_args, ctx) {
      let writing: Promise<unknown> | undefined;
      const afterwards = async <T>(found: Promise<T>): Promise<T> => {
        const first = await found;
        writing ??= write('b', 'y');
        await writing;
        return first;
      };
      const history = await ctx.history();
      if (!history) throw new Error('there is a history');
      const archive = await history.archive();
      const meanwhile = Object.assign(Object.create(history), {
        unsettled: () => history.unsettled(),
        takeWarnings: () => history.takeWarnings(),
        archive: async () => ({
          damaged: () => archive.damaged(),
          list: () => afterwards(archive.list()),
          count: () => afterwards(archive.count()),
        }),
      });
      return runPart(undo, { action: 'list' }, { ...ctx, history: async () => meanwhile });
    },
  });
  const answer = await call(listMeanwhile, {}, options);
  expect(answer).toMatchObject({ ok: true, result: expect.stringContaining('write_file') });
  expect(Object(answer.meta).warnings).toBeUndefined();
});

test('a call without an action is answered with the whole call', async () => {
  const answer = await call(undo, { last: 1 });
  expect(answer).toMatchObject({
    error_code: 'invalid_args',
    suggestion: expect.stringContaining('"args":{"action":"restore","last":1}'),
  });
});

test('says what to do if the files are already as they were', async () => {
  const { file, write, undo: runUndo } = makeWorkspace();
  await write('a', 'new\n');
  fs.rmSync(file('a'));
  const { meta } = await runUndo({ action: 'restore', last: 1 });
  expect(meta).toMatchObject({ warnings: [expect.stringContaining('to undo an earlier call, pass its id')] });
});
