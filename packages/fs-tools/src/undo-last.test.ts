import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { editFile } from './edit-file.ts';
import { undo } from './undo.ts';
import { writeFile } from './write-file.ts';

const COUNT = 6;

/** A file with a line for each number below COUNT, apart from each other. */
function openLines() {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  const file = path.join(options.root, 'f');
  const lines = Array.from({ length: COUNT }, (_, i) => `${i}`);
  const write = (all: readonly string[]) => all.map((line) => `${line}\n\n\n`).join('');
  fs.writeFileSync(file, write(lines));
  return {
    options,
    file,
    read: () => fs.readFileSync(file, 'utf8'),
    /** The file with these lines changed. */
    expected: (changed: readonly number[]) => write(lines.map((line, i) => (changed.includes(i) ? `${line}!` : line))),
    edit: async (line: number) => {
      const answer = await call(editFile, { path: 'f', old_text: `${line}\n`, new_text: `${line}!\n` }, options);
      return (answer.meta as { operation_id: string }).operation_id;
    },
    restore: (args: object) => call(undo, { action: 'restore', ...args }, options),
  };
}

test('takes back the next older call after an undo by id, and never that undo', async () => {
  const { edit, restore, read, expected } = openLines();
  const first = await edit(1);
  const second = await edit(4);
  expect(await restore({ id: first })).toMatchObject({ ok: true });
  expect(read()).toBe(expected([4]));
  const { result, error } = await restore({ last: 1 });
  expect([error, read()]).toEqual([undefined, expected([])]);
  expect(result).toContain('took this change out of f');
  expect((await restore({ last: 1 })).error).toBe('there are 0 calls to undo, not 1 (nothing was changed)');
  expect(await restore({ id: second })).toMatchObject({ ok: true });
});

test('takes back an undo by its id, and then what stood before', async () => {
  const { edit, restore, read, expected } = openLines();
  const first = await edit(1);
  await edit(4);
  const { meta } = await restore({ id: first });
  await restore({ id: (meta as { operation_id: string }).operation_id });
  expect(read()).toBe(expected([1, 4]));
  await restore({ last: 2 });
  expect(read()).toBe(expected([]));
});

test('takes back several calls by their ids, in any order, as one call that can be taken back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .uniqueArray(fc.nat(COUNT - 1), { minLength: 1 })
        .chain((edited) =>
          fc.record({ edited: fc.constant(edited), undone: fc.shuffledSubarray(edited, { minLength: 1 }) }),
        ),
      async ({ edited, undone }) => {
        const { edit, restore, read, expected, options } = openLines();
        const ids = new Map<number, string>();
        for (const line of edited) ids.set(line, await edit(line));
        const { meta, error } = await restore({ id: undone.map((line) => ids.get(line)).join(', ') });
        expect([error, read()]).toEqual([undefined, expected(edited.filter((line) => !undone.includes(line)))]);
        const { result } = await call(undo, { action: 'list' }, options);
        const { entries } = JSON.parse(String(result)) as { entries: { operation_id: string; undone?: true }[] };
        const gone = entries.filter((entry) => entry.undone).map((entry) => entry.operation_id);
        expect(gone.toSorted()).toEqual(undone.map((line) => ids.get(line)).toSorted());
        await restore({ id: (meta as { operation_id: string }).operation_id });
        expect(read()).toBe(expected(edited));
      },
    ),
    { numRuns: 10 / inject('runsDivisor') },
  );
});

test('counts the calls that are in effect, whatever was taken back before', async () => {
  const step = fc.record({ line: fc.nat(COUNT - 1), how: fc.constantFrom('edit', 'id', 'last'), count: fc.nat(COUNT) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const { edit, restore, read, expected } = openLines();
      let standing: { line: number; id: string }[] = [];
      for (const { line, how, count } of steps) {
        const at = standing.findIndex((one) => one.line === line);
        const last = Math.min(Math.max(1, count), standing.length);
        if (how === 'edit' && at < 0) standing.push({ line, id: await edit(line) });
        else if (how === 'id' && at >= 0) {
          await restore({ id: standing[at]?.id });
          standing.splice(at, 1);
        } else if (how === 'last' && last > 0) {
          expect(await restore({ last })).toMatchObject({ ok: true });
          standing = standing.slice(0, -last);
        }
        expect(read()).toBe(expected(standing.map((one) => one.line)));
      }
      expect((await restore({ last: standing.length + 1 })).error).toContain(
        `there ${standing.length === 1 ? 'is 1 call' : `are ${standing.length} calls`} to`,
      );
    }),
    { numRuns: 40 / inject('runsDivisor') },
  );
});

test('counts a change of the mode alone, until it is taken back', async () => {
  const { file, edit, restore, options } = openLines();
  const modeOf = () => fs.statSync(file).mode & 0o777;
  const before = modeOf();
  await edit(1);
  const patch = 'diff --git a/f b/f\nold mode 100644\nnew mode 100755\n';
  expect(await call(applyPatch, { patch }, options)).toMatchObject({ result: 'updated f (mode 100755)' });
  expect(modeOf()).toBe(before | 0o111);
  await restore({ last: 1 });
  expect(modeOf()).toBe(before);
  expect((await restore({ last: 2 })).error).toContain('there is 1 call to');
});

test('restores a file that was deleted without jinn, with its directory', async () => {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  const write = (content: string) => call(writeFile, { path: 's/d', content }, options);
  await write('1');
  const { meta } = await write('2');
  await write('3');
  fs.rmSync(path.join(options.root, 's'), { recursive: true });
  const { operation_id: id } = meta as { operation_id: string };
  expect(await call(undo, { action: 'restore', last: 1 }, options)).toMatchObject({ ok: true });
  expect(fs.readFileSync(path.join(options.root, 's/d'), 'utf8')).toBe('2');
  fs.rmSync(path.join(options.root, 's/d'));
  expect((await call(undo, { action: 'preview', id }, options)).result).not.toContain('refused');
  expect(await call(undo, { action: 'restore', id }, options)).toMatchObject({ ok: true });
  expect(fs.readFileSync(path.join(options.root, 's/d'), 'utf8')).toBe('1');
});
