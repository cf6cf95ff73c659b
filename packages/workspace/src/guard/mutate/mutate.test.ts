import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createSession, defineTool } from '@jinn/core';
import { openHistory } from '@jinn/store';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../workspace.ts';
import { createLocks } from './locks.ts';
import { mutate } from './mutate.ts';
import type { FileChange, FileState } from './mutation.ts';

const isRoot = process.getuid?.() === 0;

/** A tool that writes what a function of the test computes. */
function changing(paths: readonly string[], compute: (files: readonly FileState[]) => readonly FileChange[]) {
  return defineTool({
    name: 'change',
    effect: 'write',
    description: 'A test.',
    input: (z) => z.strictObject({ if_version: z.optional(z.string()), dry_run: z.optional(z.boolean()) }),
    examples: [],
    async run({ if_version, dry_run }, ctx) {
      const targets = paths.map((path) => ({ path, ifVersion: if_version }));
      const { files, operationId } = await mutate(ctx, {
        operation: 'change',
        targets,
        dryRun: dry_run,
        compute: (states) => ({ changes: compute(states), extra: undefined }),
      });
      return {
        data: { files: files.map(({ changed, version, undoId }) => ({ changed, version, undoId })), operationId },
      };
    },
  });
}

/** Writes the same content to all paths. */
const writing = (content: string | undefined, ...paths: string[]) =>
  changing(paths, (files) =>
    files.map((file) => ({ file, content: content === undefined ? undefined : Buffer.from(content) })),
  );

/** The tree as paths and contents. */
function readTree(root: string): Record<string, string> {
  const names = fs.readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map(({ parentPath, name }) => path.join(parentPath, name));
  return Object.fromEntries(files.map((file) => [path.relative(root, file), fs.readFileSync(file, 'utf8')]).sort());
}

const listed = (state: string, root: string) =>
  call(listing, {}, { state, root }).then(({ result }) => JSON.parse(result ?? '[]') as { path: string }[]);
const listing = defineTool({
  name: 'list',
  effect: 'read',
  description: 'A test.',
  input: (z) => z.strictObject({}),
  examples: [],
  run: async (_args, ctx) => ({ data: (await (await (await ctx.history())?.archive())?.list()) ?? [] }),
});

test.for([true, false])(
  'makes a file and the directories on the way, and leaves nothing else (useProc %s)',
  async (useProc) => {
    const root = makeTempDirectory();
    expect(await call(writing('hello', 'a/b/c.txt'), {}, { root, useProc })).toMatchObject({ ok: true });
    expect(readTree(root)).toEqual({ 'a/b/c.txt': 'hello' });
    expect(fs.statSync(path.join(root, 'a/b/c.txt')).mode & 0o777).toBe(0o666 & ~process.umask());
  },
);

test.for([true, false])('replaces a file and keeps its mode (useProc %s)', async (useProc) => {
  const root = makeTempDirectory();
  const files = { 'x.sh': { content: 'old', mode: 0o775 } };
  await call(writing('new', 'x.sh'), {}, { root, files, useProc });
  expect(readTree(root)).toEqual({ 'x.sh': 'new' });
  expect(fs.statSync(path.join(root, 'x.sh')).mode & 0o7777).toBe(0o775);
});

test.skipIf(!isRoot)('keeps owner and group', async () => {
  const root = makeTempDirectory();
  makeTree(root, { f: 'old' });
  fs.chownSync(path.join(root, 'f'), 12_345, 23_456);
  await call(writing('new', 'f'), {}, { root });
  expect(fs.statSync(path.join(root, 'f'))).toMatchObject({ uid: 12_345, gid: 23_456 });
});

