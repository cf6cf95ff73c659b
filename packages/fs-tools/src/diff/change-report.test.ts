import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { applyPatch } from '../apply-patch.ts';
import { editFile } from '../edit-file.ts';
import { undo } from '../undo.ts';
import { writeFile } from '../write-file.ts';

type Tree = Readonly<Record<string, string>>;

/** The programs that apply a diff, of those that are installed. */
const APPLIERS = [
  ['git', 'apply'],
  ['patch', '-p1', '--binary', '-s'],
].filter(([program]) => spawnSync(program as string, ['--version']).status === 0);

function treeOf(root: string): Tree {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => fs.statSync(`${root}/${name}`).isFile());
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(`${root}/${name}`, 'utf8')]));
}

/** Applies a diff to a tree with a program and returns what the tree is then. */
function apply([program = '', ...args]: readonly string[], before: Tree, diff: string): Tree {
  const cwd = makeTempDirectory();
  makeTree(cwd, before);
  const { status, stderr } = spawnSync(program, args, { cwd, input: diff, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return treeOf(cwd);
}

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

const CASES: readonly (readonly [string, Tree, string])[] = [
  ['a new file', {}, patch('*** Add File: d/new', '+one')],
  ['a deleted file', { f: 'one\ntwo' }, patch('*** Delete File: f')],
  ['a moved file', { f: 'one\ntwo\n' }, patch('*** Update File: f', '*** Move to: g/f', '@@', '-one', '+1')],
  ['a new empty file', {}, patch('*** Add File: e')],
  ['a deleted empty file', { e: '', f: 'x' }, patch('*** Delete File: e')],
  ['a name with a blank', { 'a b': 'x\n' }, patch('*** Delete File: a b', '*** Add File: c d', '+y')],
  ['a name with a quote', { 'a"b': 'x\n' }, patch('*** Delete File: a"b', '*** Add File: ä"c', '+y')],
];

describe.each(APPLIERS.map((command) => [command[0], command] as const))('%s applies', (_, command) => {
  test.each(CASES)('the diff of %s, which makes and removes what the call did', async (_name, files, text) => {
    const root = makeTempDirectory();
    const { meta } = await call(applyPatch, { patch: text }, { root, files });
    const { diff, files: each } = meta as { diff?: string; files?: { diff: string }[] };
    const all = each ? each.map((one) => one.diff).join('') : (diff ?? '');
    expect(apply(command, files, all)).toEqual(treeOf(root));
    const dry = await call(applyPatch, { patch: text, dry_run: true }, { root: makeTempDirectory(), files });
    const shown = dry.result?.slice(dry.result.search(/^(diff --git|---) /m)) ?? '';
    expect(apply(command, files, `${shown}\n`)).toEqual(treeOf(root));
  });
});

test('the diff of a new empty file, and of its removal, says so', async () => {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  const { meta } = await call(writeFile, { path: 'e', content: '' }, options);
  expect(meta).toMatchObject({ diff: 'diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n' });
  const { undo_id: id } = meta as { undo_id: string };
  const removed = await call(undo, { action: 'restore', id }, options);
  expect(removed.meta).toMatchObject({
    diff: 'diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n',
  });
});

test('a change of the mode alone says why there is no diff', async () => {
  const options = { root: makeTempDirectory(), state: makeTempDirectory(), files: { f: 'one\n' } };
  const { meta } = await call(writeFile, { path: 'f', content: 'two\n' }, options);
  fs.writeFileSync(`${options.root}/f`, 'one\n');
  fs.chmodSync(`${options.root}/f`, 0o755);
  const { undo_id: id } = meta as { undo_id: string };
  const { files: _, ...rest } = options;
  const restored = await call(undo, { action: 'restore', id }, rest);
  expect(restored.meta).toMatchObject({ diff_omitted: 'only the mode differs' });
  expect(restored.meta).not.toHaveProperty('diff');
});

test('the diff of a change is made only for a caller that asked for all of meta', async () => {
  const args = { path: 'f', old_text: 'a', new_text: 'b' };
  const ask = async (wantsMeta: boolean) => (await call(editFile, args, { files: { f: 'a\n' }, wantsMeta })).meta;
  expect(await ask(true)).toHaveProperty('diff');
  expect(await ask(false)).not.toHaveProperty('diff');
});
