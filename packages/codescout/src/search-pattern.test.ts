import { createSession } from '@jinn/core';
import { type CallOptions, call, countProcessorTime, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from './read-file.ts';
import { runCommand } from './run-command.ts';
import { searchPattern } from './search-pattern.ts';

async function search(args: object, options: CallOptions = {}) {
  const root = options.root ?? makeTempDirectory();
  const answer = await call(searchPattern, args, { ...options, root });
  return { ...answer, root, data: answer.ok ? JSON.parse(answer.result ?? '') : undefined };
}

test('finds lines with their absolute paths, as the page shows', async () => {
  const files = { 'src/a.rs': 'x\n  pub fn validate_read(\r\n', 'b.rs': 'fn validate_x(' };
  const { data, root } = await search({ pattern: 'fn\\s+validate_\\w+', path: 'src', max_results: 20 }, { files });
  expect(data).toEqual({
    matches: [{ file: `${root}/src/a.rs`, line: 2, content: '  pub fn validate_read(' }],
    total: 1,
  });
});

test('searches the whole project by default, and a file that is named', async () => {
  const files = {
    'a.txt': 'needle\n',
    'd/b.txt': 'x\nneedle\n',
    'node_modules/c.txt': 'needle\n',
    '.h/d.txt': 'needle\n',
  };
  const { data, root } = await search({ pattern: 'needle' }, { files });
  expect(data.matches.map(({ file }: { file: string }) => file.slice(root.length))).toEqual([
    '/a.txt',
    '/d/b.txt',
    '/node_modules/c.txt',
  ]);
  expect((await search({ pattern: 'needle', path: '.h/d.txt' }, { files })).data.total).toBe(1);
  expect((await search({ pattern: 'nothing' }, { files })).data).toEqual({ matches: [], total: 0 });
});

test('respects .gitignore, and never opens secrets', async () => {
  const files = { '.gitignore': 'out/\n', 'out/a': 'needle\n', '.env': 'needle\n', '.git/x': 'needle\n' };
  expect((await search({ pattern: 'needle' }, { files })).data.total).toBe(0);
  expect(await search({ pattern: 'needle', path: '.env' }, { files })).toMatchObject({
    error_code: 'path_outside_sandbox',
  });
});

test('counts the matches of each file when there are more than it returns', async () => {
  const files = { 'a.txt': 'hit\n'.repeat(3), 'b.txt': 'hit\n'.repeat(70), 'c.txt': 'hit hit\n' };
  const { data, root, truncated } = await search({ pattern: 'hit' }, { files });
  expect(data.matches).toHaveLength(50);
  expect(data).toMatchObject({
    total: 74,
    overflow: { shown: 50, total: 74, hint: expect.stringContaining('max_results') },
  });
  expect(data.overflow.by_file).toEqual([
    { file: `${root}/b.txt`, count: 70 },
    { file: `${root}/a.txt`, count: 3 },
    { file: `${root}/c.txt`, count: 1 },
  ]);
  expect(truncated).toBe(true);
  expect((await search({ pattern: 'hit', limit: 4 }, { files })).data.matches).toHaveLength(4);
  expect((await search({ pattern: 'hit', max_results: 74 }, { files })).data.overflow).toBeUndefined();
});

test('skips files that are not UTF-8 silently, and fills up with others', async () => {
  const latin = Buffer.concat([Buffer.from('hit\n'.repeat(60)), Buffer.from([0xe9, 0x0a])]);
  const utf16 = Buffer.from('\ufeffhit\n', 'utf16le');
  const files = { 'a.txt': latin, 'b.bin': 'hit\0\n', 'c.txt': 'hit é\n'.repeat(3), 'd.txt': utf16 };
  const { data, warnings } = { warnings: undefined, ...(await search({ pattern: 'hit' }, { files })) };
  expect(data.total).toBe(3);
  expect(data.matches.map(({ content }: { content: string }) => content)).toEqual(['hit é', 'hit é', 'hit é']);
  expect(warnings).toBeUndefined();
});

test('shows a very long line around the match', async () => {
  const { data } = await search(
    { pattern: 'needle' },
    { files: { f: `${'é'.repeat(50_000)}needle${'x'.repeat(50_000)}\n` } },
  );
  expect(data.matches[0].content).toMatch(/^…é+needlex+…$/);
  expect(data.matches[0].content.length).toBeLessThan(4_000);
});

test('puts a very large result into a buffer', async () => {
  const files = { f: `${'needle'.padEnd(100, '.')}\n`.repeat(2_000) };
  const [session, root] = [createSession(), makeTempDirectory()];
  const at = { session, root, state: makeTempDirectory() };
  const { data } = await search({ pattern: 'needle', max_results: 2_000 }, { ...at, files });
  expect(data).toMatchObject({ total: 2_000, overflow: { shown: data.matches.length } });
  expect(data.overflow.hint).not.toContain('max_results');
  const [, next = ''] = /Call read_file with (.*) to continue/.exec(data.overflow.hint) ?? [];
  const rest = await call(readFile, JSON.parse(next), { ...at, root });
  const [, line] = /"line": (\d+)/.exec(JSON.parse(rest.result ?? '').content) ?? [];
  expect(Number(line)).toBe(data.matches.length + 1);
  const part = await call(readFile, { path: data.output_id, json_path: '$.matches[1999].line' }, at);
  expect(JSON.parse(part.result ?? '').content).toBe('2000');
});

test.for([
  ['a bad pattern', { pattern: 'foo(' }, 'invalid_regex'],
  ['a huge pattern', { pattern: '(a?)'.repeat(100_000) }, 'invalid_regex'],
  ['a missing path', { pattern: 'x', path: 'nothing' }, 'file_not_found'],
  ['a path that leads out', { pattern: 'x', path: '..' }, 'path_outside_sandbox'],
  ['an unknown reference', { pattern: 'x', path: '@cmd_00000000' }, 'not_found'],
] as const)('refuses %s', async ([, args, error_code]) => {
  expect(await search(args)).toMatchObject({ ok: false, error_code, suggestion: expect.any(String) });
});

test.for(['^(a+)+$', '(.*)*=(.*)*;', '(x|xx|xxx)+y', '(?=(a+)+$)b'])('does not hang on %s', async (pattern) => {
  const used = countProcessorTime();
  const answer = await search({ pattern }, { files: { f: `${'a'.repeat(5_000)}!\n${'x'.repeat(5_000)}\n` } });
  expect(answer.ok || answer.error_code === 'timeout').toBe(true);
  expect(used()).toBeLessThan(15_000);
});

test('a pattern that takes too long is told what this tool can do', { tags: 'slow' }, async () => {
  const answer = await search({ pattern: '(a|a|aa)+(?!.)' }, { files: { f: `${'a'.repeat(5_000)}!\n` } });
  expect(answer).toMatchObject({ error_code: 'timeout', suggestion: expect.stringContaining('narrower path') });
  expect(answer.suggestion).not.toContain('timeout');
});

test('searches a buffer by its own line numbers, and a followed file by its path', async () => {
  const [session, root] = [createSession(), makeTempDirectory()];
  const at = { session, root, state: makeTempDirectory() };
  const files = { f: Array.from({ length: 900 }, (_, i) => `line ${i + 1}\n`).join('') };
  const read = JSON.parse((await call(readFile, { path: 'f' }, { ...at, files })).result ?? '');
  expect((await search({ pattern: ' 777$', path: read.file_id }, at)).data).toEqual({
    matches: [{ file: `${root}/f`, line: 777, content: 'line 777' }],
    total: 1,
  });
  const ran = JSON.parse((await call(runCommand, { command: 'seq 1 5000; echo oops >&2' }, at)).result ?? '');
  const found = await search({ pattern: '99$', path: ran.output_id, max_results: 2 }, at);
  expect(found.data).toMatchObject({
    matches: [{ file: ran.output_id, line: 99, content: '99' }, { line: 199 }],
    total: 50,
    overflow: { shown: 2 },
  });
  const all = await search({ pattern: '.', path: `'${ran.output_id}'`, max_results: 5_000 }, at);
  expect(all.data.matches[0].file).toBe(ran.output_id);
  expect(all.data).toMatchObject({ total: 5_000, overflow: { shown: all.data.matches.length } });
  expect(all.data.overflow.hint).toMatch(/Narrow path or pattern$/);
  expect(all.data.output_id).toBeUndefined();
  expect((await search({ pattern: 'oops', path: `${ran.output_id}.err` }, at)).data.total).toBe(1);
  expect(await search({ pattern: '(?=(\\d+)+$)x', path: ran.output_id }, at)).toMatchObject({ ok: true });
});
