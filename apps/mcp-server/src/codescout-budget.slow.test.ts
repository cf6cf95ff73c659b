import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectOld } from './fixture/connect.ts';

const KB = 1024;
const LINES = 900;
const LINE = (i: number) => `line ${i + 1} has "quotes" and some words of text\n`;

type Members = Record<string, unknown>;

interface Overflow {
  readonly shown: number;
  readonly total: number;
  readonly hint: string;
  readonly next_line?: number;
  readonly next_offset?: number;
}

type Data = Members & { readonly overflow?: Overflow; readonly output_id?: string };

/** Opens a project of long paths and long files. `call` parses the JSON of an answer, and holds it to the budget. */
async function open({ toolset = 'codescout', flags = ['--max-result', '8'], kilobytes = 8 } = {}) {
  const cwd = makeTempDirectory();
  const many = Array.from({ length: 300 }, (_, i) => [
    `src/a-directory-with-a-rather-long-name/${String(i).padStart(3, '0')}-a-rather-long-name-of-a-file.ts`,
    `export const needle_${i} = 1;\n`,
  ]);
  const named = Array.from({ length: 400 }, (_, i) => `export function named_${i}() {\n  return ${i};\n}\n`);
  makeTree(cwd, {
    'big.txt': Array.from({ length: LINES }, (_, i) => LINE(i)).join(''),
    "it's long.txt": `short\n${'x'.repeat(50_000)}\nend\n`,
    'big.md': `# First\n\n${'Some words of a section.\n'.repeat(600)}\n# Second\n`,
    'named.ts': named.join(''),
    'body.ts': `export function body() {\n${'  // A comment that has "many" lines.\n'.repeat(500)}}\n`,
    ...Object.fromEntries(many),
  });
  const args = ['--toolset', toolset, ...flags];
  const { client, connect } = await connectOld({ cwd, args });
  await connect();
  const callText = async (name: string, given: Members) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const texts = (content as { text: string }[]).map(({ text }) => text);
    expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(kilobytes * KB);
    return { text: texts[0] ?? '', isError };
  };
  const call = async (name: string, given: Members): Promise<Data> => {
    const { text, isError } = await callText(name, given);
    expect([name, given, isError ?? false, isError && text]).toEqual([name, given, false, isError && text]);
    return JSON.parse(text);
  };
  return { call, callText };
}

/** The call that a hint writes out. */
function callIn(hint = ''): [string, Members] {
  const [, name = '', json = '{}'] = /(read_file|run_command) with (\{.*\})/.exec(hint) ?? [];
  return [name, JSON.parse(json)];
}

test('the pages of a range of lines join to the range', async () => {
  const { call } = await open();
  let [joined, start] = ['', 11];
  for (let rounds = 0; start > 0; rounds++) {
    expect(rounds).toBeLessThan(20);
    const { content, overflow } = await call('read_file', { path: 'big.txt', start_line: start, end_line: 850 });
    joined += content;
    if (!overflow) break;
    expect(overflow).toMatchObject({ total: LINES, shown: String(content).split('\n').length - 1 });
    expect(overflow.hint).toContain(`start_line: ${overflow.next_line}, end_line: 850`);
    start = overflow.next_line ?? 0;
  }
  expect(joined).toBe(Array.from({ length: 840 }, (_, i) => LINE(i + 10)).join(''));
});

test('a line that is longer than an answer is skipped, and the command that is named shows its beginning', async () => {
  const { call } = await open();
  const path = "it's long.txt";
  const first = await call('read_file', { path, start_line: 1, end_line: 3 });
  expect(first).toMatchObject({ content: 'short\n', overflow: { shown: 1, total: 3, next_line: 2 } });
  const { content, overflow } = await call('read_file', { path, start_line: 2, end_line: 3 });
  expect([content, overflow]).toEqual(['', { shown: 0, total: 3, hint: expect.any(String), next_line: 3 }]);
  expect(await call(...callIn(overflow?.hint))).toMatchObject({ stdout: `${'x'.repeat(2_000)}\n`, exit_code: 0 });
  expect(await call('read_file', { path, start_line: 3, end_line: 3 })).toMatchObject({ content: 'end\n' });
});

