import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectOld } from '../fixture/connect.ts';
import { converse, shakeHands } from '../fixture/converse.ts';
import { budgetOf } from './results.ts';

const KB = 1024;
const LINES = 5_000;

/** A project of which every tool has more to tell than a host passes on. */
function makeLargeProject(): string {
  const cwd = makeTempDirectory();
  const text = Array.from({ length: LINES }, (_, i) => `line ${i + 1} has some words of text\n`).join('');
  const many = Array.from({ length: 1_200 }, (_, i) => [
    `src/part-${i % 40}/a-rather-long-name-${i}.ts`,
    `export ${i};\n`,
  ]);
  makeTree(cwd, {
    'a.txt': text,
    'b.txt': text,
    'old.txt': text.replaceAll('line', 'LINE'),
    ...Object.fromEntries(many),
  });
  fs.writeFileSync(`${cwd}/long.txt`, `${'x'.repeat(400_000)}\n`);
  return cwd;
}

async function open(args: readonly string[] = []) {
  const cwd = makeLargeProject();
  const { client, connect } = await connectOld({ cwd, args });
  await connect();
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: given });
    return (content as { text: string }[]).map(({ text }) => text).join('\n');
  };
  return { cwd, call };
}

const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['read_file', { path: 'a.txt' }],
  ['read_file', { path: 'a.txt', truncate: 'none' }],
  ['read_file', { path: 'a.txt', truncate: 'middle' }],
  ['read_file', { path: 'a.txt', tail: 4_000 }],
  ['read_file', { path: 'long.txt' }],
  ['multi_read', { files: [{ path: 'a.txt' }, { path: 'b.txt' }, { path: 'nope' }] }],
  ['search_files', { pattern: 'words', max_matches: 10_000 }],
  ['search_files', { pattern: 'words', max_matches: 10_000, format: 'text', context_lines: 3 }],
  ['search_files', { pattern: 'words', max_matches: 10_000, format: 'json' }],
  ['search_files', { pattern: 'export', max_matches: 10_000, format: 'filenames' }],
  ['find_files', { pattern: '*.ts' }],
  ['list_dir', { max_entries: 10_000 }],
  ['list_dir', { max_entries: 10_000, format: 'paths' }],
  ['checksum_tree', {}],
  ['diff_files', { path_a: 'a.txt', path_b: 'old.txt' }],
  ['run_shell', { command: 'seq 100000' }],
  ['run_shell', { command: 'head -c 300000 /dev/zero | tr "\\0" y' }],
  ['read_context', {}],
  ['read_context', { max_tokens: 1_000_000 }],
  ['search_replace', { pattern: 'line', replacement: 'row', files: 'a.txt', dry_run: true }],
  ['write_file', { path: 'a.txt', content: 'one\n', dry_run: true }],
];

