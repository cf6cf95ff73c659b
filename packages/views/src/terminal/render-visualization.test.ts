import type { Visualization } from '@jinn/core/visualization';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { renderVisualization } from './render-visualization.ts';
import { widthOf } from './terminal-text.ts';

const render = (visualization: Visualization, options: { width?: number; color?: boolean; maxLines?: number } = {}) =>
  renderVisualization(visualization, { width: 60, color: false, ...options });

const show = (visualization: Visualization, options = {}) => `\n${render(visualization, options).join('\n')}\n`;

const DIFF = {
  type: 'diff',
  path: 'src/index.ts',
  hunks: [
    {
      oldStart: 9,
      oldLines: 2,
      newStart: 9,
      newLines: 3,
      changes: [
        { type: 'context', content: 'kept', oldLineNumber: 9, newLineNumber: 9 },
        { type: 'removed', content: 'old line', oldLineNumber: 10 },
        { type: 'added', content: '\tnew line 1', newLineNumber: 10 },
        { type: 'added', content: 'new line 2', newLineNumber: 11 },
      ],
    },
  ],
  additions: 2,
  deletions: 1,
} as const satisfies Visualization;

test('a diff has its hunks, and the numbers of lines on both sides', () => {
  expect(show(DIFF)).toMatchInlineSnapshot(`
    "
    src/index.ts +2 -1
    @@ -9,2 +9,3 @@
     9  9   kept
    10    - old line
       10 +     new line 1
       11 + new line 2
    "
  `);
});

test('a long line continues beside its gutter', () => {
  const long = { type: 'code', path: 'a', content: 'abcdefghij'.repeat(5) } as const;
  expect(show(long, { width: 24 })).toMatchInlineSnapshot(`
    "
    a (1 line)
      1 abcdefghijabcdefghij
        abcdefghijabcdefghij
        abcdefghij
    "
  `);
});

test('several diffs follow each other', () => {
  const items = [
    { ...DIFF, title: 'not used' },
    { ...DIFF, path: 'b.ts', hunks: [] },
  ];
  expect(show({ type: 'diffs', items })).toMatchInlineSnapshot(`
    "
    2 files
    src/index.ts +2 -1
    @@ -9,2 +9,3 @@
     9  9   kept
    10    - old line
       10 +     new line 1
       11 + new line 2

    b.ts +2 -1
    "
  `);
});

test('code has line numbers and marks, and says only what it knows of the file', () => {
  const code = { type: 'code', path: 'a.ts', content: 'one\ntwo\n' } as const;
  expect(show({ ...code, language: 'typescript', created: true, highlightLines: [2] })).toMatchInlineSnapshot(`
    "
    a.ts (created, typescript, 2 lines)
      1 one
    > 2 two
    "
  `);
  expect(render({ ...code, created: false, lineCount: 42 })[0]).toBe('a.ts (overwritten, 42 lines)');
  expect(render(code)[0]).toBe('a.ts (2 lines)');
});

test('a list of files has its groups, actions and lines', () => {
  const groups = [
    { label: 'Modified', icon: 'edit', files: [{ path: 'a.ts', action: 'modified', line: 42 }, { path: 'b.ts' }] },
    { label: 'Other', files: [{ path: 'c.ts', action: 'deleted' }] },
  ] as const;
  expect(show({ type: 'file-list', groups: groups as never, title: 'Changes' })).toMatchInlineSnapshot(`
    "
    Changes · 3 files
    ~ Modified (2)
      a.ts:42 [modified]
      b.ts
    Other (1)
      c.ts [deleted]
    "
  `);
  const files = [{ path: 'a.ts', line: 7, content: '   a line that is too long for the terminal '.repeat(2) }];
  expect(show({ type: 'file-list', files, total: 30 })).toMatchInlineSnapshot(`
    "
    1 of 30 files
    a.ts:7  a line that is too long for the terminal    a line …
    "
  `);
});