test('refuses to change what a folder holds that is held, until all have let go of it', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'held/a': 'a', 'held2/a': 'a', link: { symlink: 'held' } });
  const tries = defineTool({
    name: 'try',
    effect: 'write',
    description: 'A test.',
    input: (z) => z.strictObject({}),
    examples: [],
    async run(_args, ctx) {
      const change = (path: string) => {
        const compute = (files: readonly FileState[]) => ({
          changes: files.map((file) => ({ file, content: Buffer.from('b') })),
          extra: undefined,
        });
        const done = mutate(ctx, { operation: 'try', targets: [{ path }], compute });
        return done.then(
          () => 'changed',
          (error) => error.code,
        );
      };
      const releases = [1, 2].map(() => ctx.workspace.heldFolders.hold(`${root}/held`));
      const said = [await change('held/a'), await change('link/new/b'), await change('held2/a')];
      releases[0]?.();
      said.push(await change('held/a'));
      releases[1]?.();
      said.push(await change('held/a'));
      return { data: said };
    },
  });
  const { result } = await call(tries, {}, { root });
  expect(JSON.parse(result ?? '')).toEqual(['conflict', 'conflict', 'changed', 'conflict', 'changed']);
  expect(readTree(root)).toEqual({ 'held/a': 'b', 'held2/a': 'b' });
});

test('removes a file', async () => {
  const root = makeTempDirectory();
  await call(writing(undefined, 'a'), {}, { root, files: { a: 'x', b: 'y' } });
  expect(readTree(root)).toEqual({ b: 'y' });
});

test('changes the file that a link stands for, and leaves the link', async () => {
  const root = makeTempDirectory();
  const files = { 'd/f': 'old', l: { symlink: 'd/f' }, dangling: { symlink: 'd/new' }, dir: { symlink: 'd' } };
  expect(await call(writing('new', 'l', 'dangling', 'dir/g'), {}, { root, files })).toMatchObject({ ok: true });
  expect(readTree(root)).toEqual({ 'd/f': 'new', 'd/new': 'new', 'd/g': 'new' });
  expect(fs.readlinkSync(path.join(root, 'l'))).toBe('d/f');
  expect(fs.readlinkSync(path.join(root, 'dangling'))).toBe('d/new');
});

test.for([
  ['a link out', 'out/x', 'path_outside_sandbox'],
  ['a dangling link out', 'gone', 'path_outside_sandbox'],
  ['a missing directory behind a link out', 'out/a/b', 'path_outside_sandbox'],
  ['what is above', '../x', 'path_outside_sandbox'],
  ['a secret', '.env', 'path_outside_sandbox'],
  ['a secret in a missing directory', 'new/.git/config', 'path_outside_sandbox'],
  ['a link to a secret', 'secret', 'path_outside_sandbox'],
  ['a link to a secret in a missing directory', 'deep', 'path_outside_sandbox'],
  ['a directory', 'd', 'not_a_file'],
  ['the root', '.', 'not_a_file'],
  ['a name that ends like a directory', 'new/', 'not_a_file'],
  ['a FIFO', 'fifo', 'not_a_file'],
  ['a file as a directory', 'd/f/x', 'not_a_directory'],
  ['a way up from what is missing', 'lost/x', 'file_not_found'],
  ['a read-only file', 'ro', 'permission_denied'],
  ['a file over 50 MB', 'huge', 'file_too_large'],
  ['an empty path', '', 'invalid_args'],
] as const)('refuses %s, also in a dry run, and changes nothing', async ([, target, code]) => {
  const root = makeTempDirectory();
  const outside = makeTempDirectory();
  makeTree(root, {
    'd/f': 'x',
    out: { symlink: outside },
    gone: { symlink: `${outside}/made` },
    secret: { symlink: '.env.local' },
    deep: { symlink: 'missing/.env' },
    lost: { symlink: 'missing/../d' },
    fifo: { fifo: true },
    ro: { content: 'x', mode: 0o444 },
    huge: '',
  });
  fs.truncateSync(path.join(root, 'huge'), 50 * 1024 * 1024 + 1);
  for (const dry_run of [true, false]) {
    expect(await call(writing('new', target), { dry_run }, { root })).toMatchObject({ ok: false, error_code: code });
  }
  expect(fs.readdirSync(outside)).toEqual([]);
  expect(fs.readdirSync(root).sort()).toEqual(['d', 'deep', 'fifo', 'gone', 'huge', 'lost', 'out', 'ro', 'secret']);
  expect(fs.readFileSync(path.join(root, 'd/f'), 'utf8')).toBe('x');
});

