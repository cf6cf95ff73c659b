import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { TOOLSET_NAMES } from '@jinn/toolsets';
import { expect, test } from 'vitest';
import { connectOld } from './fixture/connect.ts';

const KB = 1024;
const LIMIT_KB = 8;
/** Longer than any path that a system takes. */
const LONG = 'a-long-name/'.repeat(400);
const MANY = 300;

type Args = Record<string, unknown>;

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Calls that are made to answer as much as possible, by the name of the tool. */
const LARGEST: Readonly<Record<string, readonly Args[]>> = {
  apply_patch: [{ patch: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'.repeat(MANY) }, { patch: LONG }],
  checksum_tree: [{}, { path: 'deep' }],
  create_file: [{ path: 'broken.ts', content: 'function (\n'.repeat(MANY) }],
  detect_project: [{}],
  diff_files: [{ path_a: 'a.txt', path_b: 'b.txt' }],
  edit_file: [
    { path: 'a.txt', old_text: 'words', new_text: 'many words', replace_all: true, show_context: 50 },
    { path: 'a.txt', old_text: 'words', new_text: 'x' },
    { path: 'a.txt', old_text: `${LONG} is not there`, new_text: LONG },
    { path: 'a.txt', old_string: 'words', new_string: 'x' },
    { edits: Array.from({ length: MANY }, () => ({ path: LONG, old_text: 'a', new_text: 'b' })) },
  ],
  find_file: [{ pattern: '**/*.ts', max_results: 10_000 }],
  find_files: [
    { pattern: '**/*.ts', limit: 10_000 },
    { pattern: '*', path: 'deep', no_ignore: true },
    { limit: 10_000, depth: 10 },
  ],
  find_references: [{ name_path: 'first', path: 'src/part-0/first.ts', limit: 500 }],
  find_symbol: [
    { pattern: 'named', include_body: true, depth: 3 },
    { name_path: 'first' },
    { name_path: 'long_body', include_body: true },
    { name_path: 'Large', depth: 2 },
  ],
  goto_definition: [{ path: 'big.ts', line: 2 }],
  hover: [{ path: 'big.ts', line: 1 }],
  fails: [{}],
  insert_code: [{ name_path: 'named_1', path: 'big.ts', code: 'function (\n'.repeat(MANY), position: 'after' }],
  large: [{}],
  list_dir: [
    { max_entries: 10_000, depth: 20 },
    { max_entries: 10_000, format: 'paths', no_ignore: true },
    { path: '.', recursive: true, limit: 10_000, detail_level: 'full' },
    { path: 'deep', recursive: true },
  ],
  list_symbols: [
    { path: 'big.ts', depth: 5, include_docs: true, detail_level: 'full' },
    {},
    { path: 'large.ts', depth: 2, detail_level: 'full' },
  ],
  list_tools: [{ include_schema: true }],
  lsp_query: [
    { action: 'symbols', path: 'big.ts' },
    { action: 'diagnostics', path: 'big.ts' },
  ],
  memory: [
    ...Array.from({ length: 40 }, (_, i) => ({ action: 'save', key: `key-${i}`, value: 'v'.repeat(900) })),
    { action: 'export' },
    { action: 'list', include_values: true, limit: 1_000 },
    { action: 'recall', query: 'v' },
  ],
  multi_edit: [{ edits: Array.from({ length: MANY }, () => ({ path: LONG, old_text: 'a', new_text: 'b' })) }],
  multi_read: [
    { files: Array.from({ length: 40 }, () => ({ path: 'a.txt' })) },
    { files: Array.from({ length: 40 }, (_, i) => ({ path: `${i}/${LONG}` })) },
  ],
  read_context: [
    {},
    { max_tokens: 1_000_000, debug_explain: true },
    { list_only: true },
    { rules: Array.from({ length: MANY }, (_, i) => `[${i}-${LONG.slice(0, 300)}`) },
    { targets: Array.from({ length: MANY }, (_, i) => `${LONG.slice(0, 200)}${i}`) },
  ],
  read_file: [
    { path: 'a.txt' },
    { path: 'long.txt' },
    { path: 'a.txt', truncate: 'none' },
    { path: 'data.json' },
    { path: ['a.txt', 'long.txt', 'data.json'] },
    { path: 'a.txt', start_line: 1, end_line: 2_000 },
    { path: 'long.txt', start_line: 1, end_line: 1 },
    { path: 'data.json', json_path: '$' },
    { path: 'long.md', heading: 'Long' },
  ],
  related_context: [{ query: 'words of some text' }],
  remove_symbol: [{ name_path: 'named_3', path: 'big.ts' }],
  rename_symbol: [{ name_path: 'named_4', path: 'big.ts', new_name: 'renamed' }],
  replace_symbol: [{ name_path: 'named_5', path: 'big.ts', new_body: 'function (\n'.repeat(MANY) }],
  run_command: [
    { command: 'seq 100000' },
    { command: 'head -c 300000 /dev/zero | tr "\\0" y; echo no >&2; exit 3' },
    { command: 'seq 1900 | sed s/^/\\"/' },
    { command: 'for i in $(seq 40); do head -c 1000 /dev/zero | tr "\\0" y; echo; done | tee /dev/stderr' },
  ],
  run_shell: [
    { command: 'seq 100000', streams: true },
    { command: 'seq 100000 >&2; exit 3' },
    { command: `rm -rf ${LONG}` },
    { command: `echo ${LONG}`, dry_run: true },
  ],
  search_files: [
    { pattern: 'words', max_matches: 10_000, context_lines: 5 },
    { pattern: 'words', max_matches: 10_000, format: 'json' },
    { pattern: '(', format: 'text' },
  ],
  search_pattern: [{ pattern: 'words', max_results: 10_000 }, { pattern: '(' }],
  search_replace: [
    { pattern: 'export', replacement: 'import', files: 'src/**' },
    { pattern: 'words', replacement: 'x', files: ['a.txt', 'b.txt'], dry_run: true },
    { pattern: 'words', replacement: 'x', files: Array.from({ length: MANY }, (_, i) => `${LONG.slice(0, 200)}${i}`) },
  ],
  stat_file: [{ path: 'a.txt' }],
  symbol_diagnostics: [{ path: 'big.ts' }],
  undo: [{ action: 'list', limit: 1_000 }, { action: 'preview' }],
  usage: [{}],
  write_file: [
    { path: 'b.txt', content: 'one\n' },
    { path: 'broken.ts', content: 'function (\n'.repeat(MANY) },
  ],
};

/** A project of which every tool has much to tell. */
function makeProject(): string {
  const cwd = makeTempDirectory();
  const text = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1} has some words of text\n`).join('');
  const named = (i: number) =>
    `/** Says what number ${i} is. */\nexport function named_${i}() {\n  return unknown_${i};\n}\n`;
  const files = Array.from({ length: 800 }, (_, i) => [
    `src/part-${i % 40}/a-rather-long-name-of-a-file-${i}.ts`,
    `import { first } from '../part-0/first';\nexport const named_${i} = first; // words\n`,
  ]);
  makeTree(cwd, {
    'a.txt': text,
    'b.txt': text.replaceAll('line', 'row'),
    'long.txt': 'x'.repeat(300_000),
    'big.ts': Array.from({ length: 300 }, (_, i) => named(i)).join(''),
    'data.json': JSON.stringify(Array.from({ length: 3_000 }, (_, i) => ({ [`key ${i}`]: 'words' }))),
    'long.md': `# Long\n\n${text}\n# Short\n`,
    'large.ts': `${longBody()}export class Large {\n${Array.from({ length: 500 }, (_, i) => `  method_${i}() {}\n`).join('')}}\n`,
    'package.json': JSON.stringify({
      scripts: Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`s${i}`, 'x'])),
    }),
    '.contextfiles': Array.from({ length: MANY }, (_, i) => `[rule ${i} never ends\n`).join(''),
    'src/part-0/first.ts': 'export const first = 1;\n',
    ...Object.fromEntries(files),
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`pipe-${'p'.repeat(200)}-${i}`, { fifo: true as const }]),
    ),
  });
  // Paths of almost 4 KB.
  const deep = `${cwd}/deep`;
  fs.mkdirSync(deep);
  for (let i = 0, at = deep; i < 15; i++) {
    at += `/${'d'.repeat(240)}`;
    fs.mkdirSync(at);
    fs.writeFileSync(`${at}/words.ts`, 'export const words = 1;\n');
  }
  return cwd;
}

