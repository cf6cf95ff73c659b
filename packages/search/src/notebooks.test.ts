import { notebookToText } from '@jinn/syntax/notebook';
import { call, type FileTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { searchFiles } from './search-files.ts';

type Cell = readonly [type: 'code' | 'markdown', source: string | readonly string[], output?: string];

function notebook(cells: readonly Cell[]): string {
  const all = cells.map(([cell_type, source, output]) => ({
    cell_type,
    metadata: {},
    source,
    ...(cell_type === 'code' && {
      outputs: output === undefined ? [] : [{ output_type: 'stream', name: 'stdout', text: [output] }],
    }),
  }));
  return JSON.stringify({ cells: all, metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, 1);
}

const NOTEBOOK = notebook([
  ['markdown', ['# Title\n', 'say "hi"\n', 'naïve café']],
  ['code', 'import os\nprint("x\\ty")', 'the output\n'],
]);

describe.each([
  ['ripgrep', process.env],
  ['built-in', { JINN_RIPGREP: 'off' }],
] as const)('with %s', (_, environment) => {
  async function search(args: object, files: FileTree) {
    return (await call(searchFiles, { format: 'text', ...args }, { environment, files })).result;
  }

  test.each([
    [{ pattern: 'say "' }, 'a.txt:1:say "\nn.ipynb:3:say "hi"\nsub/N.IPYNB:3:say "hi"'],
    [{ pattern: '"x\\\\ty"' }, 'n.ipynb:8:print("x\\ty")\nsub/N.IPYNB:8:print("x\\ty")'],
    [{ pattern: 'na.ve caf.$' }, 'n.ipynb:4:naïve café\nsub/N.IPYNB:4:naïve café'],
    [{ pattern: '(?<=the )output' }, 'n.ipynb:10:the output\nsub/N.IPYNB:10:the output'],
    [
      { pattern: 'import os\\nprint', multiline: true, include: 'n.ipynb' },
      'n.ipynb:7:import os\nn.ipynb:8:print("x\\ty")',
    ],
    [{ pattern: 'nbformat|cell_type' }, '[no matches: the pattern matched nothing]'],
    [{ pattern: 'say', format: 'filenames' }, 'a.txt: 1\nn.ipynb: 1\nsub/N.IPYNB: 1'],
  ])('searches the cells of notebooks as they are shown: %j', async (args, expected) => {
    expect(await search(args, { 'a.txt': 'say "\n', 'n.ipynb': NOTEBOOK, 'sub/N.IPYNB': NOTEBOOK })).toBe(expected);
  });

  test('searches a file that is no notebook but for its name as text', async () => {
    expect(await search({ pattern: 'say' }, { 'a.ipynb': '{"cells": [ say', 'b.ipynb': '{"a": "say"}' })).toBe(
      'a.ipynb:1:{"cells": [ say\nb.ipynb:1:{"a": "say"}',
    );
  });

  test('searches a large notebook, and one in UTF-16', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line number ${i}\n`);
    const large = notebook([['code', [...lines, 'the needle']]]);
    expect(large.length).toBeGreaterThan(1024 * 1024);
    const utf16 = Buffer.from(`\ufeff${NOTEBOOK}`, 'utf16le');
    expect(await search({ pattern: 'needle|café' }, { 'l.ipynb': large, 'u.ipynb': utf16, 'x.txt': '' })).toBe(
      'l.ipynb:60002:the needle\nu.ipynb:4:naïve café',
    );
  });

  test('finds in a notebook what it finds in its text', async () => {
    const text = fc.array(fc.constantFrom('a', 'b', '"', '\\', 'é', '\u0000', '\t', ' ', '\n', '\r\n'), {
      maxLength: 12,
    });
    const cell = fc.tuple(
      fc.constantFrom('code' as const, 'markdown' as const),
      text.map((each) => each.join('')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { maxLength: 4 }),
        fc.constantFrom('a', '[^a]b', '^.$', '(?<!a)b', '\\\\', 'é|"', '%%'),
        async (cells, pattern) => {
          const json = notebook(cells);
          const shown = (notebookToText(json) ?? '').replaceAll('\0', '0');
          const files = { 'n.ipynb': json.replaceAll('\\u0000', '0'), 't.txt': shown };
          const lines = ((await search({ pattern }, files)) ?? '').split('\n');
          const of = (name: string) =>
            lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length));
          expect(of('n.ipynb')).toEqual(of('t.txt'));
        },
      ),
      { numRuns: 100 / inject('runsDivisor') },
    );
  });
});

test('searches cells that hold a NUL', async () => {
  const { result } = await call(searchFiles, { pattern: 'b' }, { files: { 'n.ipynb': notebook([['code', 'a\0b']]) } });
  expect(result).toBe('n.ipynb:2:a\0b');
});