test('refuses content over 50 MB before it is written', async () => {
  const big = changing(['f'], ([file]) => (file ? [{ file, content: Buffer.alloc(50 * 1024 * 1024 + 1) }] : []));
  expect(await call(big, {})).toMatchObject({ error_code: 'file_too_large' });
});

test('refuses files that hold more than 64 MB together', async () => {
  const root = makeTempDirectory();
  const names = ['a', 'b'];
  for (const name of names) {
    fs.writeFileSync(path.join(root, name), '');
    fs.truncateSync(path.join(root, name), 50 * 1024 * 1024);
  }
  expect(await call(writing('x', ...names), { dry_run: true }, { root })).toMatchObject({
    error_code: 'resource_limit',
  });
});

test('keeps away from the state of jinn in the workspace, by any name', async () => {
  const root = makeTempDirectory();
  const state = path.join(root, 'cfg/Jinn');
  makeTree(root, { 'cfg/Jinn/config.json': '{}', l: { symlink: 'cfg' } });
  for (const target of ['cfg/Jinn/config.json', 'cfg/jinn/new', 'l/Jinn/state.db', 'cfg/./Jinn/locks/x', 'cfg/Jinn']) {
    const answer = await call(writing('x', target), {}, { root, state, history: false });
    expect(answer).toMatchObject({ error_code: 'path_outside_sandbox', error: `blocked: sensitive path: ${target}` });
  }
  expect(readTree(root)).toEqual({ 'cfg/Jinn/config.json': '{}' });
});

test('keeps a walk of the tree away from the state of jinn too', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'cfg/jinn/state.db': 'x', 'cfg/other/f': 'x' });
  const workspace = openWorkspace({ root, closed: [`${root}/cfg/jinn`] });
  onTestFinished(() => workspace.close());
  await workspace.withDirectory('cfg', async (directory) => {
    expect(() => directory.child('jinn')).toThrow('blocked: sensitive path: cfg/jinn');
    directory.child('other').close();
  });
});

test('refuses what changed since the session read it, in any direction of time', async () => {
  for (const mtime of [new Date(1_600_000_000_000), new Date(1_800_000_000_000)]) {
    const root = makeTempDirectory();
    const session = createSession();
    makeTree(root, { f: { content: 'one', mtime: new Date(1_700_000_000_000) } });
    await call(writing('two', 'f'), {}, { root, session });
    makeTree(root, { f: { content: 'oth', mtime } });
    expect(await call(writing('three', 'f'), {}, { root, session })).toMatchObject({
      ok: false,
      error_code: 'stale_file',
      error: expect.stringMatching(/^file modified since last read \(mtime changed\)\. Re-read before writing: f\n/),
      suggestion: 'this counts as a read: if the change still fits, send it again',
    });
    expect(readTree(root)).toEqual({ f: 'oth' });
  }
});

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);

test('shows what has changed in all stale files, and takes the same call then', async () => {
  const root = makeTempDirectory();
  const session = createSession();
  await call(writing(LINES.join(''), 'f', 'g'), {}, { root, session });
  makeTree(root, { f: LINES.with(19, 'other\n').join(''), g: LINES.toSpliced(0, 1).join('') });
  const { error } = await call(writing('mine', 'f', 'g'), { dry_run: true }, { root, session });
  expect(error).toContain('Re-read before writing: f\nfile modified');
  expect(error).toContain('--- a/f\n+++ b/f\n@@ -18,5 +18,5 @@\n line 18\n line 19\n-line 20\n+other\n line 21\n');
  expect(error).toContain('--- a/g\n+++ b/g\n@@ -1,3 +1,2 @@\n-line 1\n');
  expect(await call(writing('mine', 'f', 'g'), {}, { root, session })).toMatchObject({ ok: true });
});

