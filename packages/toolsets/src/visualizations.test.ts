import { createRegistry, createSession } from '@jinn/core';
import { checkVisualization, type Visualization } from '@jinn/core/visualization';
import { type FileTree, makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { chooseToolsets } from './index.ts';

const registry = await createRegistry({
  toolsets: chooseToolsets(['jinn']),
  version: '0.0.0',
  onInternalError: (error) => console.error(error),
});

interface Shown {
  readonly meta: Record<string, unknown>;
  readonly shown: Visualization | undefined;
}

/** Makes a workspace and returns what calls a tool in it, as a caller that shows visualizations. */
function openWorkspaceOf(files: FileTree) {
  const root = makeTempDirectory();
  makeTree(root, files);
  const home = makeTempDirectory();
  makeTree(home, { '.claude/kb/race.md': '# Data races\n\nHow to find a data race.\n' });
  const machine = openTestMachine({ root, home });
  const session = createSession();
  return async (tool: string, args: object): Promise<Shown> => {
    const outcome = await registry.call({ tool, args }, { ...machine, session, showsVisualizations: true });
    if (!outcome.ok) throw outcome.error;
    const { visualization, meta = {} } = outcome;
    if (visualization) expect(await checkVisualization(visualization)).toEqual({ visualization });
    return { meta: meta as Record<string, unknown>, shown: JSON.parse(JSON.stringify(visualization ?? null)) };
  };
}

const EDIT = { path: 'a.ts', old_text: 'two', new_text: 'TWO\nand' };
const EDITED = {
  type: 'diff',
  path: 'a.ts',
  language: 'typescript',
  hunks: [
    {
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 4,
      changes: [
        { type: 'context', content: 'one', oldLineNumber: 1, newLineNumber: 1 },
        { type: 'removed', content: 'two', oldLineNumber: 2 },
        { type: 'added', content: 'TWO', newLineNumber: 2 },
        { type: 'added', content: 'and', newLineNumber: 3 },
        { type: 'context', content: 'three', oldLineNumber: 3, newLineNumber: 4 },
      ],
    },
  ],
  additions: 2,
  deletions: 1,
};

test('an edit is shown as a diff, and so are its preview and its undo', async () => {
  const call = openWorkspaceOf({ 'a.ts': 'one\ntwo\nthree\n' });
  const matchInfo = { strategy: 'exact', lineNumber: 2 };
  const preview = await call('edit_file', { ...EDIT, dry_run: true });
  expect(preview.shown).toEqual({ ...EDITED, matchInfo, title: 'dry run: nothing was written' });
  const { shown, meta } = await call('edit_file', EDIT);
  expect(shown).toEqual({ ...EDITED, matchInfo });
  const id = meta['undo_id'];
  const back = { type: 'diff', path: 'a.ts', additions: 1, deletions: 2 };
  expect((await call('undo', { action: 'preview', id })).shown).toMatchObject({ ...back, title: /dry run/ });
  expect((await call('undo', { action: 'restore', id })).shown).toMatchObject(back);
  expect((await call('undo', { action: 'restore', id })).shown).toEqual({ type: 'none', message: 'nothing changed' });
});

test('the history is shown as a table', async () => {
  const call = openWorkspaceOf({ 'a.ts': 'one\ntwo\n', b: '' });
  expect((await call('undo', { action: 'list' })).shown).toMatchObject({ type: 'table', rows: [], totalRows: 0 });
  await call('write_file', { path: 'new', content: 'x\n' });
  await call('apply_patch', { patch: '*** Begin Patch\n*** Delete File: b\n*** End Patch' });
  await call('edit_file', EDIT);
  const id = expect.stringMatching(/^\S+$/);
  const time = expect.stringMatching(/^20\d\d-.*Z$/);
  expect((await call('undo', { action: 'list', limit: 2 })).shown).toEqual({
    type: 'table',
    columns: [{ key: 'id' }, { key: 'time' }, { key: 'tool' }, { key: 'files' }],
    rows: [
      { id, time, tool: 'edit_file', person: '', files: 'changed a.ts' },
      { id, time, tool: 'apply_patch', person: '', files: 'deleted b' },
    ],
    totalRows: 3,
  });
});

test('changes of several files are shown as diffs', async () => {
  const call = openWorkspaceOf({ 'a.ts': 'one\n', 'b.py': 'one\n' });
  const edits = ['a.ts', 'b.py'].map((path) => ({ path, old_text: 'one', new_text: 'two' }));
  const change = { additions: 1, deletions: 1 };
  const items = [
    { type: 'diff', path: 'a.ts', language: 'typescript', ...change },
    { type: 'diff', path: 'b.py', language: 'python', ...change },
  ];
  expect((await call('multi_edit', { edits })).shown).toMatchObject({ type: 'diffs', items });
  const replacing = { pattern: 'two', replacement: 'three', files: '*' };
  expect((await call('search_replace', { ...replacing, dry_run: true })).shown).toMatchObject({ type: 'diffs', items });
  expect((await call('search_replace', replacing)).shown).toMatchObject({ type: 'diffs', items });
  const patch =
    '*** Begin Patch\n*** Add File: c\n+new\n*** Delete File: a.ts\n*** Update File: b.py\n@@\n-three\n+4\n*** End Patch';
  expect((await call('apply_patch', { patch })).shown).toMatchObject({
    type: 'diffs',
    items: [
      { path: 'c', additions: 1, deletions: 0, hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 }] },
      { path: 'a.ts', additions: 0, deletions: 1 },
      { path: 'b.py', ...change },
    ],
  });
});

