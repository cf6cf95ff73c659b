import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createSession } from '@jinn/core';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { removeChange } from './diff/undo-plan.ts';
import { editFile } from './edit-file.ts';
import { undo } from './undo.ts';
import { writeFile } from './write-file.ts';

/** A workspace whose calls share a history, each in a session of its own. */
function openWorkspace(files: Parameters<typeof makeTree>[1] = {}) {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  makeTree(options.root, files);
  const idOf = ({ ok, error, meta }: Awaited<ReturnType<typeof call>>) => {
    if (!ok) throw new Error(error);
    return (meta as { operation_id: string }).operation_id;
  };
  return {
    options,
    file: (name: string) => path.join(options.root, name),
    /** Every file by its name. */
    read: () => {
      const names = fs.readdirSync(options.root, { recursive: true, encoding: 'utf8' }).sort();
      const isFile = (name: string) => fs.statSync(path.join(options.root, name)).isFile();
      return Object.fromEntries(
        names.filter(isFile).map((name) => [name, fs.readFileSync(path.join(options.root, name), 'utf8')]),
      );
    },
    edit: async (old_text: string, new_text: string, name = 'f') =>
      idOf(await call(editFile, { path: name, old_text, new_text }, options)),
    write: async (content: string, name = 'f') => idOf(await call(writeFile, { path: name, content }, options)),
    patch: async (...lines: string[]) =>
      idOf(await call(applyPatch, { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }, options)),
    restore: (id: string, args: object = {}) => call(undo, { action: 'restore', id, ...args }, options),
    restored: async (id: string, args: object = {}) =>
      idOf(await call(undo, { action: 'restore', id, ...args }, options)),
    preview: (id: string, args: object = {}) => call(undo, { action: 'preview', id, ...args }, options),
  };
}

const LETTERS = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n';
const upper = (...letters: string[]) => letters.reduce((text, each) => text.replace(each, each.toUpperCase()), LETTERS);

/** Three edits of one file that are far from each other. */
async function threeEdits() {
  const space = openWorkspace({ f: LETTERS });
  const ids = [await space.edit('b', 'B'), await space.edit('f', 'F'), await space.edit('j', 'J')] as const;
  return { ...space, ids };
}

test('takes one change out of a file alone, keeps what came later, and says so', async () => {
  const { ids, restore, read } = await threeEdits();
  const { result } = await restore(ids[1]);
  expect(result).toMatch(
    /^restored: took this change out of f, and kept what was changed since \(op "edit_file", id=\w+\)$/,
  );
  expect(read()['f']).toBe(upper('b', 'j'));
});

test('brings no change back that was taken back before', async () => {
  const { ids, restore, restored, read } = await threeEdits();
  await restored(ids[1]);
  expect(await restore(ids[2])).toMatchObject({ ok: true });
  expect(read()['f']).toBe(upper('b'));
  expect((await restore(ids[1])).result).toContain('(no changes)');
  expect(read()['f']).toBe(upper('b'));
});

test('restores the last change of a file as a whole, and then the one before it', async () => {
  const { ids, restore, read } = await threeEdits();
  for (const [i, letters] of [
    [2, ['b', 'f']],
    [1, ['b']],
    [0, []],
  ] as const) {
    expect((await restore(ids[i])).result).toMatch(/^restored: f to snapshot from [^\n]*$/);
    expect(read()['f']).toBe(upper(...letters));
  }
});

test('a restore can be taken back, and that again, with changes made since', async () => {
  const { ids, restored, read, edit } = await threeEdits();
  const first = await restored(ids[1]);
  await edit('l', 'L');
  const second = await restored(first);
  expect(read()['f']).toBe(upper('b', 'f', 'j', 'l'));
  await restored(second);
  expect(read()['f']).toBe(upper('b', 'j', 'l'));
});

test('refuses to take back a change on which later ones stand, by their names, and changes nothing', async () => {
  const { restore, read, edit, preview } = openWorkspace({ f: LETTERS });
  const ids = [await edit('b', 'B'), await edit('B', 'BB'), await edit('j', 'J')] as const;
  const before = read();
  const message = `later changes of f would be lost: ${ids[1]} (edit_file), ${ids[2]} (edit_file) (nothing was changed)`;
  expect(await restore(ids[0])).toMatchObject({
    ok: false,
    error_code: 'conflict',
    error: message,
    suggestion: expect.stringContaining('with_later: true'),
  });
  const { result } = await preview(ids[0]);
  expect(result).toContain('-BB\n');
  expect(result).toContain(`\n[undo preview] restore is refused without with_later: ${message}`);
  expect(read()).toEqual(before);
});