test.for([
  ['only has another time', LINES.join(''), LINES.join(''), 'f: its content is the same'],
  ['is binary now', 'text', 'a\0b', 'f: 4 bytes then, 3 bytes now'],
  ['is another one', `${'old\n'.repeat(3_000)}end\n`, `${'new\n'.repeat(2_000)}end\n`, 'lines 1-3000 are lines 1-2000'],
  ['has long changes', 'x', 'y'.repeat(20_000), 'more characters of the difference are not shown]'],
] as const)('tells of a stale file that %s, in a bounded message', async ([, before, after, told]) => {
  const root = makeTempDirectory();
  const session = createSession();
  await call(writing(before, 'f'), {}, { root, session });
  makeTree(root, { f: { content: after, mtime: new Date(1_600_000_000_000) } });
  const { error, error_code } = await call(writing('mine', 'f'), {}, { root, session });
  expect([error_code, error?.includes(told), (error?.length ?? 0) < 10_000]).toEqual(['stale_file', true, true]);
});

test('has a file read again whose content the session does not keep', async () => {
  const root = makeTempDirectory();
  const session = createSession();
  const large = 'x'.repeat(1024 * 1024 + 1);
  await call(writing(large, 'f'), {}, { root, session });
  makeTree(root, { f: 'other' });
  for (const _ of [1, 2]) {
    expect(await call(writing('mine', 'f'), {}, { root, session })).toMatchObject({
      error: 'file modified since last read (mtime changed). Re-read before writing: f',
      suggestion: 'read the file again, and make the change on what it holds now',
    });
  }
});

test('shows what has changed since a version that the history has', async () => {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  const { result } = await call(writing('one\n', 'f'), {}, options);
  const { version } = JSON.parse(result ?? '').files[0];
  await call(writing('two\n', 'f'), {}, options);
  const refused = await call(writing('x', 'f'), { if_version: version }, options);
  expect(refused.error).toMatch(/^if_version \S+ does not match: f: the file has version \S+ now\nChanged since/);
  expect(refused.error).toContain('-one\n+two');
  expect(refused.suggestion).toContain('send it again with the version that it has now');
  const [, now] = /has version (\S+) now/.exec(refused.error ?? '') ?? [];
  expect(await call(writing('x', 'f'), { if_version: now }, options)).toMatchObject({ ok: true });
});

test('lets a session write again what it wrote, and what was deleted', async () => {
  const root = makeTempDirectory();
  const options = { root, session: createSession() };
  expect(await call(writing('1', 'f'), {}, options)).toMatchObject({ ok: true });
  expect(await call(writing('2', 'f'), {}, options)).toMatchObject({ ok: true });
  fs.rmSync(path.join(root, 'f'));
  expect(await call(writing('3', 'f'), {}, options)).toMatchObject({ ok: true });
  expect(await call(writing(undefined, 'f'), {}, options)).toMatchObject({ ok: true });
  makeTree(root, { f: 'by hand' });
  expect(await call(writing('4', 'f'), {}, options)).toMatchObject({ ok: true });
});

test('writes only the version that is asked for', async () => {
  const root = makeTempDirectory();
  const { result } = await call(writing('one', 'f'), {}, { root });
  const { version } = JSON.parse(result ?? '').files[0];
  makeTree(root, { f: 'two' });
  const stale = { ok: false, error_code: 'stale_file' };
  expect(await call(writing('x', 'f'), { if_version: version }, { root })).toMatchObject(stale);
  expect(await call(writing('x', 'none'), { if_version: version }, { root })).toMatchObject(stale);
  makeTree(root, { f: 'one' });
  expect(await call(writing('x', 'f'), { if_version: version }, { root })).toMatchObject({ ok: true });
  expect(readTree(root)).toEqual({ f: 'x' });
});

