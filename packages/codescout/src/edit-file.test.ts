import fs from 'node:fs';
import path from 'node:path';
import { createSession } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { createFile } from './create-file.ts';
import { editFile } from './edit-file.ts';
import { findFile } from './find-file.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { runCommand } from './run-command.ts';

async function edit(before: string | Buffer, args: object, options: CallOptions = {}) {
  const root = options.root ?? makeTempDirectory();
  const answer = await call(editFile, { path: 'f', ...args }, { ...options, root, files: { f: before } });
  return { ...answer, after: fs.readFileSync(path.join(root, 'f')) };
}

test.for([
  ['one occurrence', 'a b c', { old_string: 'b', new_string: 'x' }, 'a x c'],
  ['every occurrence', 'a-a-aa', { old_string: 'a', new_string: 'b', replace_all: true }, 'b-b-bb'],
  ['occurrences that do not overlap', 'aaa', { old_string: 'aa', new_string: 'b', replace_all: true }, 'ba'],
  ['a text with nothing', 'one\ntwo\n', { old_string: 'one\n', new_string: '' }, 'two\n'],
  ['literal text, no pattern', 'axb a.b', { old_string: 'a.b', new_string: '$&\\1' }, 'axb $&\\1'],
  ['lines with their own endings', 'a\r\nb\r\n', { old_string: 'a\r\nb', new_string: 'c' }, 'c\r\n'],
  [
    'a definition of several lines',
    'fn a() {\n  1\n}\n',
    { old_string: 'fn a() {\n  1', new_string: 'fn b() {\n  2' },
    'fn b() {\n  2\n}\n',
  ],
  ['text in UTF-8', 'café ☕', { old_string: '☕', new_string: '🍵' }, 'café 🍵'],
  ['a text by the names of other tools', 'a', { old_text: 'a', new_text: 'b' }, 'b'],
  ['the start', 'b\n', { insert: 'prepend', new_string: 'a\n' }, 'a\nb\n'],
  ['the start behind a byte order mark', '\ufeffb', { insert: 'prepend', new_string: 'a' }, '\ufeffab'],
  ['the end, whatever old_string is', 'a', { insert: 'append', new_string: 'b', old_string: '' }, 'ab'],
] as const)('changes %s', async ([, before, args, after]) => {
  const answer = await edit(before, args);
  expect(answer).toMatchObject({ ok: true, result: '"ok"' });
  expect(answer.after.toString()).toBe(after);
  expect(answer.meta).toMatchObject({
    version: expect.any(String),
    undo_id: expect.any(String),
    diff: expect.any(String),
  });
});

test.for([
  ['no old_string', 'a', { new_string: 'b' }, 'invalid_args', 'missing required argument old_string'],
  ['no new_string', 'a', { old_string: 'a' }, 'invalid_args', 'new_string'],
  ['an empty old_string', 'a', { old_string: '', new_string: 'b' }, 'old_text_empty', 'old_string is empty'],
  ['the same text', 'a', { old_string: 'a', new_string: 'a' }, 'edit_no_change', 'the same'],
  ['another value of insert', 'a', { insert: 'middle', new_string: 'b' }, 'invalid_args', 'insert'],
  [
    'several occurrences',
    'x\na\nx\nx x\n',
    { old_string: 'x', new_string: 'b' },
    'edit_not_unique',
    'found 4 times in f (lines 1, 3, 4, 4)',
  ],
  ['other case', 'Hello', { old_string: 'hello', new_string: 'b' }, 'edit_not_found', ''],
  ['curly quotes', '“a”', { old_string: '"a"', new_string: 'b' }, 'edit_not_found', ''],
  ['other normalization', 'caf\u00e9', { old_string: 'cafe\u0301', new_string: 'b' }, 'edit_not_found', ''],
  ['half of a surrogate pair', 'a', { old_string: 'a', new_string: '\ud83d' }, 'invalid_args', 'surrogate'],
  ['half of one in old_string', 'a', { old_string: '\ud83d', new_string: 'b' }, 'invalid_args', 'old_string'],
  ['a binary file', 'a\0', { old_string: 'a', new_string: 'b' }, 'binary_file', 'binary file'],
  ['another version', 'a', { old_string: 'a', new_string: 'b', if_version: 'x' }, 'stale_file', ''],
] as const)('refuses %s, and changes nothing', async ([, before, args, error_code, message]) => {
  const answer = await edit(before, args);
  expect(answer).toMatchObject({ ok: false, error_code, suggestion: expect.any(String) });
  expect(answer.error).toContain(message);
  expect(answer.after.toString()).toBe(before);
});