test('every answer of every tool fits, and says where the rest is', { timeout: 120_000 }, async () => {
  const { call } = await open();
  for (const [name, args] of CALLS) {
    const text = await call(name, args);
    const most = name === 'read_context' ? 64 * KB : 24 * KB;
    expect([name, args, Buffer.byteLength(text) <= most]).toEqual([name, args, true]);
    // A document that was fitted says it at the top.
    const [asked = ''] = /^For more: .*$/m.exec(text) ?? [];
    const told = asked || text.slice(-600);
    expect([name, told]).toEqual([
      name,
      expect.stringMatching(
        /^For more: read_context \{|start_line|offset|start_byte|Full output: |stopped|is full: the files before this one|"truncated":true/m,
      ),
    ]);
  }
});

test('the last line of a page is true: the pages of read_file join to the file', async () => {
  const { cwd, call } = await open(['--max-result', '8']);
  let [joined, next] = ['', 1];
  while (next > 0) {
    const text = await call('read_file', { path: 'a.txt', start_line: next, line_numbers: false });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * KB);
    const [, lines = '', footer = ''] = /^([\s\S]*?\n)((?:\[[^\n]*\]\n?)*)$/.exec(text) ?? [];
    joined += lines;
    next = Number(/Use start_line=(\d+) to continue/.exec(footer)?.[1] ?? 0);
  }
  expect(joined === fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe(true);
});

test.each([[[]], [['--read-only', '--max-result', '4']], [['--tools', 'read_file']]])(
  'the next call for the rest of a long line works as it stands: %j',
  async (args) => {
    const { cwd, call } = await open(args);
    const line = Array.from({ length: 30_000 }, (_, i) => `${i}ä😀`).join(',');
    fs.writeFileSync(`${cwd}/min.js`, `// first\n${line}\n// last\n`);
    let joined = '';
    for (let next: object | undefined = { start_line: 2, start_byte: 1 }; next; ) {
      const text = await call('read_file', { path: 'min.js', ...next, end_line: 2, line_numbers: false });
      joined += text.slice(0, text.indexOf('\n'));
      const [, start_line, start_byte] =
        /For more of it use read_file with start_line=(\d+) and start_byte=(\d+)\./.exec(text) ?? [];
      next = start_line === undefined ? undefined : { start_line: Number(start_line), start_byte: Number(start_byte) };
    }
    expect(joined === line).toBe(true);
  },
);

test('the pages of search_files, find_files and list_dir join to all there is', async () => {
  const { call } = await open(['--max-result', '8']);
  const collect = async (name: string, args: object, toItems: (text: string) => string[]) => {
    const items: string[] = [];
    for (let offset = 0; ; ) {
      const text = await call(name, { ...args, offset });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * KB);
      items.push(...toItems(text));
      const next = Number(/pass offset: (\d+)/.exec(text)?.[1] ?? 0);
      if (next === 0) return items;
      expect(next).toBeGreaterThan(offset);
      offset = next;
    }
  };
  const lines = await collect(
    'search_files',
    { pattern: 'words', path: 'a.txt' },
    (text) => text.match(/^\d+:.*$/gm) ?? [],
  );
  expect(lines).toEqual(Array.from({ length: LINES }, (_, i) => `${i + 1}:line ${i + 1} has some words of text`));
  const names = await collect(
    'search_files',
    { pattern: 'export', format: 'filenames' },
    (text) => text.match(/^src.*(?=: 1$)/gm) ?? [],
  );
  const found = await collect('find_files', { pattern: '*.ts' }, (text) => text.match(/^src.*/gm) ?? []);
  expect([names.length, found.length]).toEqual([1_200, 1_200]);
  expect(names).toEqual(found);
  const listed = await collect('list_dir', { path: 'src', format: 'paths' }, (text) => JSON.parse(text).entries);
  expect(new Set(listed).size).toBe(1_240);
  expect(listed).toHaveLength(1_240);
});