test('a change of one file by several edits is shown as one diff', async () => {
  const call = openWorkspaceOf({ a: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
  const edits = ['1', '9'].map((old_text) => ({ path: 'a', old_text, new_text: 'X' }));
  const { shown } = await call('multi_edit', { edits });
  expect(shown).toMatchObject({ type: 'diff', path: 'a', additions: 2, hunks: [{ newStart: 1 }, { newStart: 6 }] });
});

test('a comparison is shown as a diff', async () => {
  const call = openWorkspaceOf({ a: 'one\n', 'b.go': 'one\r\ntwo' });
  expect((await call('diff_files', { path_a: 'a', path_b: 'b.go' })).shown).toEqual({
    type: 'diff',
    title: 'a → b.go',
    path: 'b.go',
    language: 'go',
    hunks: [
      {
        oldStart: 1,
        oldLines: 1,
        newStart: 1,
        newLines: 2,
        changes: [
          { type: 'removed', content: 'one', oldLineNumber: 1 },
          { type: 'added', content: 'one\r', newLineNumber: 1 },
          { type: 'added', content: 'two', newLineNumber: 2 },
        ],
      },
    ],
    additions: 2,
    deletions: 1,
  });
  const same = await call('diff_files', { path_a: 'a', path_b: 'a' });
  expect(same.shown).toEqual({ type: 'none', message: 'the files are identical' });
});

test('a new file is shown as code, and one that was there as a diff', async () => {
  const call = openWorkspaceOf({});
  const write = async (content: string, more = {}) =>
    (await call('write_file', { path: 'new.rs', content, ...more })).shown;
  const code = { type: 'code', path: 'new.rs', content: 'a\nb\n', language: 'rust', created: true, lineCount: 2 };
  expect(await write('a\nb\n', { dry_run: true })).toEqual({ ...code, title: 'dry run: nothing was written' });
  expect(await write('a\nb\n')).toEqual(code);
  expect(await write('a\nc\n')).toMatchObject({ type: 'diff', additions: 1, deletions: 1 });
  expect(await write('a\nc\n')).toEqual({ type: 'none', message: 'nothing changed' });
});

test('what is too large or no text is named and not shown', async () => {
  const call = openWorkspaceOf({ bin: 'a\0b', long: '', text: 'b\n' });
  const large = 'line\n'.repeat(60_000);
  const write = (path: string, content: string) => call('write_file', { path, content });
  expect((await write('bin', 'c')).shown).toEqual({ type: 'none', message: 'not shown: bin (binary)' });
  expect((await write('long', large)).shown).toEqual({
    type: 'none',
    message: 'not shown: long (the diff is longer than 256 KB)',
  });
  expect((await write('new', large)).shown).toEqual({
    type: 'none',
    message: 'not shown: new (the diff is longer than 256 KB)',
  });
  const patch = '*** Begin Patch\n*** Delete File: long\n*** Delete File: text\n*** End Patch';
  expect((await call('apply_patch', { patch })).shown).toMatchObject({
    type: 'diff',
    path: 'text',
    title: 'not shown: long (the diff is longer than 256 KB)',
  });
});

test('what is shown of many files is bounded', async () => {
  const names = Array.from({ length: 14 }, (_, i) => `f${i}`);
  const call = openWorkspaceOf(
    Object.fromEntries(names.map((name) => [name, `${'a line to change '.repeat(4_000)}\n`])),
  );
  const { shown } = await call('search_replace', { pattern: 'line', replacement: 'LINE', files: '*' });
  if (shown?.type !== 'diffs') throw new Error('several files give diffs');
  expect(shown.items.length).toBe(7);
  expect(shown.title).toMatch(/^not shown: f\d+ \(the diff is longer than .* KB\), .*and \d+ more$/);
  expect(JSON.stringify(shown).length).toBeLessThan(8_000_000);
});

test('a command is shown as its output', async () => {
  const call = openWorkspaceOf({});
  const command = 'echo out; echo err >&2; exit 3';
  expect((await call('run_shell', { command })).shown).toEqual({
    type: 'shell-output',
    command,
    stdout: 'out\n',
    stderr: 'err\n',
    exitCode: 3,
  });
  const { shown } = await call('run_shell', { command: 'seq 1 100000' });
  expect(shown).toMatchObject({ stdout: /\n100000\n$/, title: 'the end of a longer output' });
});

test('matches, files and entries are shown as lists of files', async () => {
  const call = openWorkspaceOf({ 'a.ts': 'x\nfoo bar\n', 'd/b.ts': 'foo\n', c: '' });
  expect((await call('search_files', { pattern: 'foo' })).shown).toEqual({
    type: 'file-list',
    files: [
      { path: 'a.ts', line: 2, content: 'foo bar' },
      { path: 'd/b.ts', line: 1, content: 'foo' },
    ],
    total: 2,
  });
  expect((await call('search_files', { pattern: 'foo', format: 'json', max_matches: 1 })).shown).toMatchObject({
    files: [{ path: 'a.ts' }],
    total: 2,
  });
  expect((await call('search_files', { pattern: 'o', format: 'filenames', max_matches: 1 })).shown).toEqual({
    type: 'table',
    columns: [
      { key: 'file', label: 'File' },
      { key: 'matches', label: 'Matches' },
    ],
    rows: [{ file: 'a.ts', matches: 1 }],
    totalRows: 2,
    hasMore: true,
  });
  expect((await call('search_files', { pattern: 'nowhere' })).shown).toMatchObject({
    type: 'none',
    message: /^no match/,
  });
  expect((await call('find_files', { pattern: '*.ts', limit: 1 })).shown).toEqual({
    type: 'file-list',
    files: [{ path: 'a.ts' }],
    total: 2,
  });
  expect((await call('find_files', { pattern: '*.go' })).shown).toMatchObject({ type: 'none', message: /no file/ });
  expect((await call('list_dir', { depth: 1 })).shown).toEqual({
    type: 'file-list',
    files: [{ path: 'a.ts' }, { path: 'c' }, { path: 'd/' }],
    total: 3,
  });
  expect((await call('list_dir', { changed_since: 99_999_999_999 })).shown).toEqual({
    type: 'none',
    message: 'nothing to list',
  });
});

test('a line that matches is shown without its end if it is long', async () => {
  const call = openWorkspaceOf({ a: `foo${'😀'.repeat(400)}` });
  const { shown } = await call('search_files', { pattern: 'foo' });
  const content = shown?.type === 'file-list' ? shown.files?.[0]?.content : undefined;
  expect(content).toMatch(/^foo😀+\ufffd?…$/u);
  expect(content?.length).toBeLessThanOrEqual(301);
});

test('the memory is shown as a table, and a text of it as Markdown', async () => {
  const call = openWorkspaceOf({});
  const memory = async (args: object) => (await call('memory', { scope: 'global', ...args })).shown;
  expect(await memory({ action: 'list' })).toEqual({ type: 'none', message: 'nothing is saved' });
  const saved = await memory({ action: 'save', key: 'k', value: '*one*', pin: true });
  expect(saved).toEqual({ type: 'none', message: 'saved k' });
  await memory({ action: 'save', key: 'l', value: 'x'.repeat(600) });
  expect(await memory({ action: 'recall', key: 'k' })).toEqual({ type: 'markdown', title: 'k', content: '*one*' });
  const table = {
    type: 'table',
    columns: [
      { key: 'key', label: 'Key' },
      { key: 'value', label: 'Text' },
      { key: 'pinned', label: 'Pinned' },
      { key: 'updated', label: 'Saved' },
    ],
    rows: [
      { key: 'k', value: '*one*', pinned: 'yes', updated: expect.any(String) },
      { key: 'l', value: `${'x'.repeat(500)}…`, updated: expect.any(String) },
    ],
    totalRows: 2,
  };
  expect(await memory({ action: 'list' })).toEqual(table);
  expect(await memory({ action: 'list', include_values: true })).toEqual(table);
  expect(await memory({ action: 'list', limit: 1 })).toMatchObject({
    rows: [{ key: 'k' }],
    totalRows: 2,
    hasMore: true,
  });
  expect(await memory({ action: 'export' })).toMatchObject({ type: 'markdown', content: /^# Global memory\n/ });
  expect(await memory({ action: 'forget', key: 'k' })).toEqual({ type: 'none', message: 'forgot k' });
  expect(await memory({ action: 'forget', key: 'k' })).toEqual({ type: 'none', message: 'k was not saved' });
});

test('a project and related context are shown as tables', async () => {
  const call = openWorkspaceOf({
    'package.json': '{"name":"a","workspaces":["packages/*"],"scripts":{"test":"vitest"}}\n',
    'packages/b/pyproject.toml': '[project]\nname = "b"\n',
  });
  expect((await call('detect_project', {})).shown).toMatchObject({
    type: 'table',
    columns: [{ key: 'path' }, { key: 'languages' }, { key: 'managers' }, { key: 'build' }, { key: 'test' }],
    rows: [
      { path: '.', languages: 'JavaScript', test: 'npm run test' },
      { path: 'packages/b', languages: 'Python' },
    ],
    totalRows: 2,
  });
  expect((await call('related_context', { query: 'find a data race' })).shown).toMatchObject({
    type: 'table',
    rows: [{ type: 'kb', name: 'race' }],
    totalRows: 1,
  });
  expect((await call('related_context', { query: 'zebra' })).shown).toEqual({
    type: 'none',
    message: 'nothing related was found',
  });
});

test('a tool that has nothing to show says so by its text alone', async () => {
  const call = openWorkspaceOf({ a: 'x\n' });
  for (const [tool, args] of [
    ['read_file', { path: 'a' }],
    ['run_shell', { command: 'true', dry_run: true }],
  ] as const) {
    expect((await call(tool, args)).shown).toBeNull();
  }
});