test('shows the closest text on a miss', async () => {
  const { error } = await edit('alpha\nfn run(a: u8) {\n}\n', { old_string: 'fn run(a: u16) {', new_string: 'x' });
  expect(error).toContain('Closest match at line 2:\n- fn run(a: u16) {\n+ fn run(a: u8) {');
});

test('does not advise to copy bytes that are not UTF-8', async () => {
  const content = Buffer.concat([Buffer.from('// caf\xe9\n', 'latin1'), Buffer.from('// 数値\n')]);
  const { suggestion } = await edit(content, { old_string: '// café', new_string: 'x' });
  expect(suggestion).toContain('send a part of line 1 that is ASCII');
});

test.for([
  ['line endings', 'a\r\nb\r\n', 'a\nb', 'end in \\r\\n'],
  ['line endings the other way', 'a\nb\n', 'a\r\nb', 'end in \\n'],
  ['an old_string that was escaped twice', 'a\n\tb "c"\n', 'a\\n\\tb \\"c\\"', 'it was escaped twice'],
  ['whitespace around it', '  a b\n', 'a b   ', 'other whitespace'],
] as const)('says that only %s differ', async ([, before, old_string, reason]) => {
  const { error } = await edit(before, { old_string, new_string: 'x' });
  expect(error).toContain(reason);
});

test('warns of line breaks that were escaped twice, and writes what was sent', async () => {
  const answer = await edit('a', { old_string: 'a', new_string: 'x\\ny\\nz\\n' });
  expect(answer.after.toString()).toBe('x\\ny\\nz\\n');
  expect(answer.meta).toMatchObject({ warnings: [expect.stringContaining('3 times the two characters \\n')] });
  expect((await edit('a', { old_string: 'a', new_string: 'printf "\\n"' })).meta).not.toHaveProperty('warnings');
});

test('refuses a file that is missing', async () => {
  const answer = await call(editFile, { path: 'none', old_string: 'a', new_string: 'b' });
  expect(answer).toMatchObject({ error_code: 'file_not_found', suggestion: expect.stringContaining('create_file') });
});

test('refuses a result that is too large before it is made', async () => {
  const args = { old_string: 'a', new_string: 'b'.repeat(100_000), replace_all: true };
  const answer = await edit('a'.repeat(1_000), args);
  expect(answer).toMatchObject({ error_code: 'file_too_large' });
  expect(answer.after).toHaveLength(1_000);
});

test('refuses an edit of a file that has changed since it was read', async () => {
  const [root, session] = [makeTempDirectory(), createSession()];
  await call(readFile, { path: 'f' }, { root, session, files: { f: 'a' } });
  fs.writeFileSync(path.join(root, 'f'), 'a changed');
  const answer = await call(editFile, { path: 'f', old_string: 'a', new_string: 'b' }, { root, session });
  expect(answer).toMatchObject({ error_code: 'stale_file' });
});

test('changes only the bytes that match, also among bytes that are not UTF-8', async () => {
  const [head, tail] = [Buffer.from('éöü\xe9'), Buffer.from([0xff, 0x0d, 0x0a])];
  const { after } = await edit(Buffer.concat([head, Buffer.from('a'), tail]), { old_string: 'a', new_string: 'é' });
  expect([...after]).toEqual([...head, 0xc3, 0xa9, ...tail]);
});

test('replaces as String.replaceAll does', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '$&'), maxLength: 30 });
  const wanted = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 2 });
  const property = fc.asyncProperty(text, wanted, text, async (before, old_string, new_string) => {
    fc.pre(before.includes(old_string) && old_string !== new_string);
    const root = makeTempDirectory();
    const args = { path: 'f', old_string, new_string, replace_all: true };
    await call(editFile, args, { root, files: { f: before }, history: false });
    expect(fs.readFileSync(path.join(root, 'f'), 'utf8')).toBe(before.replaceAll(old_string, () => new_string));
  });
  await fc.assert(property, { numRuns: 40 / inject('runsDivisor') });
});

