import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const CSV = 'name,Total amount,note\nann,3,"a, b"\nbob,4.5,\ncid,10,"two\nlines"\n';

test('answers a SELECT over the rows of a file, as a table', async () => {
  const { call } = await openExample('csv-query', { files: { 'a.csv': CSV } });
  const { output, shown, warnings } = await call({
    path: 'a.csv',
    sql: 'SELECT name, "Total amount" * 2 AS twice, note FROM csv WHERE "Total amount" > 3 ORDER BY 2 DESC',
  });
  const rows = [
    ['cid', 20, 'two\nlines'],
    ['bob', 9, null],
  ];
  expect(output).toEqual({ columns: ['name', 'twice', 'note'], rows, has_more: false });
  expect(shown).toEqual({
    type: 'table',
    columns: [
      { key: '0', label: 'name' },
      { key: '1', label: 'twice' },
      { key: '2', label: 'note' },
    ],
    rows: rows.map((row) => ({ ...row })),
    hasMore: false,
  });
  expect(warnings).toEqual([]);
});

test('finds the delimiter, makes names unique, and keeps what a number would lose', async () => {
  const files = { 'a.tsv': '\ufeffx\tX\t\n007\t1.50\t12345678901234567890\n-5\t0\n' };
  const { call } = await openExample('csv-query', { files });
  const { output } = await call({ path: 'a.tsv', sql: 'SELECT * FROM csv' });
  expect(output['columns']).toEqual(['x', 'X_', 'column3']);
  expect(output['rows']).toEqual([
    ['007', 1.5, '12345678901234567890'],
    [-5, 0, null],
  ]);
});

test('returns no more rows than it may, and says so', async () => {
  const files = { 'a.csv': `n\n${Array.from({ length: 300 }, (_, i) => i).join('\n')}\n` };
  const { call } = await openExample('csv-query', { files });
  const { output } = await call({ path: 'a.csv', sql: 'SELECT n FROM csv' });
  expect((output['rows'] as unknown[]).length).toBe(100);
  expect(output['has_more']).toBe(true);
  const { output: all } = await call({ path: 'a.csv', sql: 'SELECT count(*), sum(n) FROM csv', limit: 1 });
  expect(all).toMatchObject({ rows: [[300, 44_850]], has_more: false });
});

test.each([
  ["ATTACH '/tmp/x' AS x", 'not authorized'],
  ['PRAGMA database_list', 'not authorized'],
  ['INSERT INTO csv VALUES (1, 2, 3)', 'not authorized'],
  ["SELECT load_extension('/tmp/x.so')", 'not authorized'],
  ['SELECT 1; SELECT 2', 'one statement at a time'],
  ['SELECT other FROM csv', 'no such column: other'],
])('refuses the statement %s', async (sql, message) => {
  const { fail } = await openExample('csv-query', { files: { 'a.csv': CSV } });
  expect(await fail({ path: 'a.csv', sql })).toContain(message);
});

test.each([
  ['../secret.csv', 'is outside of the workspace'],
  ['link.csv', 'is outside of the workspace'],
  ['.env', 'is a secret'],
  ['dir', 'Is a directory|is not a file'],
])('refuses the file %s', async (path, message) => {
  const files = {
    'link.csv': { symlink: '/etc/passwd' },
    '.env': 'A=1\n',
    'dir/a.csv': CSV,
  } as const;
  const { fail } = await openExample('csv-query', { files });
  expect(await fail({ path, sql: 'SELECT * FROM csv' })).toMatch(new RegExp(message));
});
