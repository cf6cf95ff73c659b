import fs from 'node:fs';
import path from 'node:path';
import type { Tool } from '@jinn/core';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { applyPatch } from '../apply-patch.ts';
import { editFile } from '../edit-file.ts';
import { multiEdit } from '../multi-edit.ts';
import { readFile } from '../read-file.ts';
import { searchReplace } from '../search-replace.ts';
import { writeFile } from '../write-file.ts';

const OUTPUT = { output_type: 'stream', name: 'stdout', text: ['shown\n', 'twice\n'] };
const cell = (id: string, source: unknown, outputs: readonly unknown[] = []) => ({
  cell_type: 'code',
  execution_count: 1,
  id,
  metadata: {},
  outputs,
  source,
});
const toJson = (...cells: readonly unknown[]) =>
  `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
const NOTEBOOK = toJson(
  cell('c1', ['import os\n', 'x = 1\n', 'print(x)'], [OUTPUT]),
  cell('c2', 'y = "twice"\nprint(y)'),
  cell('c3', []),
);

async function change(tool: unknown, args: object, before = NOTEBOOK) {
  const root = makeTempDirectory();
  makeTree(root, { 'n.ipynb': before });
  const answer = await call(tool as Tool, args, { root });
  return { ...answer, after: fs.readFileSync(path.join(root, 'n.ipynb'), 'utf8') };
}

const edit = (old_text: string, new_text: string, options: object = {}) =>
  change(editFile, { path: 'n.ipynb', old_text, new_text, ...options });
const patch = (...lines: readonly string[]) =>
  change(applyPatch, { patch: ['*** Begin Patch', '*** Update File: n.ipynb', ...lines, '*** End Patch'].join('\n') });
const replace = (pattern: string, replacement: string) =>
  change(searchReplace, { pattern, replacement, files: 'n.ipynb' });

test('every tool that edits text edits the cell that has it, and no other byte', async () => {
  const after = NOTEBOOK.replace('"x = 1\\n"', '"x = \\"q\\"\\n",\n    "z = 2\\n"');
  const [old_text, new_text] = ['x = 1', 'x = "q"\nz = 2'];
  expect(await edit(old_text, new_text)).toMatchObject({ after, result: 'n.ipynb:3 (1 line, now 2)' });
  const edits = [{ path: 'n.ipynb', old_text, new_text }];
  expect(await change(multiEdit, { edits })).toMatchObject({ after });
  expect(await patch('@@ import os', '-x = 1', '+x = "q"', '+z = 2')).toMatchObject({ after });
  const replaced = await replace('^x = (\\d)$', 'x = "q"\nz = 2');
  expect(replaced).toMatchObject({ after, result: 'replaced 1 match in 1 file:\nn.ipynb: 1 (line 3)' });
});

test('the lines of an answer are those that read_file shows', async () => {
  const { result } = await change(readFile, { path: 'n.ipynb' });
  expect(result).toContain('10\ty = "twice"\n11\tprint(y)');
  expect((await edit('y = "twice"', 'y = 2')).result).toBe('n.ipynb:10 (1 line)');
  expect((await edit('print(', 'show(')).error).toContain('(lines: 4, 11)');
  expect((await replace('print', 'show')).result).toContain('n.ipynb: 2 (lines 4-11)');
  expect((await edit('print(', 'show(', { near_line: 9 })).result).toBe('n.ipynb:11 (1 line)');
});

test('replaces in all cells where every place is meant', async () => {
  const after = NOTEBOOK.replaceAll('print(', 'show(');
  expect((await edit('print(', 'show(', { replace_all: true })).after).toBe(after);
  expect((await replace('print', 'show')).after).toBe(after);
});

test.for<[string, string, string]>([
  ['several cells', 'print(', 'edit_not_unique'],
  ['no cell', 'shown', 'edit_not_found'],
  ['two cells at once', 'print(x)\ny', 'edit_not_found'],
  ['the JSON', '"x = 1\\n"', 'edit_not_found'],
  ['its metadata', '"nbformat": 4', 'edit_not_found'],
  ['the head of a cell', '# %% [1] python', 'edit_not_found'],
])('refuses a text of %s, and names cell', async ([, old_text, error_code]) => {
  const suggestion = expect.stringContaining('cell');
  const refused = { ok: false, after: NOTEBOOK, suggestion };
  const one = await edit(old_text, 'z');
  expect(one).toMatchObject({ ...refused, error_code });
  expect(one.error).not.toMatch(/\0|\\u0000/);
  const edits = [{ path: 'n.ipynb', old_text, new_text: 'z' }];
  expect(await change(multiEdit, { edits })).toMatchObject({ ...refused, error_code });
  const hunk = await patch('@@', ...old_text.split('\n').map((line) => `-${line}`), '+z');
  expect(hunk).toMatchObject({ ...refused, error_code: 'patch_conflict' });
});

test('a pattern sees each cell as a text of its own', async () => {
  const after = NOTEBOOK.replace('os\\n', 'os;\\n').replace('1\\n', '1;\\n').replace('(x)', '(x);');
  expect((await replace('$', ';')).after).toBe(after.replace('twice\\"\\nprint(y)', 'twice\\";\\nprint(y);'));
  expect((await replace('[\\s\\S]+', 'z')).result).toContain('n.ipynb: 2 (lines 2-11)');
  expect((await replace('shown|nbformat|cells', 'z')).after).toBe(NOTEBOOK);
});

test('shows the lines around an edit, those of sources with their text', async () => {
  const { result } = await edit('x = 1', 'x = 2', { show_context: 3 });
  expect(result).toContain('1 | \n2 | import os\n3* | x = 2\n4 | print(x)\n5 | \n6 | ');
});

test('refuses what would change more than sources', async () => {
  expect(await patch('@@', '+z')).toMatchObject({ error_code: 'invalid_args', after: NOTEBOOK });
  expect(await edit('x = 1', 'x\0')).toMatchObject({ error_code: 'invalid_args', after: NOTEBOOK });
});

test('keeps what JSON cannot say in UTF-8, and does not edit an older format', async () => {
  const odd = `\ufeff${toJson(cell('c1', ['a = "\ud83d"\n', 'b = 1']))}`;
  const { after } = await change(editFile, { path: 'n.ipynb', old_text: 'b = 1', new_text: 'b = 2' }, odd);
  expect(after).toBe(odd.replace('b = 1', 'b = 2'));
  const old = JSON.stringify({ worksheets: [{ cells: [{ cell_type: 'code', input: ['a'] }] }], nbformat: 3 });
  const edited = await change(editFile, { path: 'n.ipynb', old_text: 'a', new_text: '"' }, old);
  expect(edited).toMatchObject({ error_code: 'edit_not_found', after: old });
});

test('takes a file that is not a notebook as text', async () => {
  for (const before of ['{"cells": 0}', '{"cells": [0', '[0]']) {
    const { after } = await change(editFile, { path: 'n.ipynb', old_text: '0', new_text: '"1"' }, before);
    expect(after).toBe(before.replace('0', '"1"'));
  }
});

test.for<[string, string, string]>([
  ['text', 'import os\n', 'it is not a JSON object'],
  ['a part', NOTEBOOK.slice(0, 100), 'it is not a JSON object'],
  ['other JSON', '{"nbformat": 4, "metadata": {}}', 'it has no list "cells"'],
  ['no format', '{"cells": [], "metadata": {}}', 'it lacks "nbformat" or "metadata"'],
  ['a source that is none', toJson(cell('a', 'x'), cell('b', [1])), 'cell 2 has no "cell_type", or no "source"'],
])('write_file does not make a notebook of %s', async ([, content, fault]) => {
  const answer = await change(writeFile, { path: 'n.ipynb', content });
  expect(answer).toMatchObject({ error_code: 'invalid_args', error: expect.stringContaining(fault), after: NOTEBOOK });
  const lines = content.split('\n').map((line) => `+${line}`);
  const anew = ['*** Begin Patch', '*** Delete File: n.ipynb', '*** Add File: n.ipynb', ...lines, '*** End Patch'];
  const patched = await change(applyPatch, { patch: anew.join('\n') });
  expect(patched).toMatchObject({ error_code: 'invalid_args', after: NOTEBOOK });
  expect(await change(writeFile, { path: 'n.ipynb', content }, '{')).toMatchObject({ ok: true });
});

test('write_file replaces a notebook by another one', async () => {
  expect(await change(writeFile, { path: 'n.ipynb', content: toJson() })).toMatchObject({ ok: true, after: toJson() });
});

const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '"',
      '\\',
      '\\n',
      '\n',
      '\r\n',
      ' ',
      'é',
      '😀',
      '\t',
      '{',
      ']',
      ',',
      '$1',
      '\u2028',
      '\u0001',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const source = fc.oneof(
  text,
  text.map((all) => all.match(/[^\n]*\n|[^\n]+$/g) ?? []),
  fc.array(text, { maxLength: 3 }),
);
const step = fc.record({
  how: fc.constantFrom('edit', 'cell', 'all', 'multi', 'patch', 'replace', 'write'),
  from: fc.nat(40),
  length: fc.nat(6),
  cell: fc.nat(4),
  text,
});

test('no sequence of edits makes a notebook invalid, or changes more than sources', async () => {
  const tools: Record<string, unknown> = {
    multi: multiEdit,
    patch: applyPatch,
    replace: searchReplace,
    write: writeFile,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(source, { maxLength: 4 }), fc.array(step, { maxLength: 6 }), async (sources, steps) => {
      const root = makeTempDirectory();
      const cells = sources.map((each, i) => cell(`c${i}`, each, i % 2 ? [OUTPUT] : []));
      makeTree(root, { 'n.ipynb': toJson(...cells) });
      const read = () => fs.readFileSync(path.join(root, 'n.ipynb'), 'utf8');
      for (const { how, from, length, cell: number, text: new_text } of steps) {
        const shown = JSON.parse(read()).cells.map((each: { source: string | string[] }) =>
          [each.source].flat().join(''),
        );
        const whole = how === 'cell' ? (shown[number - 1] ?? '') : shown.join('');
        const old_text = whole.slice(from % (whole.length + 1)).slice(0, length + 1);
        const one = { path: 'n.ipynb', old_text, new_text };
        const lines = [
          ...old_text.split('\n').map((line: string) => `-${line}`),
          ...new_text.split('\n').map((line) => `+${line}`),
        ];
        const args: Record<string, object> = {
          edit: one,
          cell: { ...one, cell: number },
          all: { ...one, replace_all: true },
          multi: { edits: [one, { ...one, old_text: new_text, new_text: `${old_text}"` }] },
          patch: { patch: ['*** Begin Patch', '*** Update File: n.ipynb', '@@', ...lines, '*** End Patch'].join('\n') },
          replace: {
            pattern: length > 3 ? '[^a]|$' : '^|b+',
            replacement: new_text.replaceAll('$', ''),
            files: 'n.ipynb',
          },
          write: { path: 'n.ipynb', content: read().slice(0, -from) },
        };
        await call((tools[how] ?? editFile) as Tool, args[how] as object, { root });
        const after = JSON.parse(read());
        const forms = after.cells.map((each: { source: unknown }) => Array.isArray(each.source));
        expect(forms).toEqual(sources.map(Array.isArray));
        const rest = after.cells.map((each: object) => ({ ...each, source: undefined }));
        expect(rest).toEqual(cells.map((each) => ({ ...each, source: undefined })));
        expect({ ...after, cells: 0 }).toEqual({ cells: 0, metadata: {}, nbformat: 4, nbformat_minor: 5 });
        expect(
          after.cells
            .flatMap((each: { source: unknown }) => each.source)
            .every((line: unknown) => typeof line === 'string'),
        ).toBe(true);
      }
    }),
    { numRuns: 60 / inject('runsDivisor') },
  );
});
