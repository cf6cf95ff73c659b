import { createSession } from '@jinn/core';
import { type CallOptions, call, countProcessorTime, makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { readFile } from '../read-file.ts';
import { navigate } from './navigate.ts';

async function read(name: string, content: string, args: object) {
  const answer = await call(readFile, { path: name, ...args }, { files: { [name]: content } });
  return answer.ok ? JSON.parse(answer.result ?? '') : answer;
}

const JSON_TEXT = JSON.stringify({ a: { 'b c': [1, { d: 'x' }, 3] }, list: [{ n: 1 }, { n: 2 }], empty: [] });

test.for([
  ['$.a["b c"][1].d', '"x"'],
  ['a.b c[-1]', '3'],
  ["$['list'][*].n", '[\n  1,\n  2\n]'],
  ['$', JSON_TEXT],
  ['list[1]', '{"n":2}'],
  ['list[0:1]', '[\n  {"n":1}\n]'],
  ['$.list[-1:].n', '[\n  2\n]'],
  ['$.list.*.n', '[\n  1,\n  2\n]'],
  ['$.a["b c"][:-1]', '[\n  1,\n  {"d":"x"}\n]'],
] as const)('finds %s in JSON', async ([json_path, content]) => {
  const lines = { total_lines: 1, start_line: 1, end_line: 1 };
  expect(await read('f.json', JSON_TEXT, { json_path })).toEqual({ content, ...lines });
});

const NUMBERS = `{
  "id": 12345678901234567890, "f": 1.0,
  "e": 1e400,
  "n": {
    "big": 9007199254740993,
    "dup": 1, "s": "a\\u0041\\/",
    "dup": 2
  }
}
`;

test.for([
  ['$.id', '12345678901234567890', 2, 2],
  ['$.f', '1.0', 2, 2],
  ['$.e', '1e400', 3, 3],
  ['$.n.dup', '2', 7, 7],
  ['$.n.s', '"a\\u0041\\/"', 6, 6],
  ['$.n', NUMBERS.slice(NUMBERS.indexOf('{\n    "big'), -3), 4, 8],
  ['$', NUMBERS.trimEnd(), 1, 9],
  ['$.n[*]', '[\n  9007199254740993,\n  1,\n  "a\\u0041\\/",\n  2\n]', 5, 7],
] as const)('gives %s as it stands in the file, with its lines', async ([json_path, content, start_line, end_line]) => {
  expect(await read('n.json', NUMBERS, { json_path })).toEqual({ content, start_line, end_line, total_lines: 9 });
});

test('finds what JSON.parse finds, on any JSON', () => {
  const property = fc.property(fc.json({ maxDepth: 4 }), fc.boolean(), (text, isIndented) => {
    const value: unknown = JSON.parse(text);
    const given = isIndented ? JSON.stringify(value, undefined, 2) : text;
    for (const [key, member] of Object.entries(value ?? {})) {
      if (typeof value === 'string' || (Array.isArray(value) && key === 'length')) continue;
      const step = Array.isArray(value) ? `[${key}]` : `[${JSON.stringify(key)}]`;
      const { content } = navigate(given, { by: 'json_path', to: `$${step}`, path: 'f' }) as { content: string };
      expect(JSON.parse(content)).toEqual(member);
      expect(given).toContain(content);
    }
  });
  fc.assert(property, { numRuns: 500 / inject('runsDivisor') });
});

test.for([
  ['$.nothing', 'not_found', 'at the top it has a, list, empty'],
  ['list[7]', 'not_found', '$.list is a list of 2'],
  ['a.x.y', 'not_found', '$.a has b c'],
  ['list[*].none', 'not_found', 'has n'],
  ['empty[0:9]', 'not_found', '$.empty is a list of 0'],
  ['a[', 'invalid_args', 'write it as'],
  ['__proto__', 'not_found', 'at the top'],
] as const)('refuses %s', async ([json_path, error_code, suggestion]) => {
  const answer = await read('f.json', JSON_TEXT, { json_path });
  expect(answer).toMatchObject({ error_code, suggestion: expect.stringContaining(suggestion) });
});

test('refuses json_path for what is not JSON', async () => {
  expect(await read('f.json', '{', { json_path: '$' })).toMatchObject({ error_code: 'invalid_args' });
});

const MARKDOWN = '# One\na\n## Two ##\nb\n```\n# no heading\n```\n### Three\nc\n## Four\nd\n';

test.for([
  ['Two', '## Two ##\nb\n```\n# no heading\n```\n### Three\nc\n', 3, 9],
  ['## two', '## Two ##\nb\n```\n# no heading\n```\n### Three\nc\n', 3, 9],
  ['fou', '## Four\nd\n', 10, 11],
] as const)('finds the section %s of Markdown', async ([heading, content, start_line, end_line]) => {
  expect(await read('f.md', MARKDOWN, { heading })).toMatchObject({ content, start_line, end_line, total_lines: 11 });
});

test('names the headings that there are', async () => {
  const answer = await read('f.md', MARKDOWN, { heading: 'Five' });
  expect(answer).toMatchObject({ error_code: 'not_found', suggestion: expect.stringContaining('"Two", "Three"') });
  expect(await read('f.md', 'text\n', { heading: '' })).toMatchObject({ error_code: 'not_found' });
});

const TOML = `title = "x"
[package]
name = "sum" # a name
keywords = [
  "a]",
  "b",
]

[package.metadata]
"odd key" = 1
text = """
[not.a.table]
"""

[[bin]]
name = "one"
`;

test.for([
  ['title', 'title = "x"\n'],
  ['package.name', 'name = "sum" # a name\n'],
  ['package.keywords', 'keywords = [\n  "a]",\n  "b",\n]\n'],
  ['package.metadata."odd key"', '"odd key" = 1\n'],
  ['bin', '[[bin]]\nname = "one"\n'],
] as const)('finds the key %s of TOML', async ([toml_key, content]) => {
  expect((await read('f.toml', TOML, { toml_key })).content).toBe(content);
});

test('finds a table of TOML with the tables in it', async () => {
  const { start_line, end_line } = await read('f.toml', TOML, { toml_key: 'package' });
  expect([start_line, end_line]).toEqual([2, 13]);
});

const YAML = `# first
on:
  push:
    branches: [main]
jobs:
  test:
    steps:
    - name: one
      run: x
    - name: two

  lint: {}
"quoted": 1
`;

test.for([
  ['on.push', '  push:\n    branches: [main]\n', 3],
  ['jobs.test.steps', '    steps:\n    - name: one\n      run: x\n    - name: two\n', 7],
  ['jobs.lint', '  lint: {}\n', 12],
  ['quoted', '"quoted": 1\n', 13],
] as const)('finds the key %s of YAML', async ([toml_key, content, start_line]) => {
  expect(await read('f.yaml', YAML, { toml_key })).toMatchObject({ content, start_line });
});

test('names the keys that there are', async () => {
  expect(await read('f.yaml', YAML, { toml_key: 'off' })).toMatchObject({ suggestion: 'it has on, jobs, quoted' });
  expect(await read('f.toml', TOML, { toml_key: 'package.none' })).toMatchObject({
    error_code: 'not_found',
    suggestion: expect.stringContaining('package.metadata'),
  });
});

/** Reads as the hint of an overflow tells to. */
async function goOn(hint: string, options: CallOptions) {
  const args = /read_file with (\{.*\}) to continue/.exec(hint)?.[1] ?? expect.fail(hint);
  const answer = await call(readFile, JSON.parse(args), options);
  return JSON.parse(answer.result ?? '');
}

function place(files: Record<string, string>, options: CallOptions = {}): CallOptions {
  return { root: makeTempDirectory(), state: makeTempDirectory(), session: createSession(), files, ...options };
}

const ITEMS = Array.from({ length: 500 }, (_, i) => ({ name: `item ${i}`, more: { i } }));

test.for([undefined, 3_000])('cuts a part after whole lines, and its hint goes on (host: %s)', async (maxResult) => {
  const text = JSON.stringify({ first: 1, items: ITEMS }, undefined, 2);
  const at = place({ 'f.json': text }, maxResult === undefined ? {} : { maxResult });
  const data = JSON.parse((await call(readFile, { path: 'f.json', json_path: '$.items' }, at)).result ?? '');
  expect(data).toMatchObject({ start_line: 3, end_line: 3_004, file_id: expect.any(String) });
  expect(data.overflow.total).toBe(3_002);
  const rest = await goOn(data.overflow.hint, { ...at, maxResult: 1_000_000 });
  expect(`${data.content}${rest.content}`.trimEnd()).toBe(text.slice(text.indexOf('['), -2));
});

test.for([undefined, 3_000])('keeps several values that are too long for an answer (host: %s)', async (maxResult) => {
  const at = place({ 'f.json': JSON.stringify({ items: ITEMS }) }, maxResult === undefined ? {} : { maxResult });
  const answer = await call(readFile, { path: 'f.json', json_path: '$.items[*].name' }, at);
  const data = JSON.parse(answer.result ?? '');
  const shown = JSON.parse(data.content).length;
  expect([answer.truncated, data.file_id]).toEqual([true, undefined]);
  expect(data).toMatchObject({ output_id: expect.stringMatching(/^@tool_/), overflow: { shown, total: 500 } });
  if (maxResult) expect(Buffer.byteLength(answer.result ?? '')).toBeLessThanOrEqual(maxResult);
  const rest = await goOn(data.overflow.hint, at);
  expect(rest.content.split('\n')[0]).toBe(`  "item ${shown}",`);
  const all = await call(readFile, { path: data.output_id, end_line: 502 }, { ...at, maxResult: 1_000_000 });
  expect(JSON.parse(JSON.parse(all.result ?? '').content)).toEqual(ITEMS.map(({ name }) => name));
});

test('goes on with a slice in a buffer, whose parts are not kept again', async () => {
  const at = place({ 'f.json': JSON.stringify({ items: ITEMS }) });
  const { output_id } = JSON.parse((await call(readFile, { path: 'f.json', json_path: 'items[*]' }, at)).result ?? '');
  const data = JSON.parse((await call(readFile, { path: output_id, json_path: '$[*].name' }, at)).result ?? '');
  const shown = JSON.parse(data.content).length;
  expect([data.output_id, data.file_id]).toEqual([undefined, undefined]);
  expect(data.overflow).toMatchObject({ shown, total: 500 });
  expect(JSON.parse((await goOn(data.overflow.hint, at)).content)[0]).toBe(`item ${shown}`);
  const wide = await call(readFile, { path: output_id, json_path: '$[*][*]' }, at);
  expect(wide.result).toContain('Ask for fewer');
});

test('says how to ask for less of one long line', async () => {
  const text = JSON.stringify({ list: Array.from({ length: 50_000 }, (_, i) => i), long: 'x'.repeat(200_000) });
  const hintOf = async (json_path: string) => (await read('f.json', text, { json_path })).overflow.hint;
  expect(await hintOf('$.list')).toBe(
    'Line 1 is too long for an answer: ask for some of its items, as json_path $.list[0:10] does',
  );
  expect(await hintOf('$')).toContain('ask for one of its keys by json_path: list, long');
  expect(await hintOf('$.long')).toContain('cut -c1-2000');
});

test('says which argument takes a file of another kind', async () => {
  const json = await read('d.json', '{"meta": 1}', { toml_key: 'meta' });
  expect(json).toMatchObject({ error_code: 'not_found', suggestion: expect.stringContaining('use json_path') });
  expect(await read('d.toml', '[a]', { json_path: 'a' })).toMatchObject({
    suggestion: expect.stringContaining('toml_key'),
  });
});

test('ends soon on any text', () => {
  const hostile = [
    ' '.repeat(200_000),
    '['.repeat(200_000),
    '# '.repeat(100_000),
    '"'.repeat(200_000),
    'a.'.repeat(9_999),
  ];
  for (const text of hostile) {
    for (const by of ['json_path', 'heading', 'toml_key'] as const) {
      const used = countProcessorTime();
      expect(() => navigate(`${text}x\n${text}`, { by, to: 'zzz', path: 'f' })).toThrow();
      expect(used()).toBeLessThan(5_000);
    }
  }
});

test('reads JSON that nests deeply, and soon', { tags: 'slow' }, () => {
  const used = countProcessorTime();
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const text = `${open.repeat(500_000)}1${close.repeat(500_000)}`;
    const data = navigate(text, { by: 'json_path', to: open === '[' ? '[0][0]' : 'a.a', path: 'f' });
    expect(data).toMatchObject({ overflow: { shown: 0 } });
  }
  const list = `[${'1,'.repeat(2_000_000)}1]`;
  expect(navigate(list, { by: 'json_path', to: '$[*]', path: 'f' })).toMatchObject({ overflow: { total: 2_000_001 } });
  expect(used()).toBeLessThan(10_000);
});

test('finds a section within the text, or refuses, whatever the text is', () => {
  const line = fc.constantFrom('# a', '## b', 'a:', '  b: 1', '[a]', '[a.b]', 'b = [', ']', '"""', '```', '', '- x');
  const texts = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
  const property = fc.property(texts, fc.constantFrom('a', 'b', 'a.b'), (text, to) => {
    for (const by of ['heading', 'toml_key'] as const) {
      try {
        const { content } = navigate(text, { by, to, path: 'f' }) as { content: string };
        expect(`${text}\n`).toContain(content);
      } catch (error) {
        expect(error).toMatchObject({ code: 'not_found' });
      }
    }
  });
  fc.assert(property, { numRuns: 1_000 / inject('runsDivisor') });
});
