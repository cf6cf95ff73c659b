import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const CREATE = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, b BLOB); INSERT INTO t VALUES (1, 'ann', x'0001');";

async function open(ask?: 'once' | 'always' | 'deny') {
  const example = await openExample('sqlite-query', ask === undefined ? {} : { ask: () => ask });
  const script = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])';
  execFileSync('python3', ['-c', script, `${example.root}/t.db`, CREATE]);
  return { ...example, path: 't.db' };
}

test('reads without asking', async () => {
  const { call, asked } = await open('deny');
  const sql = 'SELECT *, 9223372036854775807 AS large FROM t WHERE name = ?';
  const { output, shown, warnings } = await call({ path: 't.db', sql, parameters: ['ann'] });
  const row = [1, 'ann', '[2 bytes]', '9223372036854775807'];
  expect(output).toEqual({ columns: ['id', 'name', 'b', 'large'], rows: [row], has_more: false });
  expect(shown).toMatchObject({ type: 'table', rows: [{ ...row }] });
  expect(warnings).toEqual([]);
  expect((await call({ path: 't.db', sql: 'PRAGMA table_info(t)' })).output['rows']).toHaveLength(3);
  expect(asked).toEqual([]);
});

test('asks before it writes, about this database', async () => {
  const { call, asked, root } = await open('once');
  const { output, shown } = await call({
    path: 't.db',
    sql: 'UPDATE t SET name = ?',
    parameters: ['bob'],
    write: true,
  });
  expect(output).toEqual({ columns: [], rows: [], has_more: false, changed: 1 });
  expect(shown).toEqual({ type: 'none', message: '1 rows changed' });
  expect(asked).toEqual([`database_write: ${root}/t.db`]);
  expect((await call({ path: 't.db', sql: 'SELECT name FROM t' })).output['rows']).toEqual([['bob']]);
});

test('does not write what the person denies, or what was not said to write', async () => {
  const { call, fail } = await open('deny');
  const sql = 'DELETE FROM t';
  expect(await fail({ path: 't.db', sql, write: true })).toContain('USER_REJECTION');
  expect(await fail({ path: 't.db', sql })).toContain('attempt to write a readonly database');
  expect((await call({ path: 't.db', sql: 'SELECT count(*) FROM t' })).output['rows']).toEqual([[1]]);
});

test.each(["ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", 'PRAGMA journal_mode = DELETE', "SELECT load_extension('x')"])(
  'does not reach other files with %s',
  async (sql) => {
    const { fail } = await open('once');
    expect(await fail({ path: 't.db', sql, write: true })).toMatch(/not authorized|authorization denied/);
  },
);

test('says that a number is too large for SQLite', async () => {
  const { fail } = await open();
  const message = await fail({ path: 't.db', sql: 'SELECT ?', parameters: [1e19] });
  expect(message).toContain('too large to convert to SQLite INTEGER');
  expect(message).not.toContain('Traceback');
});

test.each([
  ['/etc/passwd', 'is outside of the workspace'],
  ['link.db', 'is outside of the workspace'],
  ['.env', 'is a secret'],
  ['none.db', 'No such file'],
  ['.', 'is not a file'],
])('refuses the file %s', async (path, message) => {
  const files = { '.env': 'A=1\n', 'link.db': { symlink: '/etc/passwd' } } as const;
  const { fail } = await openExample('sqlite-query', { files });
  expect(await fail({ path, sql: 'SELECT 1' })).toContain(message);
});