test('takes later changes along with with_later, says so, and can undo that', async () => {
  const { restore, restored, read, edit, preview } = openWorkspace({ f: LETTERS });
  const ids = [await edit('b', 'B'), await edit('B', 'BB'), await edit('j', 'J')] as const;
  const told = `\nlater changes go too: ${ids[1]} (edit_file), ${ids[2]} (edit_file)`;
  const previewed = await preview(ids[0], { with_later: true });
  expect(previewed.result?.endsWith(told)).toBe(true);
  const { result, meta } = await restore(ids[0], { with_later: true });
  expect(result?.endsWith(told)).toBe(true);
  expect(read()['f']).toBe(LETTERS);
  await restored((meta as { operation_id: string }).operation_id);
  expect(read()['f']).toBe(LETTERS.replace('b', 'BB').replace('j', 'J'));
});

test('later changes that were taken back again are no reason to refuse', async () => {
  const { restore, restored, read, edit } = openWorkspace({ f: LETTERS });
  const first = await edit('b', 'B');
  const second = await edit('B', 'BB');
  await restored(second);
  const third = await edit('B', 'BBB');
  expect((await restore(first)).error).toContain(`lost: ${third} (edit_file) (nothing`);
  await restored(third);
  expect((await restore(first)).result).toMatch(/^restored: f to snapshot/);
  expect(read()['f']).toBe(LETTERS);
});

test('a preview shows what a restore does to a file that was changed since', async () => {
  const { ids, preview, read } = await threeEdits();
  const before = read();
  const { result } = await preview(ids[1]);
  expect(result).toMatch(/^\[undo preview\] id=\w+ op=edit_file ts=\S+ \(only this change: later ones stay\)\n/);
  expect(result).toContain('-F\n+f\n');
  expect(result).not.toContain('-J\n');
  expect(read()).toEqual(before);
});

const MOVE = ['*** Update File: f', '*** Move to: g', '@@', '-b', '+B'];

test('a file that was moved since is brought back only with the move, and with what came after that', async () => {
  const { restore, read, edit, patch } = openWorkspace({ f: LETTERS });
  const first = await edit('j', 'J');
  const move = await patch(...MOVE);
  const last = await edit('l', 'L', 'g');
  const before = read();
  expect((await restore(first)).error).toContain(`later changes of f would be lost: ${move} (apply_patch) (nothing`);
  expect((await restore(move)).error).toContain(`later changes of g would be lost: ${last} (edit_file) (nothing`);
  expect(read()).toEqual(before);
  const { result } = await restore(first, { with_later: true });
  expect(result).toContain(`later changes go too: ${move} (apply_patch), ${last} (edit_file)`);
  expect(read()).toEqual({ f: LETTERS });
});

test('a deleted file, and one made anew, keep an earlier change from being taken back', async () => {
  const { restore, read, edit, patch, write } = openWorkspace({ f: LETTERS });
  const first = await edit('j', 'J');
  const removed = await patch('*** Delete File: f');
  expect((await restore(first)).error).toContain(removed);
  const made = await write('new\n');
  expect((await restore(first)).error).toContain(`${removed} (apply_patch), ${made} (write_file)`);
  expect((await restore(removed)).error).toContain(`lost: ${made} (write_file)`);
  await restore(removed, { with_later: true });
  expect(read()['f']).toBe(upper('j'));
});

test('takes back a call of several files whole or not at all', async () => {
  const { restore, read, edit, patch } = openWorkspace({ f: LETTERS, g: LETTERS });
  const hunk = ['@@', '-b', '+B'];
  const both = await patch('*** Update File: f', ...hunk, '*** Update File: g', ...hunk);
  await edit('j', 'J', 'f');
  const near = await edit('B', 'BB', 'g');
  const before = read();
  expect((await restore(both)).error).toContain(`later changes of g would be lost: ${near} (edit_file) (nothing`);
  expect(read()).toEqual(before);
  await restore(near);
  expect(await restore(both)).toMatchObject({ ok: true });
  expect(read()).toEqual({ f: upper('j'), g: LETTERS });
});

