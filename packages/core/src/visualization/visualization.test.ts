import { expect, test } from 'vitest';
import { checkVisualization } from './visualization.ts';

const HUNK = {
  oldStart: 10,
  oldLines: 1,
  newStart: 10,
  newLines: 2,
  changes: [
    { type: 'removed', content: 'old line', oldLineNumber: 10 },
    { type: 'added', content: 'new line 1', newLineNumber: 10 },
    { type: 'added', content: 'new line 2', newLineNumber: 11 },
  ],
};
const DIFF = { type: 'diff', path: 'src/index.ts', language: 'typescript', hunks: [HUNK], additions: 2, deletions: 1 };
const COLUMNS = [
  { key: 'name', label: 'Name' },
  { key: 'status', label: 'Status', width: '100px' },
];

test.each([
  DIFF,
  { ...DIFF, matchInfo: { strategy: 'exact', lineNumber: 10 }, title: 'an edit', collapsed: true },
  { type: 'diffs', items: [DIFF, DIFF] },
  { type: 'diffs', items: [] },
  {
    type: 'code',
    path: 'a.ts',
    content: '',
    language: 'typescript',
    created: true,
    lineCount: 42,
    highlightLines: [1],
  },
  { type: 'code', path: 'a.ts', content: 'x' },
  {
    type: 'file-list',
    groups: [{ label: 'Modified', icon: 'edit', files: [{ path: 'a.ts', action: 'modified', line: 42 }] }],
    total: 3,
  },
  { type: 'file-list', files: [{ path: 'a.ts', content: 'a line' }] },
  { type: 'table', columns: COLUMNS, rows: [{ name: 'server', other: [1, null] }, {}], totalRows: 2, hasMore: false },
  { type: 'markdown', content: '# Title', sourceUrl: 'https://example.com' },
  { type: 'shell-output', command: 'npm test', stdout: 'ok\n', stderr: '', exitCode: 0 },
  { type: 'shell-output', command: 'npm test', exitCode: -1 },
  {
    type: 'todo-list',
    items: [
      { content: 'a', status: 'completed', priority: 'high' },
      { content: 'b', status: 'cancelled' },
    ],
  },
  { type: 'none', message: 'Operation completed silently' },
  { type: 'none', title: 'Saved', collapsed: false },
])('accepts the visualization %j', async (visualization) => {
  const checked = await checkVisualization(visualization);
  expect(checked).toEqual({ visualization });
  expect((checked as { visualization: unknown }).visualization).toBe(visualization);
});

test.each([
  [null, 'invalid input: expected object, received null'],
  ['diff', 'invalid input: expected object, received string (given: "diff")'],
  [[], 'invalid input: expected object, received array'],
  [
    { type: 'chart' },
    'type: expected one of diff, diffs, code, file-list, table, markdown, shell-output, todo-list, none (given: "chart")',
  ],
  [{}, 'type is missing: it is one of diff, diffs, code, file-list, table, markdown, shell-output, todo-list, none'],
  [{ type: 'diff', path: 'a', hunks: [HUNK], additions: 1 }, 'deletions is missing'],
  [{ ...DIFF, additions: -1 }, 'additions: too small: expected number to be >=0 (given: -1)'],
  [
    { ...DIFF, hunks: [{ ...HUNK, changes: [{ type: 'moved', content: '' }] }] },
    'hunks[0].changes[0].type: invalid option: expected one of "added"|"removed"|"context" (given: "moved")',
  ],
  [
    { type: 'diffs', items: [DIFF, { ...DIFF, path: 7 }] },
    'items[1].path: invalid input: expected string, received number (given: 7)',
  ],
  [{ type: 'code', path: 'a.ts' }, 'content is missing'],
  [{ type: 'file-list', total: 0 }, 'groups or files is missing'],
  [{ type: 'file-list', files: [{}] }, 'files[0].path is missing'],
  [{ type: 'table', columns: [], rows: [['a']] }, 'rows[0]: invalid input: expected record, received array'],
  [{ type: 'markdown' }, 'content is missing'],
  [{ type: 'shell-output', command: 'a' }, 'exitCode is missing'],
  [
    { type: 'todo-list', items: [{ content: 'a', status: 'done' }] },
    'items[0].status: invalid option: expected one of "pending"|"in_progress"|"completed"|"cancelled" (given: "done")',
  ],
  [
    { type: 'none', title: 1, collapsed: 'yes', message: 2 },
    'message: invalid input: expected string, received number (given: 2); title: invalid input: expected string, received number (given: 1); collapsed: invalid input: expected boolean, received string (given: "yes")',
  ],
])('says what is wrong with the visualization %j', async (visualization, problem) => {
  expect(await checkVisualization(visualization)).toEqual({ problem });
});

test('leaves out fields that no type has, and names them', async () => {
  const none = { type: 'none', message: 'a' };
  expect(await checkVisualization({ ...none, __html: '<script>', content: 'meant as the message' })).toEqual({
    visualization: none,
    warning: 'none has no field __html, content',
  });
  const diffs = { type: 'diffs', items: [{ ...DIFF, lines: 1, hunks: [{ ...HUNK, heading: 'f()' }] }], extra: {} };
  expect(await checkVisualization(diffs)).toEqual({
    visualization: { type: 'diffs', items: [DIFF] },
    warning: 'diffs has no field items[0].hunks[0].heading, items[0].lines, extra',
  });
  expect(diffs).toHaveProperty('extra');
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'no address'])(
  'does not pass on the source %s',
  async (sourceUrl) => {
    const checked = await checkVisualization({ type: 'markdown', content: 'a', sourceUrl });
    expect(checked).toEqual({ problem: expect.stringContaining('sourceUrl: ') });
  },
);

test('says what is wrong with a visualization that has unknown fields too', async () => {
  expect(await checkVisualization({ type: 'none', content: 'x', title: 1 })).toEqual({
    problem: 'title: invalid input: expected string, received number (given: 1)',
  });
});

test('bounds what it says about a large visualization that is wrong throughout', { tags: 'slow' }, async () => {
  const rows = Array.from({ length: 100_000 }, () => 'x'.repeat(100));
  const checked = await checkVisualization({ type: 'table', columns: [], rows });
  expect(JSON.stringify(checked).length).toBeLessThan(600);
  const key = 'k'.repeat(1_000_000);
  const named = await checkVisualization({ type: 'none', [key]: 1 });
  expect((named as { warning: string }).warning.length).toBeLessThan(600);
});

test('refuses a visualization that is nested too deeply', async () => {
  const table = (depth: number) =>
    JSON.parse(`{"type":"table","columns":[],"rows":[{"a":${'['.repeat(depth)}${']'.repeat(depth)}}]}`);
  expect(await checkVisualization(table(497))).toHaveProperty('visualization');
  for (const depth of [498, 100_000]) {
    expect(await checkVisualization(table(depth))).toEqual({ problem: 'it is nested deeper than 500 levels' });
  }
});