function replaceWithCopy(file: string): void {
  fs.copyFileSync(file, `${file}2`);
  fs.renameSync(`${file}2`, file);
}

test.for([
  ['changed', (file: string) => fs.writeFileSync(file, 'theirs'), 'theirs'],
  ['deleted', (file: string) => fs.rmSync(file), undefined],
  ['replaced', replaceWithCopy, 'old'],
] as const)('leaves a file that is %s while the change is made', async ([, meddle, left]) => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  const tool = changing(['f'], ([file]) => {
    meddle(path.join(root, 'f'));
    return file ? [{ file, content: Buffer.from('mine') }] : [];
  });
  expect(await call(tool, {}, { root, state, files: { f: 'old' } })).toMatchObject({
    error_code: 'stale_file',
    error: 'file modified since last read (mtime changed). Re-read before writing: f',
  });
  expect(readTree(root)).toEqual(left === undefined ? {} : { f: left });
  expect(await listed(state, root)).toEqual([]);
});

test('leaves a file that appears while it is made, and removes the directories it had made', async () => {
  const root = makeTempDirectory();
  const tool = changing(['new/x', 'f'], ([first, file]) => {
    makeTree(root, { f: 'theirs' });
    return first && file ? [first, file].map((each) => ({ file: each, content: Buffer.from('mine') })) : [];
  });
  expect(await call(tool, {}, { root })).toMatchObject({ error_code: 'stale_file' });
  expect(readTree(root)).toEqual({ f: 'theirs' });
  expect(fs.existsSync(path.join(root, 'new'))).toBe(false);
});

test('gives one and the same file to two spellings of its path', async () => {
  const root = makeTempDirectory();
  const seen: FileState[] = [];
  const tool = changing(['f', './f', 'l'], (files) => {
    seen.push(...files);
    return files[0] ? [{ file: files[0], content: Buffer.from('new') }] : [];
  });
  await call(tool, {}, { root, files: { f: 'old', l: { symlink: 'f' } } });
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).toBe(seen[0]);
});

test('leaves a file alone that already is what it should become', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  makeTree(root, { f: { content: 'same', mtime: new Date(1_700_000_000_000) } });
  const { result } = await call(writing('same', 'f'), {}, { root, state });
  expect(JSON.parse(result ?? '').files).toMatchObject([{ changed: false }]);
  expect(fs.statSync(path.join(root, 'f')).mtimeMs).toBe(1_700_000_000_000);
  expect(await listed(state, root)).toEqual([]);
});

test('writes nothing, locks nothing and records nothing in a dry run', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  expect(await call(writing('x', 'a/f'), { dry_run: true }, { root, state })).toMatchObject({ ok: true });
  expect([fs.readdirSync(root), fs.readdirSync(state)]).toEqual([[], []]);
});

test('does not touch any file when one of a batch is refused', async () => {
  const root = makeTempDirectory();
  const answer = await call(writing('new', 'a', '.env', 'b'), {}, { root, files: { a: 'old' } });
  expect(answer).toMatchObject({ error_code: 'path_outside_sandbox' });
  expect(readTree(root)).toEqual({ a: 'old' });
});