function longBody(): string {
  return `export function long_body() {\n${'  // A comment of a function that has "many" lines.\n'.repeat(900)}}\n`;
}

/** Arguments of the right types that are as long as they may be. */
function longArgs({ properties = {} }: Schema): Args {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, longValue(schema)]));
}

function longValue(schema: Schema): unknown {
  const { type = schema.anyOf?.[0]?.type, enum: values, items, properties } = schema;
  if (values) return values[0];
  if (type === 'array') return Array.from({ length: 50 }, () => longValue(items ?? {}));
  if (type === 'object') return properties ? longArgs(schema) : { [LONG]: LONG };
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? 1 : LONG;
}

const UNKNOWN: Args = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`${i}-${'k'.repeat(60)}`, 1]));

const callsOf = (name: string, schema: Schema): Args[] => [
  {},
  longArgs(schema),
  Object.fromEntries(Object.keys(schema.properties ?? {}).map((key) => [key, [{ [LONG]: LONG }]])),
  ...(LARGEST[name] ?? []),
  ...(LARGEST[name] ?? [{}]).slice(0, 2).map((args) => ({ ...args, ...UNKNOWN })),
];

/** A home with custom tools: one that says much, one that fails with many words, and some that cannot be used. */
function makeHome(): string {
  const home = makeTempDirectory();
  const define = (name: string, script: string, runtime = 'bash') => ({
    [`.config/jinn/tools/${name}/tool.md`]: `---\nname: ${name}\nscript: script.sh\nruntime: ${runtime}\ninputSchema:\n  type: object\noutputSchema:\n  type: object\n---\n\nA tool.\n`,
    [`.config/jinn/tools/${name}/script.sh`]: script,
  });
  const much = (what: string) => `seq 1 20000 | tr '\\n' ' ' | sed '${what}'`;
  makeTree(home, {
    ...define('large', much('s/.*/{"all": "&", "_visualization": {"type": "&"}}/')),
    ...define('fails', `${much('s/^/no /')} >&2; exit 3`),
    ...Object.assign({}, ...Array.from({ length: 60 }, (_, i) => define(`broken-${i}`, '', 'r'.repeat(200)))),
  });
  return home;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
}

