import { expect, test } from 'vitest';
import { defineTool } from '../define-tool.ts';

const tool = defineTool({
  name: 'take',
  effect: 'read',
  description: 'Takes arguments of each kind.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1)),
      start_line: z.optional(z.int()),
      end_line: z.optional(z.int()),
      raw: z.optional(z.boolean()),
      format: z.optional(z.enum(['grouped', 'filenames'])),
      edits: z.optional(
        z.array(z.strictObject({ path: z.string(), old_text: z.string(), count: z.optional(z.int()) })),
      ),
      reads: z.optional(z.array(z.strictObject({ path: z.string(), tail: z.optional(z.int()) }))),
      versions: z.optional(z.record(z.string(), z.string())),
      either: z.optional(z.union([z.string(), z.array(z.string())])),
    }),
  examples: [{ path: 'a.txt' }],
  run: () => ({}),
});
const generated = tool.input.withSchema(await tool.input.schema());

test.for<[sent: object, read: object]>([
  [{ file_path: 'a' }, { path: 'a' }],
  [{ filePath: 'a', path: 'a' }, { path: 'a' }],
  [{ path: 'a', description: 'reads a', explanation: 'x', '-n': true }, { path: 'a' }],
  [{ path: 'a', raw: null, file: null }, { path: 'a' }],
  [{ file: null, path: 'a' }, { path: 'a' }],
  [{ path: null, file: 'a' }, { path: 'a' }],
  [
    { offset: null, start_line: 5, path: 'a' },
    { path: 'a', start_line: 5 },
  ],
  [
    { path: 'a', start_line: '2', raw: 'true' },
    { path: 'a', start_line: 2, raw: true },
  ],
  [
    { path: 'a', offset: 3, limit: 10 },
    { path: 'a', start_line: 3, end_line: 12 },
  ],
  [
    { path: 'a', offset: '0', limit: '10' },
    { path: 'a', start_line: 1, end_line: 10 },
  ],
  [
    { path: 'a', limit: 10, end_line: null },
    { path: 'a', end_line: 10 },
  ],
  [
    { path: 'a', offset: 3, limit: null },
    { path: 'a', start_line: 3 },
  ],
  [
    { path: 'a', output_mode: 'files_with_matches' },
    { path: 'a', format: 'filenames' },
  ],
  [
    { path: 'a', format: 'content' },
    { path: 'a', format: 'grouped' },
  ],
  [
    { path: 'a', edits: [{ file_path: 'b', old_string: 'x', count: null }] },
    { path: 'a', edits: [{ path: 'b', old_text: 'x' }] },
  ],
  [
    { path: 'a', reads: ['b', { file: 'c' }] },
    { path: 'a', reads: [{ path: 'b' }, { path: 'c' }] },
  ],
  [
    { path: 'a', edits: '[{"file":"b","old_str":"x"}]' },
    { path: 'a', edits: [{ path: 'b', old_text: 'x' }] },
  ],
  [
    { path: 'a', versions: { file_path: '1', description: '2' }, either: ['["a"]'] },
    { path: 'a', versions: { file_path: '1', description: '2' }, either: ['["a"]'] },
  ],
])('reads %j', async ([sent, read]) => {
  expect(await tool.input.parse(sent)).toEqual(read);
  expect(await generated.parse(sent)).toEqual(read);
});

const search = defineTool({
  name: 'search',
  effect: 'read',
  description: 'Has the arguments of several tools.',
  input: (z) =>
    z.strictObject({
      pattern: z.optional(z.string()),
      include: z.optional(z.string()),
      case_insensitive: z.optional(z.boolean()),
      no_ignore: z.optional(z.boolean()),
      context_lines: z.optional(z.int()),
      max_matches: z.optional(z.int()),
      offset: z.optional(z.int()),
      start_line: z.optional(z.int()),
      end_line: z.optional(z.int()),
      replace_all: z.optional(z.boolean()),
      expected_count: z.optional(z.int()),
      cell: z.optional(z.union([z.int(), z.string()])),
      command: z.optional(z.string()),
      timeout: z.optional(z.int()),
      job: z.optional(z.string()),
      dry_run: z.optional(z.boolean()),
      edits: z.optional(z.array(z.strictObject({ path: z.string(), old_text: z.string() }))),
    }),
  examples: [{ pattern: 'a' }],
  run: () => ({}),
});