test.skipIf(!isRoot)('rolls back what was written when a later write fails, and says so', async (context) => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  makeTree(root, { a: { content: 'old a', mode: 0o640 }, gone: 'old gone', 'd/z': 'old z' });
  // A file that something is mounted on cannot be renamed over, which shows only at the rename itself.
  const mount = spawnSync('mount', ['--bind', path.join(root, 'd/z'), path.join(root, 'd/z')]);
  if (mount.status !== 0) return context.skip('mount is not allowed here');
  onTestFinished(() => void execFileSync('umount', [path.join(root, 'd/z')]));
  const tool = changing(['a', 'gone', 'new/n', 'd/z'], (files) =>
    files.map((file) => ({ file, content: file.path === 'gone' ? undefined : Buffer.from('new') })),
  );
  const answer = await call(tool, {}, { root, state });
  expect(answer).toMatchObject({
    error_code: 'write_failed',
    error: 'could not write d/z: the system answers EBUSY (earlier changes were rolled back: a, new/n)',
  });
  expect(readTree(root)).toEqual({ a: 'old a', 'd/z': 'old z', gone: 'old gone' });
  const removing = changing(['gone', 'a', 'd/z', 'new/n'], (files) =>
    files.map((file) => ({ file, content: ['gone', 'd/z'].includes(file.path) ? undefined : Buffer.from('new') })),
  );
  expect(await call(removing, {}, { root, state })).toMatchObject({
    error_code: 'write_failed',
    error: expect.stringContaining('earlier changes were rolled back: a, new/n, gone'),
  });
  expect(readTree(root)).toEqual({ a: 'old a', 'd/z': 'old z', gone: 'old gone' });
  expect(fs.statSync(path.join(root, 'a')).mode & 0o777).toBe(0o640);
  expect(fs.existsSync(path.join(root, 'new'))).toBe(false);
  expect(await listed(state, root)).toEqual([]);
});

test.skipIf(!isRoot)('leaves the old file when the disk is full', async (context) => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', root]).status !== 0) {
    return context.skip('mount is not allowed here');
  }
  onTestFinished(() => void execFileSync('umount', [root]));
  makeTree(root, { f: 'old', g: 'old' });
  const answer = await call(writing('x'.repeat(100_000), 'g', 'new/n', 'f'), {}, { root, state });
  expect(answer).toMatchObject({
    error_code: 'write_failed',
    error: 'could not write g: no space left on the disk (nothing was changed)',
  });
  expect(readTree(root)).toEqual({ f: 'old', g: 'old' });
  expect(fs.readdirSync(root).sort()).toEqual(['f', 'g']);
  expect(await listed(state, root)).toEqual([]);
});

test.skipIf(!isRoot)(
  'changes files without undo when the disk of the history is full, unless the settings want it',
  async (context) => {
    const state = makeTempDirectory();
    const root = makeTempDirectory();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', state]).status !== 0) {
      return context.skip('mount is not allowed here');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', state]));
    const noise = Buffer.from(Array.from({ length: 400_000 }, () => Math.random() * 256)).toString('latin1');
    makeTree(root, { f: noise });
    makeTree(state, { 'config.json': '{"history":"require"}' });
    expect(await call(writing('new', 'f'), {}, { root, state })).toMatchObject({ error_code: 'write_failed' });
    expect(readTree(root)).toEqual({ f: noise });
    fs.rmSync(`${state}/config.json`);
    expect(await call(writing('new', 'f'), {}, { root, state })).toMatchObject({
      ok: true,
      meta: {
        warnings: [expect.stringContaining('files are changed without undo: no space left on the disk; free some')],
      },
    });
    expect(readTree(root)).toEqual({ f: 'new' });
  },
);

test('settles what a killed process left, whatever stands there now', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  const { result } = await call(writing('done', 'done'), {}, { root });
  const afterVersion = JSON.parse(result ?? '').files[0].version as string;
  const history = await openHistory(state, root);
  for (const name of ['done', 'undone', 'a directory']) {
    const change = { path: name, before: undefined, beforeVersion: undefined, afterVersion, newDirectories: 0 };
    await history.prepare('killed', [change]);
  }
  makeTree(root, { 'a directory/x': '' });
  expect(await call(writing('x', 'f'), {}, { root, state })).toMatchObject({ ok: true });
  expect((await listed(state, root)).map((entry) => entry.path)).toEqual(['f', 'a directory', 'done']);
});