test('with_later takes later calls back in all of their files', async () => {
  const { restore, read, edit, patch } = openWorkspace({ f: LETTERS, g: LETTERS, h: LETTERS });
  const first = await edit('b', 'B');
  const both = await patch('*** Update File: f', '@@', '-B', '+BB', '*** Update File: g', '@@', '-b', '+B');
  const other = await patch('*** Update File: g', '@@', '-B', '+BB', '*** Update File: h', '@@', '-b', '+B');
  const { result } = await restore(first, { with_later: true });
  expect(result).toContain(`later changes go too: ${both} (apply_patch), ${other} (apply_patch)`);
  expect(read()).toEqual({ f: LETTERS, g: LETTERS, h: LETTERS });
});

test('with_later goes back before every call that it takes along', async () => {
  const { restore, read, edit, patch } = openWorkspace({ a: 'a\n', b: 'b\n', c: 'c\n' });
  const replace = (name: string, old: string, now: string) => [`*** Update File: ${name}`, '@@', `-${old}`, `+${now}`];
  const first = await edit('a', 'a1', 'a');
  await patch(...replace('a', 'a1', 'a2'), ...replace('c', 'c', 'c2'));
  await patch(...replace('c', 'c2', 'c3'), ...replace('b', 'b', 'b3'));
  await patch(...replace('a', 'a2', 'a4'), ...replace('b', 'b3', 'b4'));
  await restore(first, { with_later: true });
  expect(read()).toEqual({ a: 'a\n', b: 'b\n', c: 'c\n' });
});

test('a change that was taken back takes nothing along with it', async () => {
  const { options, restore, restored, read, patch } = openWorkspace({ f: LETTERS, g: LETTERS });
  const hunk = ['@@', '-b', '+B'];
  await restored(await patch('*** Update File: f', ...hunk, '*** Update File: g', ...hunk));
  const { result: list = '' } = await call(undo, { action: 'list' }, options);
  const { entries } = JSON.parse(list) as { entries: { id: string; path: string; operation: string }[] };
  const id = entries.find((entry) => entry.path === 'f' && entry.operation === 'apply_patch')?.id ?? '';
  expect((await restore(id, { with_later: true })).result).toMatch(/^restored: f to snapshot .* \(no changes\)$/);
  expect(read()).toEqual({ f: LETTERS, g: LETTERS });
});

test('what was done without jinn is kept, or refused, or lost with with_later, which says so', async () => {
  const { ids, restore, read, file } = await threeEdits();
  fs.writeFileSync(file('f'), upper('b', 'f', 'j', 'l'));
  expect(await restore(ids[2])).toMatchObject({
    error_code: 'stale_file',
    error: 'later changes of f would be lost: what was done to f without jinn (nothing was changed)',
    suggestion: expect.stringContaining('with_later: true'),
  });
  expect(await restore(ids[1])).toMatchObject({ ok: true });
  expect(read()['f']).toBe(upper('b', 'j', 'l'));
  const { result } = await restore(ids[0], { with_later: true });
  expect(result).toContain('later changes go too: ');
  expect(result).toContain('what was done to f without jinn');
  expect(read()['f']).toBe(LETTERS);
});

test('what was done without jinn between two changes is named too, and not taken out with one', async () => {
  const { restore, edit, file, read } = openWorkspace({ f: LETTERS });
  const first = await edit('b', 'B');
  fs.writeFileSync(file('f'), upper('b', 'f'));
  const second = await edit('j', 'J');
  const message = `later changes of f would be lost: ${second} (edit_file), what was done to f without jinn (nothing`;
  expect((await restore(first)).error).toContain(message);
  expect(read()['f']).toBe(upper('b', 'f', 'j'));
});

