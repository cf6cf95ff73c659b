import { expect, test } from 'vitest';
import type { JsonSchema } from './input.ts';
import { fittingCall, meantCall } from './meant-call.ts';

const string = { type: 'string' };
const tool = (name: string, properties: JsonSchema['properties'] = {}, required: readonly string[] = []) => ({
  name,
  schema: async (): Promise<JsonSchema> => ({ type: 'object', properties, required }),
});
const jinn = [
  tool('read_file', { path: string, start_line: { type: 'integer' }, end_line: { type: 'integer' }, outline: {} }, [
    'path',
  ]),
  tool('write_file', { path: string, content: string }, ['path', 'content']),
  tool('edit_file', { path: string, old_text: string, new_text: string, cell: {} }, ['path', 'old_text', 'new_text']),
  tool('search_files', { pattern: string, path: string, include: string, format: { enum: ['grouped'] } }, ['pattern']),
  tool('find_files', { pattern: string, path: string }, ['pattern']),
  tool('apply_patch', { patch: string }, ['patch']),
  tool('run_shell', { command: string, job: string, action: string, timeout: { type: 'integer' } }),
];
const lean = jinn.filter(({ name }) => name !== 'write_file');

test.for<[name: string, args: unknown, tool: string, filled: object]>([
  ['Read', { file_path: 'a', offset: 3, limit: 2 }, 'read_file', { path: 'a', start_line: 3, end_line: 4 }],
  ['read', undefined, 'read_file', { path: '…' }],
  [
    'Grep',
    { pattern: 'x', glob: '*.ts', output_mode: 'content' },
    'search_files',
    { pattern: 'x', include: '*.ts', format: 'grouped' },
  ],
  ['Glob', { pattern: '*.ts' }, 'find_files', { pattern: '*.ts' }],
  [
    'Edit',
    { file_path: 'a', old_string: 'x', new_string: 'y', odd: 1 },
    'edit_file',
    { path: 'a', old_text: 'x', new_text: 'y' },
  ],
  ['replace', { file_path: 'a', old_string: 'x' }, 'edit_file', { path: 'a', old_text: 'x', new_text: '…' }],
  [
    'NotebookEdit',
    { notebook_path: 'n', cell_id: 'c', new_source: 'y' },
    'edit_file',
    { path: 'n', cell: 'c', new_text: 'y', old_text: '…' },
  ],
  ['Bash', { command: 'ls', timeout_ms: 9_000 }, 'run_shell', { command: 'ls', timeout: 9 }],
  ['shell', { command: ['bash', '-lc', 'ls'] }, 'run_shell', { command: 'ls' }],
  ['BashOutput', { bash_id: 'job-1' }, 'run_shell', { job: 'job-1', action: 'output' }],
  ['KillShell', { shell_id: 'job-1' }, 'run_shell', { job: 'job-1', action: 'kill' }],
  ['Write', { file_path: 'a', content: 'x' }, 'write_file', { path: 'a', content: 'x' }],
  ['create_file', { path: 'a', content: 'x' }, 'write_file', { path: 'a', content: 'x' }],
  [
    'str_replace_editor',
    { command: 'view', path: 'a', view_range: [1, 9] },
    'read_file',
    { path: 'a', start_line: 1, end_line: 9 },
  ],
  ['str_replace_editor', { command: 'create', path: 'a', file_text: 'x' }, 'write_file', { path: 'a', content: 'x' }],
  [
    'str_replace_based_edit_tool',
    { command: 'str_replace', path: 'a', old_str: 'x', new_str: 'y' },
    'edit_file',
    { path: 'a', old_text: 'x', new_text: 'y' },
  ],
  ['mcp__files__read_file', { path: 'a' }, 'read_file', { path: 'a' }],
  ['list_dir', { path: 'src' }, 'find_files', { path: 'src', pattern: '…' }],
  ['delete_file', { target_file: 'a' }, 'apply_patch', { patch: '*** Begin Patch\n*** Delete File: a\n*** End Patch' }],
])('%s with %j is a call of %s', async ([name, args, meant, filled]) => {
  expect(await meantCall(name, args, jinn)).toEqual({ tool: meant, args: filled });
});

test('a tool that writes a file is a patch where there is none', async () => {
  for (const name of ['write_file', 'Write', 'create_file', 'write_to_file'])
    expect(await meantCall(name, { path: 'n.txt', content: 'x\ny\n' }, lean)).toEqual({
      tool: 'apply_patch',
      args: { patch: '*** Begin Patch\n*** Add File: n.txt\n+x\n+y\n*** End Patch' },
    });
});

test('an unknown name means nothing, and long values are cut', async () => {
  for (const name of ['teleport', 'constructor', '']) expect(await meantCall(name, {}, jinn)).toBeUndefined();
  const { args } = (await meantCall('Write', { file_path: 'a', content: 'x'.repeat(5_000) }, jinn)) ?? {};
  expect(JSON.stringify(args).length).toBeLessThan(400);
});

test.for<[name: string, args: object, tool: string, filled?: object]>([
  ['edit_file', { path: 'a', content: 'x' }, 'write_file'],
  ['read_file', { command: 'ls' }, 'run_shell'],
  [
    'write_file',
    { file_path: 'a', old_string: 'x', new_string: 'y' },
    'edit_file',
    { path: 'a', old_text: 'x', new_text: 'y' },
  ],
  ['read_file', { patch: 'x' }, 'apply_patch'],
])('the arguments that %s lacks in %j are those of %s', async ([name, args, meant, filled = args]) => {
  expect(await fittingCall(name, args, jinn)).toEqual({ tool: meant, args: filled });
});

test('arguments that the tool takes, that none takes, and that have other types are left alone', async () => {
  for (const args of [{ path: 'a' }, { path: 'a', start_line: 0 }, { what: 1 }, {}, { command: 7 }, 'a', null])
    expect(await fittingCall('read_file', args, jinn)).toBeUndefined();
});