test('leaves alone what a call that runs has prepared', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  const history = await openHistory(state, root);
  const nothing = { before: undefined, beforeVersion: undefined, newDirectories: 0 };
  const change = { path: 'running', ...nothing, afterVersion: '1-1' };
  const lock = createLocks(`${state}/locks`).tryAcquire({ path: `${root}/running`, asked: '', clean: () => {} });
  const { id = '' } = (await history.prepare('running', [change])) ?? {};
  await call(writing('x', 'f'), {}, { root, state });
  expect(await history.unsettled()).toMatchObject([{ path: 'running' }]);
  await history.commit(id, ['running']);
  lock?.release();
  expect((await listed(state, root)).map((entry) => entry.path)).toEqual(['f', 'running']);
});

test('changes the file that a link names once it is locked', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  makeTree(root, { a: 'old', b: 'old', l: { symlink: 'a' } });
  const lock = createLocks(`${state}/locks`).tryAcquire({ path: `${root}/a`, asked: '', clean: () => {} });
  const answer = call(writing('new', 'l'), {}, { root, state });
  await new Promise((resolve) => setTimeout(resolve, 20));
  fs.rmSync(path.join(root, 'l'));
  makeTree(root, { l: { symlink: 'b' } });
  lock?.release();
  expect(await answer).toMatchObject({ ok: true });
  expect(readTree(root)).toEqual({ a: 'old', b: 'new' });
});

/** Puts a directory and a link that leads out under one name in turn, as fast as it can, until it is killed. */
const SWAPPER = `
  const fs = require('node:fs');
  const [name, real, outside] = process.argv.slice(1);
  const attempt = (work, otherwise = () => {}) => { try { work(); } catch { otherwise(); } };
  const remove = () => attempt(() => fs.rmSync(name, { recursive: true, force: true }));
  process.stdout.write('ready');
  for (;;) {
    attempt(() => fs.renameSync(name, real));
    attempt(() => fs.symlinkSync(outside, name));
    attempt(() => fs.unlinkSync(name), remove);
    attempt(() => fs.renameSync(real, name), remove);
  }`;

test.for([true, false])(
  'never writes outside while a directory is swapped for a link (useProc %s)',
  { tags: 'slow' },
  async (useProc) => {
    const root = makeTempDirectory();
    const outside = makeTempDirectory();
    const state = makeTempDirectory();
    makeTree(root, { 'd/': '' });
    const swapped = [path.join(root, 'd'), path.join(root, 'real'), outside];
    const swapper = spawn(process.execPath, ['-e', SWAPPER, ...swapped]);
    onTestFinished(() => void swapper.kill('SIGKILL'));
    await new Promise((resolve) => swapper.stdout.once('data', resolve));
    const outcomes = new Set<boolean>();
    for (let i = 0; i < 250 || (outcomes.size < 2 && i < 5_000); i++) {
      outcomes.add((await call(writing(`text ${i}`, 'd/new/f'), {}, { root, state, useProc, history: false })).ok);
      expect(fs.readdirSync(outside)).toEqual([]);
    }
    expect(outcomes.size).toBe(2);
  },
);