test('what no tool pages is kept, and the line that says so is a call that works', async () => {
  const { call } = await open(['--max-result', '8']);
  let text = await call('checksum_tree', { path: 'src' });
  const found = new Set(text.match(/src\/[^"]*\.ts/g));
  let last: object = {};
  for (;;) {
    const next = /Call read_file with (\{.*\}) to continue|Use start_line=(\d+) to continue/.exec(text);
    if (next === null) break;
    last = next[1] ? JSON.parse(next[1]) : { ...last, start_line: Number(next[2]) };
    text = await call('read_file', { ...last });
    for (const name of text.match(/src\/[^"]*\.ts/g) ?? []) found.add(name);
  }
  expect(found.size).toBe(1_200);
});

test('the pages of read_context join to the document', async () => {
  const { call } = await open(['--max-result', '40']);
  const whole = { targets: ['a.txt', 'b.txt'], max_tokens: 1_000_000 };
  let [joined, offset] = ['', 0];
  for (;;) {
    const text = await call('read_context', { ...whole, offset });
    const [, page = text, next] =
      /^([\s\S]*?)\n(?:\[not shown yet: [^\n]*\]\n)?\[bytes \d+ to (\d+) of \d+\. [^\n]*\]$/.exec(text) ?? [];
    joined += next === undefined ? page : `${page}\n`;
    if (next === undefined) break;
    if (offset === 0) expect(text).toContain('[not shown yet: path=b.txt]');
    offset = Number(next);
  }
  expect(joined.match(/line \d+ has/g)).toHaveLength(2 * LINES);
  expect(await call('read_context', { ...whole, offset: 10_000_000 })).toContain('is past the end');
});

test('a client of which it is known that it passes on less gets less', async () => {
  const cwd = makeLargeProject();
  for (const [name, most] of [
    ['codex-mcp-client', 10 * KB],
    ['someone', 24 * KB],
  ] as const) {
    const talk = converse({ cwd });
    await shakeHands(talk, {}, name);
    talk.send({ id: 1, method: 'tools/call', params: { name: 'read_file', arguments: { path: 'a.txt' } } });
    const { result = {} } = await talk.receive();
    const [first] = result['content'] as { text: string }[];
    const bytes = Buffer.byteLength(first?.text ?? '');
    expect([name, bytes <= most, bytes > most - 2 * KB]).toEqual([name, true, true]);
  }
  expect(budgetOf('claude-code', 200_000, undefined)).toBe(200_000);
  expect(budgetOf('claude-code', 200_000, 5 * KB)).toBe(5 * KB);
  expect(budgetOf('gemini-cli-mcp-client', 200_000, undefined)).toBe(38 * KB);
});

const SHOWS_JSON = '@cline/core';

test.each([
  [SHOWS_JSON, undefined],
  ['someone', expect.anything()],
])('what is for programs alone is left out for %s only if its model would see it', async (name, meta) => {
  const talk = converse({ cwd: makeTempDirectory() }, { JINN_CONFIG_DIR: makeTempDirectory() });
  await shakeHands(talk, {}, name);
  talk.send({ id: 1, method: 'tools/call', params: { name: 'write_file', arguments: { path: 'a', content: 'b' } } });
  const { result = {} } = await talk.receive();
  expect(result['content']).toEqual([{ type: 'text', text: expect.stringMatching(/^wrote 1 byte to a/) }]);
  expect(result['_meta']).toEqual(meta);
});

test('where the model sees JSON, its marks count', async () => {
  const cwd = makeTempDirectory();
  const lines = (text: string) => Array.from({ length: 4_000 }, (_, i) => `${text}${i}\n`).join('');
  makeTree(cwd, {
    'words.txt': lines('words '),
    'quotes.json': lines('"\\t":"\t","\u0001":'),
    'one.txt': `${'"'.repeat(1_900)}\n`.repeat(5),
  });
  const talk = converse({ cwd });
  await shakeHands(talk, {}, SHOWS_JSON);
  for (const path of ['words.txt', 'quotes.json', 'one.txt']) {
    talk.send({ id: 1, method: 'tools/call', params: { name: 'read_file', arguments: { path } } });
    const { result = {} } = await talk.receive();
    const size = JSON.stringify(result).length;
    expect([path, size <= 8_000, size > 5_000]).toEqual([path, true, true]);
    const [first] = result['content'] as { text: string }[];
    expect(first?.text).toMatch(/start_line|offset|Full output|run_shell/);
  }
});

test('nothing is given twice: a program finds no output and no long diff beside the text', async () => {
  const { client, connect } = await connectOld({ cwd: makeLargeProject() });
  await connect();
  for (const [name, args] of [
    ['run_shell', { command: 'seq 5000', streams: true }],
    ['search_replace', { pattern: 'line', replacement: 'row', files: 'a.txt' }],
    ['list_dir', {}],
  ] as const) {
    const { _meta, structuredContent } = await client.callTool({ name, arguments: args });
    expect(structuredContent).toBeUndefined();
    expect(JSON.stringify(_meta ?? {}).length).toBeLessThan(6 * KB);
  }
});

test('files in one call cost no more tokens than one by one, and a listing no more than a tree', async () => {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const cwd = makeTempDirectory();
  const line = (i: number) => `  "key-${i}": { "say": "\\"hi\\"", "to": "${i}" },\n`;
  const text = Array.from({ length: 300 }, (_, i) => line(i)).join('');
  makeTree(cwd, { 'a/one.json': text, 'a/b/two.json': text, 'three.json': text });
  const { client, connect } = await connectOld({ cwd });
  await connect();
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as { text: string }[]).map((part) => part.text).join('\n');
  };
  const files = ['a/one.json', 'a/b/two.json', 'three.json'].map((path) => ({ path, end_line: 90 }));
  const alone = await Promise.all(files.map((file) => ask('read_file', file)));
  const together = await ask('multi_read', { files });
  expect(countTokens(together)).toBeLessThanOrEqual(alone.reduce((sum, one) => sum + countTokens(one), 0) * 1.01);
  expect(await ask('list_dir', {})).toBe('a/\n  b/\n    two.json\n  one.json\nthree.json');
});

test('an image that models do not take is text', async () => {
  const { cwd, call } = await open();
  fs.writeFileSync(`${cwd}/drawing.svg`, '<svg/>\n');
  expect(await call('read_file', { path: 'drawing.svg' })).toBe('1\t<svg/>');
  fs.writeFileSync(`${cwd}/icon.ico`, Buffer.concat([Buffer.from('0000010001001010', 'hex'), Buffer.alloc(30)]));
  expect(await call('read_file', { path: 'icon.ico' })).toMatch(/^\[image: image\/x-icon, 16x16, 38 bytes — not sent/);
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');
  fs.writeFileSync(`${cwd}/large.png`, Buffer.concat([png, Buffer.alloc(4 * 1024 * KB)]));
  expect(await call('read_file', { path: 'large.png' })).toMatch(
    /^\[image: image\/png, 4194320 bytes — not sent, for it is over 3\.75 MB/,
  );
  fs.writeFileSync(`${cwd}/huge.png`, Buffer.concat([png, Buffer.alloc(17 * 1024 * KB)]));
  expect(await call('read_file', { path: 'huge.png', large_image: true })).toMatch(/not sent, .* scale it down\]/);
});
