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
  [{ path: 'a', edits: new Array(120_001).fill({}) }, 'edits has 120001 members; at most 120000 are taken'],
  [
    { path: 'a', versions: Object.fromEntries(Array.from({ length: 120_001 }, (_, i) => [`k${i}`, 'v'])) },
    'versions has 120001 members; at most 120000 are taken',
  ],
])('refuses more members than it checks: %#', async ([sent, message]) => {
  const refusal = async () => generated.parse(sent);
  await expect(refusal()).rejects.toMatchObject({ code: 'invalid_args', message });
});