test('creates a file with its directories, and overwrites without warning', async () => {
  const root = makeTempDirectory();
  const create = (args: object) => call(createFile, args, { root });
  expect(await create({ path: 'a/b/c.txt', content: 'deep' })).toMatchObject({ ok: true, result: '"ok"' });
  expect(await create({ path: 'a/b/c.txt', content: '' })).toMatchObject({ ok: true, result: '"ok"' });
  expect(fs.readFileSync(path.join(root, 'a/b/c.txt'), 'utf8')).toBe('');
  expect(await create({ file_path: 'd.txt', text: 'x\r\n' })).toMatchObject({ ok: true });
  expect(fs.readFileSync(path.join(root, 'd.txt'), 'utf8')).toBe('x\r\n');
});

test.for([
  ['no content', { path: 'f' }, 'invalid_args'],
  ['a directory', { path: 'd', content: '' }, 'not_a_file'],
  ['a path that leads out', { path: '../f', content: '' }, 'path_outside_sandbox'],
  [
    'a path that leads out by a directory that is missing',
    { path: 'new/../../f', content: '' },
    'path_outside_sandbox',
  ],
  ['a secret', { path: '.env', content: '' }, 'path_outside_sandbox'],
  ['a version of a file that is missing', { path: 'g', content: '', if_version: 'x' }, 'stale_file'],
  ['half of a surrogate pair', { path: 'f', content: '\udc00' }, 'invalid_args'],
] as const)('does not create %s', async ([, args, error_code]) => {
  const root = makeTempDirectory();
  const answer = await call(createFile, args, { root, files: { f: 'keep', 'd/': '' } });
  expect(answer).toMatchObject({ ok: false, error_code, suggestion: expect.any(String) });
  expect(fs.readFileSync(path.join(root, 'f'), 'utf8')).toBe('keep');
});

const WINDOWS = '\ufeff# A\r\na\r\n## B\r\nb\r\n';
const PARTS = [
  ['f', WINDOWS, {}],
  ['f', WINDOWS, { start_line: 2, end_line: 3 }],
  ['f.md', WINDOWS, { heading: 'B' }],
  ['f.toml', 'x = 1\r\n[t]\r\ny = 2\r\n', { toml_key: 't' }],
  ['f.json', '{\r\n  "a": {\r\n    "n": 1.0\r\n  }\r\n}\r\n', { json_path: '$.a' }],
] as const;

test.for(PARTS)('takes what read_file gives of %s with %j, line ends and all', async ([name, content, args]) => {
  const root = makeTempDirectory();
  const read = await call(readFile, { path: name, ...args }, { root, files: { [name]: content } });
  const old_string: string = JSON.parse(read.result ?? '').content;
  expect(old_string).toContain('\r\n');
  expect(await call(editFile, { path: name, old_string, new_string: 'new' }, { root })).toMatchObject({ ok: true });
  expect(fs.readFileSync(path.join(root, name), 'utf8')).toBe(content.replace(old_string, 'new'));
});

test.for([
  ['b', 'x\ny', 'a\r\nb\r\n', 'Before, all were \\r\\n: send \\r\\n'],
  ['b', 'x\r\ny', 'a\nb\n', 'Before, all were \\n: send \\n'],
] as const)(
  'writes %s as it was sent, and warns that line ends are mixed then',
  async ([old, text, before, warning]) => {
    const answer = await edit(before, { old_string: old, new_string: text });
    expect(answer.after.toString()).toBe(before.replace(old, text));
    expect(answer.meta).toMatchObject({ warnings: [expect.stringContaining(warning)] });
  },
);