type Call = (name: string, args: Args) => Promise<Answer>;

/** Makes calls. The message of a protocol error is the text of an answer. */
function callsTo(client: Awaited<ReturnType<typeof connectOld>>['client']): Call {
  return (name, args) =>
    client
      .callTool({ name, arguments: args }, undefined, { timeout: 60_000 })
      .catch((error: Error) => ({ isError: true, content: [{ text: error.message }] })) as Promise<Answer>;
}

/** The bytes of all texts of an answer. */
function textBytesOf({ content }: Answer): number {
  return content.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
}

/** The calls that the overflow of an answer names. */
function callsNamedIn(hint: string, name: string, args: Args): [string, Args][] {
  const calls = [...hint.matchAll(/(read_file|run_command) with (\{.*?\})/g)].map(
    ([, tool = '', json = '']): [string, Args] => [tool, JSON.parse(json)],
  );
  const again = [...hint.matchAll(/(start_line|end_line|offset): (\d+)/g)].map(([, key, value]) => [
    key,
    Number(value),
  ]);
  const { heading: _, ...rest } = args;
  return again.length === 0 ? calls : [...calls, [name, { ...rest, ...Object.fromEntries(again) }]];
}

test.each(TOOLSET_NAMES)(
  'each answer of the toolset %s has at most as much text as the limit says, warnings and errors too',
  { timeout: 300_000 },
  async (toolset) => {
    const args = ['--toolset', toolset, '--max-result', String(LIMIT_KB)];
    const { client, connect } = await connectOld({ cwd: makeProject(), home: makeHome(), args });
    await connect();
    const { tools } = await client.listTools();
    const answerTo = callsTo(client);
    expect(tools.length).toBeGreaterThan(1);
    for (const { name, inputSchema } of [...tools, { name: 'broken-1', inputSchema: {} }]) {
      if (name !== 'broken-1') expect(LARGEST).toHaveProperty(name);
      for (const call of callsOf(name, inputSchema as Schema)) {
        const bytes = textBytesOf(await answerTo(name, call));
        const shown = JSON.stringify(call).slice(0, 200);
        expect([name, shown, bytes <= LIMIT_KB * KB, bytes]).toEqual([name, shown, true, expect.any(Number)]);
      }
    }
  },
);

test.each(['codescout', 'symbols'])(
  'each long answer of the toolset %s is JSON or lists symbols, and the call that it names works',
  { timeout: 300_000 },
  async (toolset) => {
    const args = ['--toolset', toolset, '--max-result', String(LIMIT_KB)];
    const { client, connect } = await connectOld({ cwd: makeProject(), home: makeHome(), args });
    await connect();
    const answerTo = callsTo(client);
    const followed = new Set<string>();
    const listed = ['list_symbols', 'find_symbol'];
    for (const { name } of (await client.listTools()).tools) {
      for (const call of LARGEST[name] ?? []) {
        const shown = [name, JSON.stringify(call).slice(0, 200)];
        const { isError, content } = await answerTo(name, call);
        const [{ text = '' } = {}] = content;
        if (isError || text.startsWith('"ok"')) continue;
        const isInLines = toolset === 'symbols' && listed.includes(name);
        expect([...shown, text.slice(0, 300), text.slice(-300), isJson(text)]).toEqual([
          ...shown,
          text.slice(0, 300),
          text.slice(-300),
          !isInLines,
        ]);
        const hint = isInLines ? text.slice(text.lastIndexOf('\n')) : JSON.parse(text).overflow?.hint;
        for (const [tool, next] of callsNamedIn(hint ?? '', name, call)) {
          const answer = await answerTo(tool, next);
          expect([...shown, tool, next, answer.isError ?? false, answer]).toEqual([
            ...shown,
            tool,
            next,
            false,
            answer,
          ]);
          followed.add(name);
        }
      }
    }
    const all = [...listed, 'list_dir', 'find_file', 'search_pattern', 'read_file'];
    for (const name of toolset === 'symbols' ? listed : all) expect(followed).toContain(name);
  },
);

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