test('a table is a table: aligned, with what is missing, cut where there is no room', () => {
  const columns = [{ key: 'name', label: 'Name' }, { key: 'state' }, { key: '__proto__', label: 'Proto' }];
  const rows = [
    { name: 'server', state: 'running' },
    { name: '日本語', state: null },
    { name: 'a\nb', state: [1, { a: true }] },
  ];
  expect(show({ type: 'table', columns, rows, totalRows: 10 })).toMatchInlineSnapshot(`
    "
    Name    state           Proto
    ──────  ──────────────  ─────
    server  running
    日本語
    a\\nb    [1,{"a":true}]
    3 of 10 rows
    "
  `);
  const wide = [{ name: 'a long name that takes the room of the others', state: 'running'.repeat(3) }];
  expect(show({ type: 'table', columns, rows: wide }, { width: 30 })).toMatchInlineSnapshot(`
    "
    Name        state       Proto
    ──────────  ──────────  ─────
    a long na…  runningru…
    "
  `);
  expect(render({ type: 'table', columns: [], rows: [] })).toEqual(['no rows']);
  expect(render({ type: 'table', columns, rows, hasMore: true }).at(-1)).toBe('3 rows, and more');
  const blank = [
    { key: 'a', label: 'a wide one' },
    { key: 'b', label: '' },
    { key: 'c', label: 'four' },
  ];
  for (const line of render({ type: 'table', columns: blank, rows: [] }, { width: 20 })) {
    expect(line.length).toBeLessThanOrEqual(20);
  }
  const many = Array.from({ length: 100 }, (_, i) => ({ key: `column ${i}` }));
  for (const line of render({ type: 'table', columns: many, rows: [{}] })) expect(line.length).toBeLessThanOrEqual(60);
});

test('Markdown is rendered, and its source named', () => {
  const content = [
    '# A `title`',
    '',
    'A paragraph with **bold** text and a [link](https://example.com) that is longer than a line.',
    '- an item that is also longer than the line of the terminal, so',
    '  + another',
    '> a quote',
    '```ts',
    '**code** stays as it is',
    '```',
    'the end',
  ].join('\r\n');
  expect(show({ type: 'markdown', content, sourceUrl: 'https://example.com' })).toMatchInlineSnapshot(`
    "
    A title

    A paragraph with bold text and a link
    <https://example.com> that is longer than a line.
    • an item that is also longer than the line of the terminal,
      so
      • another
    │ a quote
      **code** stays as it is
    the end
    source: https://example.com
    "
  `);
});

test('the output of a command has both streams and the exit status', () => {
  const shell = {
    type: 'shell-output',
    command: 'npm test\necho',
    stdout: 'ok\r\n\x1b[32mgreen\x1b[0m\n',
    exitCode: 1,
  } as const;
  expect(show({ ...shell, stderr: 'oh\n' })).toMatchInlineSnapshot(`
    "
    $ npm test
    echo
    ok
    green
    stderr:
    oh
    [exit 1]
    "
  `);
  expect(render({ type: 'shell-output', command: 'true', stdout: '', stderr: '', exitCode: 0 })).toEqual([
    '$ true',
    '[exit 0]',
  ]);
});

test('a todo list has a box for each status', () => {
  const items = [
    { content: 'Set up', status: 'completed', priority: 'high' },
    { content: 'Write', status: 'in_progress', priority: 'medium' },
    { content: 'Test', status: 'pending', priority: 'low' },
    { content: 'Ship', status: 'cancelled' },
  ] as const;
  expect(show({ type: 'todo-list', items: [...items] })).toMatchInlineSnapshot(`
    "
    4 tasks, 1 completed
    [x] Set up (high)
    [~] Write
    [ ] Test (low)
    [-] Ship
    "
  `);
});

test('nothing to show has its message', () => {
  expect(render({ type: 'none', message: 'Saved' })).toEqual(['✓ Saved']);
  expect(render({ type: 'none' })).toEqual(['✓ Success']);
});

test('a title comes first, and of a collapsed visualization nothing else is shown', () => {
  expect(render({ ...DIFF, title: 'An edit', collapsed: true })).toEqual([
    'An edit · src/index.ts +2 -1',
    '… collapsed',
  ]);
});