test.for([
  ['line ends that stay the same', 'a\r\nb\r\n', { old_string: 'b', new_string: 'x\r\ny' }],
  ['a text without line ends', 'a\r\nb\r\n', { old_string: 'b', new_string: 'x' }],
  ['line ends that all change', 'a\r\n', { old_string: 'a\r\n', new_string: 'a\nb\n' }],
  ['line ends that were mixed before', 'a\r\nb\n', { old_string: 'b', new_string: 'x\ny' }],
  ['a file without line ends', 'b', { old_string: 'b', new_string: 'x\ny\n' }],
] as const)('does not warn of %s', async ([, before, args]) => {
  expect((await edit(before, args)).meta).not.toHaveProperty('warnings');
});

test('takes booleans as text, and leaves text that looks like one alone', async () => {
  expect((await edit('a a', { old_string: 'a', new_string: 'true', replace_all: 'true' })).after.toString()).toBe(
    'true true',
  );
  expect((await edit('a 1', { old_text: '1', new_text: '2' })).after.toString()).toBe('a 2');
  expect(await edit('a', { old_string: 'a', new_string: 'b', replace_all: 'yes' })).toMatchObject({
    error_code: 'invalid_args',
  });
});

test('refuses a buffer reference, and names the file that it follows', async () => {
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), session: createSession() };
  const long = await call(readFile, { path: 'd/f' }, { ...at, files: { 'd/f': 'a\n'.repeat(300) } });
  const file: string = JSON.parse(long.result ?? '').file_id;
  const ran = await call(runCommand, { command: 'seq 5000' }, at);
  const output: string = JSON.parse(ran.result ?? '').output_id;
  const calls = [
    [editFile, { old_string: 'a', new_string: 'b' }],
    [createFile, { content: 'x' }],
    [listDir, {}],
    [findFile, { pattern: '*' }],
  ] as const;
  for (const [tool, args] of calls) {
    expect(await call(tool, { path: file, ...args }, at)).toMatchObject({
      error_code: 'invalid_args',
      error: `${file} is a buffer reference, not a path`,
      suggestion: 'pass the path of its file: "d/f"',
    });
    expect(await call(tool, { path: output, ...args }, at)).toMatchObject({
      error_code: 'invalid_args',
      suggestion: expect.stringContaining('read_file'),
    });
    expect(await call(tool, { path: '@cmd_00000000', ...args }, at)).toMatchObject({ error_code: 'not_found' });
  }
  expect(fs.readdirSync(at.root)).toEqual(['d']);
  expect(await call(createFile, { path: './@file_00000000', content: '' }, at)).toMatchObject({ ok: true });
});

test('edits the cell of a notebook that has the text, and never its JSON', async () => {
  const root = makeTempDirectory();
  const source = ['x = 1\n', 'print(x)'];
  const before = JSON.stringify({ cells: [{ cell_type: 'code', source }], metadata: {}, nbformat: 4 });
  const run = async (args: object) => {
    const answer = await call(editFile, { path: 'n.ipynb', ...args }, { root, files: { 'n.ipynb': before } });
    return { ...answer, after: fs.readFileSync(path.join(root, 'n.ipynb'), 'utf8') };
  };
  expect(await run({ old_string: 'x = 1', new_string: 'x = "q"\ny = 2' })).toMatchObject({
    result: '"ok"',
    after: before.replace('"x = 1\\n"', '"x = \\"q\\"\\n","y = 2\\n"'),
  });
  for (const [old_string, error_code] of [
    ['"x = 1\\n"', 'edit_not_found'],
    ['x', 'edit_not_unique'],
  ] as const) {
    const suggestion = expect.stringContaining('cell');
    expect(await run({ old_string, new_string: 'z' })).toMatchObject({ error_code, after: before, suggestion });
  }
  expect(await run({ insert: 'append', new_string: 'z' })).toMatchObject({ error_code: 'invalid_args', after: before });
  const create = (content: string) => call(createFile, { path: 'n.ipynb', content }, { root });
  expect(await create('x = 1')).toMatchObject({ error_code: 'invalid_args' });
  expect((await create(before.replace('1', '2'))).ok).toBe(true);
});

test('create_file says that a file gets another encoding or other line endings', async () => {
  const { meta } = await call(createFile, { path: 'f', content: 'a\nb\n' }, { files: { f: '\ufeffa\r\n' } });
  expect(meta).toMatchObject({
    warnings: ['f was UTF-8 with a byte order mark, now UTF-8; was CRLF, now LF'],
  });
});