test.for<[sent: object, read: object]>([
  [
    { '-A': 1, '-B': 3, '-C': 2, '-n': true, '-i': true },
    { context_lines: 3, case_insensitive: true },
  ],
  [{ '-A': '1', before: '10' }, { context_lines: 10 }],
  [
    { head_limit: 5, offset: 0 },
    { max_matches: 5, offset: 0 },
  ],
  [{ view_range: [3, 9] }, { start_line: 3, end_line: 9 }],
  [{ view_range: '[3, -1]' }, { start_line: 3 }],
  [
    { start_line_one_indexed: 1, end_line_one_indexed_inclusive: 5, should_read_entire_file: false },
    { start_line: 1, end_line: 5 },
  ],
  [{ expected_replacements: 1 }, {}],
  [{ expected_replacements: '3' }, { replace_all: true, expected_count: 3 }],
  [{ case_sensitive: false }, { case_insensitive: true }],
  [{ case_sensitive: 'true' }, { case_insensitive: false }],
  [{ respect_git_ignore: false }, { no_ignore: true }],
  [{ cell_id: 'a1' }, { cell: 'a1' }],
  [{ bash_id: 'job-1' }, { job: 'job-1' }],
  [{ timeout_ms: 1_500, justification: 'x' }, { timeout: 2 }],
  [{ exclude_pattern: '*.md', case_sensitive: null }, { include: '!*.md' }],
  [{ command: ['bash', '-lc', 'ls | wc'] }, { command: 'ls | wc' }],
  [{ cmd: ['git', 'commit', '-m', "it's"] }, { command: "git commit -m 'it'\\''s'" }],
  [
    { file_path: 'a', edits: [{ old_string: 'x' }, { file: 'b', old_string: 'y' }] },
    {
      edits: [
        { path: 'a', old_text: 'x' },
        { path: 'b', old_text: 'y' },
      ],
    },
  ],
  [{ path: 'a', edits: '[{"old_str":"x"}]' }, { edits: [{ path: 'a', old_text: 'x' }] }],
])('reads %j, as other agents send it', async ([sent, read]) => {
  expect(await search.input.parse(sent)).toEqual(read);
});

test.for<[sent: object, read: object]>([
  [{ include: ['*.py', '*.js'] }, { include: '["*.py","*.js"]' }],
  [{ glob: ['*.py'] }, { include: '["*.py"]' }],
])('reads the list of globs %j as a text', async ([sent, read]) => {
  const globs = defineTool({
    name: 'globs',
    effect: 'read',
    description: 'Takes globs.',
    input: (z) =>
      z.strictObject({ include: z.string().check(z.describe('Globs: *.ts')), text: z.optional(z.string()) }),
    examples: [{ include: '*.ts' }],
    run: () => ({}),
  });
  expect(await globs.input.parse(sent)).toEqual(read);
  await expect((async () => globs.input.parse({ ...sent, text: ['a'] }))()).rejects.toMatchObject({
    code: 'invalid_args',
  });
});

test.for<[sent: object, suggestion: string]>([
  [{ view_range: 3 }, 'did you mean "start_line"?'],
  [{ view_range: [1, 2, 3] }, 'did you mean "start_line"?'],
  [{ expected_replacements: 0 }, 'did you mean "replace_all"?'],
  [{ include: '*.ts', exclude_pattern: 'a.ts' }, 'did you mean "include"?'],
  [{ case_sensitive: 'maybe' }, 'did you mean "case_insensitive"?'],
])('refuses %j, and names what is meant', async ([sent, suggestion]) => {
  const refusal = async () => search.input.parse(sent);
  await expect(refusal()).rejects.toMatchObject({ code: 'invalid_args', suggestion });
});

test.for<[sent: object, message: string, suggestion: string | undefined]>([
  [
    { path: 'a', file_path: 'b' },
    'take: "path" is given twice with different values, in "path", "file_path"',
    'send path alone',
  ],
  [
    { file_path: 'a', filename: 'b' },
    'take: "path" is given twice with different values, in "file_path", "filename"',
    'send path alone',
  ],
  [{ path: 'a', limit: 5, end_line: 7 }, 'take: unknown argument "limit"', 'did you mean "end_line"?'],
  [{ path: 'a', limit: 0 }, 'take: unknown argument "limit"', 'did you mean "end_line"?'],
  [{ path: 'a', verbose: null }, 'take: unknown argument "verbose"', undefined],
])('refuses %j', async ([sent, message, suggestion]) => {
  const refusal = async () => generated.parse(sent);
  await expect(refusal()).rejects.toMatchObject({ code: 'invalid_args', message, suggestion });
});

test.for([{ path: ['a'] }, { path: 'a', start_line: '1.5' }, { path: 'a', start_line: '9007199254740993' }])(
  'leaves %j to be refused',
  async (sent) => {
    await expect((async () => generated.parse(sent))()).rejects.toMatchObject({ code: 'invalid_args' });
  },
);

test.for<[sent: object, message: string]>([
  [{ path: 'a', edits: new Array(120_001).fill({}) }, 'edits has 120001 members: at most 120000 are taken'],
  [
    { path: 'a', versions: Object.fromEntries(Array.from({ length: 120_001 }, (_, i) => [`k${i}`, 'v'])) },
    'versions has 120001 members: at most 120000 are taken',
  ],
])('refuses more members than it checks: %#', async ([sent, message]) => {
  const refusal = async () => generated.parse(sent);
  await expect(refusal()).rejects.toMatchObject({ code: 'invalid_args', message });
});