test('shows no more lines than it may', () => {
  const content = 'a line\n'.repeat(1_000_000);
  expect(render({ type: 'markdown', content }, { maxLines: 2 })).toEqual(['a line', 'a line', '… more not shown']);
  expect(render({ type: 'code', path: 'a', content })).toHaveLength(502);
  expect(render({ type: 'markdown', content: 'a\nb' }, { maxLines: 2 })).toEqual(['a', 'b']);
});

test('colors what it shows when it may', () => {
  const lines = render({ type: 'shell-output', command: 'false', exitCode: 1 }, { color: true });
  expect(lines).toEqual(['\x1b[1m$ false\x1b[0m', '\x1b[31m[exit 1]\x1b[0m']);
});

test('control characters are shown as escapes', () => {
  const message = 'a\x1b]0;title\x07b\x9b31m\r\x7f\u202e\u2028\u{e0041}\ud800';
  expect(render({ type: 'none', message }, { width: 200 })).toEqual([
    '✓ a\\x1b]0;title\\x07b\\x9b31m\\r\\x7f\\u{202e}\\u{2028}\\u{e0041}\\u{d800}',
  ]);
});

test('a hostile text takes no time', { tags: 'slow' }, () => {
  const texts = ['[', '**', '`', '> ', '[a](', '\u0301', '🏳️‍🌈', '\x1b['].map((part) => part.repeat(200_000));
  for (const content of texts) {
    const before = process.cpuUsage();
    render({ type: 'markdown', content });
    render({ type: 'shell-output', command: '', stdout: content, exitCode: 0 });
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  }
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\x1b', '[', '0', 'm', '\n', '\r', '\t', '\u202e', '\u200b', '*', '`', '漢', 'a', ' '),
  }),
);
const number = fc.nat();
const diff = fc.record({
  type: fc.constant('diff' as const),
  path: text,
  hunks: fc.array(
    fc.record({
      oldStart: number,
      oldLines: number,
      newStart: number,
      newLines: number,
      changes: fc.array(
        fc.record({ type: fc.constantFrom('added', 'removed', 'context'), content: text, oldLineNumber: number }),
      ),
    }),
  ),
  additions: number,
  deletions: number,
});
const file = fc.record({ path: text, line: number, content: text }, { requiredKeys: ['path'] });
const visualization = fc.oneof(
  diff,
  fc.record({ type: fc.constant('diffs'), items: fc.array(diff) }),
  fc.record({ type: fc.constant('code'), path: text, content: text, language: text }),
  fc.record({
    type: fc.constant('file-list'),
    groups: fc.array(fc.record({ label: text, files: fc.array(file) })),
    files: fc.array(file),
    title: text,
  }),
  fc.record({
    type: fc.constant('table'),
    columns: fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), label: text })),
    rows: fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(text, fc.jsonValue()))),
  }),
  fc.record({ type: fc.constant('markdown'), content: text, sourceUrl: text }),
  fc.record({ type: fc.constant('shell-output'), command: text, stdout: text, stderr: text, exitCode: fc.integer() }),
  fc.record({
    type: fc.constant('todo-list'),
    items: fc.array(fc.record({ content: text, status: fc.constantFrom('pending', 'completed') })),
  }),
  fc.record({ type: fc.constant('none'), message: text }),
) as fc.Arbitrary<Visualization>;

const CONTROLS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the styles of the renderer
const STYLES = /\x1b\[\d+m/g;

test('no visualization drives the terminal, or writes beyond its width', () => {
  fc.assert(
    fc.property(visualization, fc.integer({ min: -5, max: 120 }), fc.boolean(), (given, width, color) => {
      for (const line of render(given, { width, color })) {
        const plain = color ? line.replace(STYLES, '') : line;
        expect(plain).not.toMatch(CONTROLS);
        expect(widthOf(plain)).toBeLessThanOrEqual(Math.max(20, width));
      }
    }),
    { numRuns: 500 / inject('runsDivisor') },
  );
});