test('the pages of list_dir join to the directory, and of find_symbol to all symbols', async () => {
  const inLines = await open({ toolset: 'symbols' });
  for (const [name, args] of [
    ['find_symbol', { pattern: 'named', limit: 500 }],
    ['list_symbols', { path: 'named.ts', limit: 500 }],
  ] as const) {
    const names: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { text } = await inLines.callText(name, { ...args, offset });
      names.push(...(text.match(/\bnamed_\d+$/gm) ?? []));
      const [, next] = /; offset: (\d+) is next/.exec(text) ?? [];
      offset = next === undefined ? undefined : Number(next);
    }
    expect([name, names.length, new Set(names).size]).toEqual([name, 400, 400]);
  }
  const { call } = await open();
  const collect = async (name: string, args: Members, key: string) => {
    const items: unknown[] = [];
    for (let offset = 0; ; ) {
      const { [key]: page, overflow } = await call(name, { ...args, offset });
      items.push(...(page as unknown[]));
      if (overflow?.next_offset === undefined) return items;
      expect(overflow.next_offset).toBe(items.length);
      offset = overflow.next_offset;
    }
  };
  const symbols = await collect('find_symbol', { pattern: 'named', limit: 500 }, 'symbols');
  expect(new Set(symbols.map((symbol) => (symbol as { name: string }).name)).size).toBe(400);
  expect(await collect('list_symbols', { path: 'named.ts', limit: 500 }, 'symbols')).toHaveLength(400);
  const entries = await collect('list_dir', { path: 'src', recursive: true }, 'entries');
  expect(new Set(entries).size).toBe(301);
});

test('find_file and search_pattern keep all in a buffer, and name the line at which the rest begins', async () => {
  const { call } = await open();
  for (const [name, args, key] of [
    ['find_file', { pattern: '**/*.ts', max_results: 300 }, 'files'],
    ['search_pattern', { pattern: 'needle', max_results: 300 }, 'matches'],
  ] as const) {
    const { [key]: shown, overflow, output_id } = await call(name, args);
    expect(overflow).toMatchObject({ shown: (shown as unknown[]).length });
    const last = (await call('read_file', { path: output_id, json_path: `$.${key}[${overflow?.shown}]` }))['content'];
    const [tool, next] = callIn(overflow?.hint);
    const rest = await call(tool, next);
    const lines = String(rest['content'])
      .split('\n')
      .map((line) => line.trim().replace(/,$/, ''));
    const wanted = String(last)
      .split('\n')
      .map((line) => line.trim().replace(/,$/, ''));
    expect(lines.slice(0, wanted.length)).toEqual(wanted);
  }
});

test('a body that is longer than an answer ends after a whole line, and the call that is named reads its lines', async () => {
  const { call } = await open();
  const { symbols, output_id, overflow } = await call('find_symbol', { name_path: 'body', include_body: true });
  const [{ body }] = symbols as [{ body: string }];
  expect(body).toMatch(/^export function body[\s\S]*\n$/);
  expect(overflow).toMatchObject({ shown: 0, total: 1, hint: expect.stringContaining('The first item is cut') });
  expect(output_id).toMatch(/^@tool_/);
  const { content, overflow: more } = await call(...callIn(overflow?.hint));
  expect(body.startsWith(String(content).slice(0, 4_000))).toBe(true);
  expect(more).toMatchObject({ next_line: expect.any(Number) });
});

test('a section that is longer than an answer names the lines of the rest', async () => {
  const { call } = await open();
  const { overflow } = await call('read_file', { path: 'big.md', heading: 'First' });
  const rest = await call(...callIn(overflow?.hint));
  expect(rest['content']).toMatch(/^Some words of a section\.\n/);
});

test('a host that takes more than usual gets more of a range', async () => {
  const { call } = await open({ flags: [], kilobytes: 64 });
  const { overflow } = await call('read_file', { path: 'big.txt', start_line: 1, end_line: LINES });
  expect(overflow).toBeUndefined();
});

test('errors name only what the toolset has', async () => {
  const { callText } = await open();
  const multiline = await callText('search_pattern', { pattern: 'needle\\nx' });
  expect(multiline).toMatchObject({ isError: true, text: expect.not.stringContaining('multiline') });
  for (const [name, args] of [
    ['list_dir', { path: 'big.txt' }],
    ['find_file', { path: 'big.txt', pattern: '*' }],
  ] as const) {
    const { text } = await callText(name, args);
    expect(text).toMatch(/^not_a_directory: [^\n]*\nit is a file: read it as one/);
  }
});
