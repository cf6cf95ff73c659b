import fs from 'node:fs';
import path from 'node:path';
import { createSession } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from './read-file.ts';

const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1}\n`).join('');

async function read(args: object, options: CallOptions = {}) {
  const answer = await call(readFile, args, options);
  return { ...answer, data: answer.ok ? JSON.parse(answer.result ?? '') : undefined };
}

test('reads a whole file as it is', async () => {
  const { data, meta } = await read({ path: 'a.rs' }, { files: { 'a.rs': 'fn main() {\r\n\tx\n}\n' } });
  expect(data).toEqual({ content: 'fn main() {\r\n\tx\n}\n', total_lines: 3 });
  expect(meta).toMatchObject({ version: expect.any(String) });
});

test.for([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['\n', 1],
  ['a\n\nb', 3],
] as const)('counts the lines of %j', async ([content, total_lines]) => {
  expect((await read({ path: 'f' }, { files: { f: content } })).data).toEqual({ content, total_lines });
});

test('says that a file has no such lines', async () => {
  const options = { files: { f: numbered(3) } };
  const beyond = await read({ path: 'f', start_line: 4, end_line: 9 }, options);
  expect(beyond).toMatchObject({
    data: { content: '', total_lines: 3 },
    meta: { warnings: ['f has 3 lines: line 4 is after its last line'] },
  });
  expect((await read({ path: 'f', start_line: 3, end_line: 9 }, options)).meta).not.toHaveProperty('warnings');
});

test('shows the first 200 lines of a longer file, with the sentence of the page and a reference', async () => {
  const { data, truncated } = await read({ path: 'f' }, { files: { f: numbered(850) } });
  expect(data).toEqual({
    content: numbered(200),
    total_lines: 850,
    overflow: {
      shown: 200,
      total: 850,
      hint: 'File has 850 lines. Use start_line/end_line to read specific ranges',
      next_line: 201,
    },
    file_id: expect.stringMatching(/^@file_[0-9a-f]{8}$/),
  });
  expect(truncated).toBe(true);
});

test('shows all of a file of 200 lines', async () => {
  expect((await read({ path: 'f' }, { files: { f: numbered(200) } })).data).toEqual({
    content: numbered(200),
    total_lines: 200,
  });
});

test('gives exactly the lines of a range, however many, to the end of the file', async () => {
  const files = { f: numbered(3_000) };
  const range = async (start_line: number, end_line: number) =>
    (await read({ path: 'f', start_line, end_line }, { files })).data;
  expect(await range(1_500, 1_800)).toEqual({
    content: numbered(1_800).slice(numbered(1_499).length),
    total_lines: 3_000,
  });
  expect((await range(2_999, 9_999)).content).toBe('line 2999\nline 3000\n');
  expect(await range(5_000, 9_999)).toEqual({ content: '', total_lines: 3_000 });
});

test('takes one of the two lines: a window from the first, all up to the last', async () => {
  const files = { f: numbered(900) };
  const from = await read({ path: 'f', start_line: 600 }, { files });
  expect(from.data.content.split('\n')[0]).toBe('line 600');
  expect(from.data.overflow).toMatchObject({ shown: 200, next_line: 800 });
  expect((await read({ path: 'f', start_line: 800 }, { files })).data.overflow).toBeUndefined();
  expect((await read({ path: 'f', end_line: 300 }, { files })).data.content).toBe(numbered(300));
});

test('takes the names of other tools: file_path, offset and limit, also as text', async () => {
  const files = { f: numbered(900) };
  expect((await read({ file_path: 'f', offset: 10, limit: 2 }, { files })).data.content).toBe('line 10\nline 11\n');
  expect((await read({ path: 'f', offset: '10', limit: '2' }, { files })).data.content).toBe('line 10\nline 11\n');
  expect((await read({ path: 'f', start_line: '3', end_line: '3' }, { files })).data.content).toBe('line 3\n');
  expect((await read({ path: 'f', limit: 3 }, { files })).data.content).toBe('line 1\nline 2\nline 3\n');
  expect((await read({ path: 'f', offset: 0, limit: 1 }, { files })).data.content).toBe('line 1\n');
  expect(await read({ path: 'f', offset: 3, start_line: 4 }, { files })).toMatchObject({ error_code: 'invalid_args' });
});

test('keeps long lines out of the context, and says how to read them', async () => {
  const files = { 'min.js': `${'x'.repeat(300_000)}\nshort\n`, wide: `${'y'.repeat(10_000)}\n`.repeat(50) };
  const { data } = await read({ path: 'min.js' }, { files });
  expect(data).toMatchObject({ content: '', overflow: { shown: 0, total: 2 }, file_id: expect.any(String) });
  expect(data.overflow.hint).toContain('Line 1 has 300001 bytes');
  expect((await read({ path: 'wide' }, { files })).data.overflow).toMatchObject({
    shown: 10,
    total: 50,
    next_line: 11,
  });
  expect((await read({ path: 'min.js', start_line: 1, end_line: 1 }, { files })).data.content).toHaveLength(300_001);
});

test.for([
  ['line 0', { start_line: 0, end_line: 3 }, 'invalid_args', 'invalid line range'],
  ['an end before the start', { start_line: 3, end_line: 2 }, 'invalid_args', 'start_line=3, end_line=2'],
  ['a range with a heading', { start_line: 1, heading: 'x' }, 'invalid_args', 'heading and start_line/end_line'],
  ['two ways to navigate', { json_path: 'a', toml_key: 'b' }, 'invalid_args', 'json_path and toml_key'],
  ['a directory', { path: 'd' }, 'not_a_file', 'd is a directory'],
  ['what is missing', { path: 'nothing' }, 'file_not_found', 'nothing'],
  ['a secret', { path: '.env' }, 'path_outside_sandbox', 'sensitive'],
  ['a path that leads out', { path: '../x' }, 'path_outside_sandbox', 'outside'],
  ['a binary file', { path: 'bin' }, 'binary_file', 'binary file (3 bytes)'],
  ['bytes that are not UTF-8', { path: 'latin' }, 'binary_file', 'not UTF-8'],
  ['a broken reference', { path: '@cmd_12' }, 'not_found', 'not a buffer reference'],
  ['an unknown reference', { path: '@cmd_00000000' }, 'not_found', 'buffer reference not found'],
] as const)('refuses %s', async ([, args, error_code, message]) => {
  const files = { f: 'a\n', 'd/': '', '.env': 'SECRET', bin: 'a\0b', latin: Buffer.from([0x67, 0xfc, 0x0a]) };
  const answer = await read({ path: 'f', ...args }, { files });
  expect(answer).toMatchObject({ ok: false, error_code, suggestion: expect.any(String) });
  expect(answer.error).toContain(message);
});

test('refuses a file over 64 MiB before it is read', async () => {
  const root = makeTempDirectory();
  fs.writeFileSync(path.join(root, 'huge'), '');
  fs.truncateSync(path.join(root, 'huge'), 65 * 1024 * 1024);
  const answer = await read({ path: 'huge', start_line: 1, end_line: 2 }, { root });
  expect(answer).toMatchObject({ error_code: 'file_too_large', suggestion: expect.stringContaining('search_pattern') });
});

test('reads Markdown and source files by lines, whatever their kind', async () => {
  const files = { 'a.md': '# A\ntext\n', 'a.rs': 'fn a() {}\nfn b() {}\n' };
  expect((await read({ path: 'a.md', start_line: 2, end_line: 2 }, { files })).data.content).toBe('text\n');
  expect((await read({ path: 'a.rs', start_line: 1, end_line: 1 }, { files })).data.content).toBe('fn a() {}\n');
});

test('opens a file whose name begins like a reference', async () => {
  expect((await read({ path: './@cmd_x' }, { files: { '@cmd_x': 'a\n' } })).data.content).toBe('a\n');
});

test('follows a file by its reference, says when it changed, and keeps its line numbers', async () => {
  const [root, session, state] = [makeTempDirectory(), createSession(), makeTempDirectory()];
  const at = { root, session, state };
  const { data: first } = await read({ path: 'f' }, { ...at, files: { f: numbered(300) } });
  const id: string = first.file_id;
  expect((await read({ path: id, start_line: 250, end_line: 250 }, at)).data).toEqual({
    content: 'line 250\n',
    total_lines: 300,
  });
  expect((await read({ path: 'f' }, at)).data.file_id).toBe(id);
  fs.writeFileSync(path.join(root, 'f'), numbered(400, 'new'));
  expect((await read({ path: `"${id}"`, start_line: 2, end_line: 2 }, at)).data).toEqual({
    content: 'new 2\n',
    total_lines: 400,
    refreshed: true,
  });
  const again = await read({ path: id }, at);
  expect(again.data).toMatchObject({ overflow: { shown: 200 } });
  expect([again.data.refreshed, again.data.file_id]).toEqual([undefined, undefined]);
  fs.rmSync(path.join(root, 'f'));
  const gone = await read({ path: id }, at);
  expect(gone).toMatchObject({ error_code: 'not_found', suggestion: expect.stringContaining('find_file') });
  expect(gone.error).toContain('the file of this reference is gone: f');
});

test('finds a reference again in the next process, in the same workspace alone', async () => {
  const [root, state] = [makeTempDirectory(), makeTempDirectory()];
  const { data } = await read({ path: 'f' }, { root, state, files: { f: numbered(300) } });
  expect((await read({ path: data.file_id, start_line: 7, end_line: 7 }, { root, state })).data.content).toBe(
    'line 7\n',
  );
  const other = await read({ path: data.file_id }, { state, files: { f: 'other\n' } });
  expect(other).toMatchObject({ ok: false, error_code: 'not_found' });
});

test('reads on without a reference where nothing can be kept', async () => {
  const state = '/dev/null/none';
  const { data } = await read({ path: 'f' }, { state, history: false, files: { f: numbered(300) } });
  expect(data).toMatchObject({ total_lines: 300, overflow: { shown: 200 } });
  expect(data.file_id).toBeUndefined();
});