test('a session that has not seen what was done without jinn is refused as ever', async () => {
  const { options, restore, edit, read, file } = openWorkspace({ f: LETTERS });
  const session = createSession();
  await edit('b', 'B');
  const { meta } = await call(editFile, { path: 'f', old_text: 'j', new_text: 'J' }, { ...options, session });
  const id = (meta as { operation_id: string }).operation_id;
  fs.writeFileSync(file('f'), upper('b', 'j', 'l'));
  expect(await call(undo, { action: 'restore', id, with_later: true }, { ...options, session })).toMatchObject({
    error_code: 'stale_file',
  });
  expect(read()['f']).toBe(upper('b', 'j', 'l'));
  expect(await restore(id, { with_later: true })).toMatchObject({ ok: true });
});

test('a change that is at the same place as it was before counts as gone', async () => {
  const { restore, read, edit, file } = openWorkspace({ f: LETTERS });
  const id = await edit('b', 'B');
  fs.writeFileSync(file('f'), LETTERS);
  expect((await restore(id)).result).toContain('(no changes)');
  expect(read()['f']).toBe(LETTERS);
});

test('a content that is not text is not taken apart', async () => {
  const { restore, write } = openWorkspace({ f: 'a\0\nb\nc\nd\ne\n' });
  const first = await write('A\0\nb\nc\nd\ne\n');
  await write('A\0\nb\nc\nd\nE\n');
  expect(await restore(first)).toMatchObject({ error_code: 'conflict' });
});

test.each(['list', 'clear'])('refuses with_later for the action %s', async (action) => {
  const { options } = openWorkspace();
  expect(await call(undo, { action, with_later: true }, options)).toMatchObject({
    error_code: 'invalid_args',
    error: `with_later does not go with the action ${action}`,
    suggestion: expect.stringContaining('omit with_later'),
  });
});

test('names ten calls, and how many more there are', async () => {
  const { restore, write } = openWorkspace({ f: 'x' });
  const first = await write('0');
  for (let n = 1; n <= 12; n++) await write(`${n}`);
  expect((await restore(first)).error).toMatch(/lost: (op-\w+ \(write_file\), ){10}and 2 more \(nothing/);
});

const content = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', '\r', ''), { maxLength: 9 })
  .map((lines) => lines.join('\n'));

test.skipIf(spawnSync('git', ['--version']).status !== 0)(
  'takes out what git takes out, or nothing',
  { tags: 'slow' },
  () => {
    const root = makeTempDirectory();
    const letters = 'abcdefghijklmnop'.split('').map((letter) => `${letter}\n`);
    const edit = fc.record({ at: fc.nat(15), count: fc.nat(2), text: fc.constantFrom('', 'x\n', 'y\nz\n') });
    const edited = (lines: readonly string[], { at, count, text }: { at: number; count: number; text: string }) =>
      [...lines.slice(0, at), text, ...lines.slice(at + count)].filter((line) => line !== '');
    let taken = 0;
    fc.assert(
      fc.property(edit, fc.array(edit, { maxLength: 3 }), fc.boolean(), (first, others, isClosed) => {
        const after = edited(letters, first);
        const now = others.reduce(edited, after);
        const [old, base, current] = [letters, after, now].map((lines) => {
          const text = lines.join('');
          return Buffer.from(isClosed ? text : text.replace(/\n$/, ''));
        }) as [Buffer, Buffer, Buffer];
        const result = removeChange({ before: old, after: base, now: current });
        if (!result) return;
        taken++;
        makeTree(root, { old, base, current });
        const merged = spawnSync('git', ['merge-file', '-p', 'current', 'base', 'old'], {
          cwd: root,
          encoding: 'utf8',
        });
        expect({ status: merged.status, text: merged.stdout }).toEqual({ status: 0, text: result.toString() });
      }),
      { numRuns: 150 },
    );
    expect(taken).toBeGreaterThan(30);
  },
);

test('takes back any change that nothing followed, and changes nothing of what was not changed', () => {
  fc.assert(
    fc.property(content, content, content, (before, after, other) => {
      const [old, base, now] = [before, after, other].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
      expect(removeChange({ before: old, after: base, now: base })).toEqual(old);
      expect(removeChange({ before: base, after: base, now })).toEqual(now);
      expect(removeChange({ before: old, after: base, now: old })).toEqual(old);
    }),
  );
});

test('does not take apart what is large', () => {
  const large = Buffer.alloc(3 * 1024 * 1024, 'x\n');
  expect(removeChange({ before: large, after: large, now: large })).toBeUndefined();
});
