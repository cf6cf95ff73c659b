import { call } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { navigate } from './navigate.ts';
import { readFile } from './read-file.ts';

async function read(name: string, content: string, args: object) {
  const answer = await call(readFile, { path: name, ...args }, { files: { [name]: content } });
  return answer.ok ? JSON.parse(answer.result ?? '') : answer;
}

const JSON_TEXT = JSON.stringify({ a: { 'b c': [1, { d: 'x' }, 3] }, list: [{ n: 1 }, { n: 2 }], empty: [] });

test.for([
  ['$.a["b c"][1].d', '"x"'],
  ['a.b c[-1]', '3'],
  ["$['list'][*].n", '[\n  1,\n  2\n]'],
  ['$', JSON.stringify(JSON.parse(JSON_TEXT), undefined, 2)],
  ['list[1]', '{\n  "n": 2\n}'],
] as const)('finds %s in JSON', async ([json_path, content]) => {
  expect(await read('f.json', JSON_TEXT, { json_path })).toEqual({ content, total_lines: 1 });
});

test.for([
  ['$.nothing', 'not_found', 'at the top it has a, list, empty'],
  ['list[7]', 'not_found', 'at the top'],
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

test('cuts a part that is too long after whole lines', async () => {
  const list = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => i));
  const { content, overflow } = await read('f.json', list, { json_path: '$' });
  expect(content.split('\n')).toHaveLength(200);
  expect(overflow).toMatchObject({ shown: 200, total: 5_002 });
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
      const start = Date.now();
      expect(() => navigate(`${text}x\n${text}`, { by, to: 'zzz', path: 'f' })).toThrow();
      expect(Date.now() - start).toBeLessThan(5_000);
    }
  }
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
  fc.assert(property, { numRuns: 1_000 });
});