test('answers ok when the lock cannot be released, and takes it over the next time', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  const [locks, aside] = [`${state}/locks`, `${state}/aside`];
  const tool = changing(['f'], ([file]) => {
    fs.renameSync(locks, aside);
    fs.writeFileSync(locks, '');
    return file ? [{ file, content: Buffer.from('mine') }] : [];
  });
  expect(await call(tool, {}, { root, state, files: { f: 'old' } })).toMatchObject({ ok: true });
  expect(readTree(root)).toEqual({ f: 'mine' });
  fs.rmSync(locks);
  fs.renameSync(aside, locks);
  expect(fs.readdirSync(locks)).toHaveLength(1);
  expect(await call(writing('next', 'f'), {}, { root, state })).toMatchObject({ ok: true });
  expect(fs.readdirSync(locks)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('refuses a file that may not be read', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  makeTree(root, { f: { content: 'x', mode: 0 } });
  for (const directory of [root, state]) fs.chmodSync(directory, 0o777);
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect(await call(writing('new', 'f'), {}, { root, state, history: false })).toMatchObject({
      error_code: 'permission_denied',
      suggestion: expect.any(String),
    });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

/** Leaves a lock as a process leaves it that is killed while it writes `file`; returns the name of its hidden files. */
function leaveLock(root: string, state: string, file: string): string {
  const lock = createLocks(`${state}/locks`).tryAcquire({ path: `${root}/${file}`, asked: file, clean: () => {} });
  const [name = ''] = fs.readdirSync(`${state}/locks`);
  const link = `${state}/locks/${name}`;
  const text = fs.readlinkSync(link).replace(/^(\d+)\.\w*/, '$1.1');
  fs.rmSync(link);
  fs.symlinkSync(text, link);
  return `.jinn-${lock?.id}`;
}

test.for([true, false])(
  'the next change in the workspace removes what a killed one left (history %s)',
  async (history) => {
    const root = makeTempDirectory();
    const state = makeTempDirectory();
    const hidden = leaveLock(root, state, 'new/deep/f');
    makeTree(root, { [hidden]: '', [`new/deep/${hidden}`]: 'half', 'old/x': '', 'empty/': '' });
    expect(await call(writing('x', 'other'), {}, { root, state, history })).toMatchObject({ ok: true });
    expect(fs.readdirSync(root).sort()).toEqual(['empty', 'old', 'other']);
    expect(fs.readdirSync(`${state}/locks`)).toEqual([]);
  },
);

test('what a killed change left is removed, and nothing that others put beside it', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  const hidden = leaveLock(root, state, 'new/deep/f');
  makeTree(root, { [hidden]: '', 'new/deep/': '', 'new/theirs': 'x' });
  expect(await call(writing('x', 'other'), {}, { root, state })).toMatchObject({ ok: true });
  expect(readTree(root)).toEqual({ 'new/theirs': 'x', other: 'x' });
  expect(fs.existsSync(`${root}/new/deep`)).toBe(false);
});

test('a change leaves the locks on files of other workspaces alone', async () => {
  const [root, other, state] = [makeTempDirectory(), makeTempDirectory(), makeTempDirectory()];
  leaveLock(other, state, 'f');
  expect(await call(writing('x', 'f'), {}, { root, state })).toMatchObject({ ok: true });
  expect(fs.readdirSync(`${state}/locks`)).toHaveLength(1);
});

test('removes the marker beside directories that it made', async () => {
  const root = makeTempDirectory();
  expect(await call(writing('x', 'a/b/f', 'a/b/g', 'a/c/h'), {}, { root })).toMatchObject({ ok: true });
  expect(fs.readdirSync(root)).toEqual(['a']);
  expect(readTree(root)).toEqual({ 'a/b/f': 'x', 'a/b/g': 'x', 'a/c/h': 'x' });
});

test.each([
  ['goes on while the disk is slow', true],
  ['does not look away from a change', false],
])('a process %s, if it serves several people: %s', async (_, servesSeveral) => {
  const root = makeTempDirectory();
  // What syncs beside other calls waits for its turn behind these.
  const slow = Array.from({ length: 8 }, () => promisify(pbkdf2)('password', 'salt', 100_000, 64, 'sha512'));
  let isOver = false;
  const running = call(writing('x', 'f'), {}, { root, servesSeveral }).finally(() => {
    isOver = true;
  });
  let turns = 0;
  while (!isOver) {
    await turn();
    if (fs.readdirSync(root).some((name) => name.startsWith('.jinn-'))) turns++;
  }
  expect(await running).toMatchObject({ ok: true });
  expect(turns > 0).toBe(servesSeveral);
  expect(readTree(root)).toEqual({ f: 'x' });
  await Promise.all(slow);
});
