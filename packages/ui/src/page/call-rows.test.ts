import { expect, test } from 'vitest';
import { bury, fits, merge, nameSessions } from './calls-tab.tsx';
import type { CallRow } from './page-api.ts';

const NONE = { text: '', tool: '', state: '', session: '' };

function row(more: Partial<CallRow>): CallRow {
  const place = { v: 1, session: 's', pid: 1, door: 'jinn', workspace: '/a/w', tool: 'echo', what: '', at: '' };
  return { ...place, k: 'end', id: 'a', time: 0, isAlive: true, ...more };
}

test('the end of a call takes the place of its beginning, and a true end that of a death', () => {
  const [start, died] = [row({ k: 'start' }), row({ ok: false, code: 'died' })];
  const [end, later] = [row({ ok: true, ms: 1 }), row({ id: 'b', time: 1 })];
  expect(merge([end], [later, start])).toEqual([later, end]);
  expect(merge([end], [died])).toEqual([end]);
  expect(merge([start], [died])).toEqual([died]);
  expect(merge([start, died], [end])).toEqual([end]);
});

test('a row fits by every filter that is set', () => {
  const failed = row({ ok: false, what: 'Some File' });
  expect([NONE, { ...NONE, text: 'file' }, { ...NONE, state: 'failed' }].map((each) => fits(failed, each))).toEqual([
    true,
    true,
    true,
  ]);
  const others = [{ text: 'x' }, { tool: 'x' }, { session: 'x' }, { state: 'ok' }];
  expect(others.map((each) => fits(failed, { ...NONE, ...each }))).toEqual([false, false, false, false]);
});

test('the calls of a process that is gone are marked, and other lists stay as they are', () => {
  const rows = [row({}), row({ id: 'b', pid: 2 })];
  expect(bury(rows, 3)).toBe(rows);
  expect(bury(rows, 2)).toEqual([rows[0], { ...rows[1], isAlive: false }]);
});

test('a session is named by its oldest call, and marked while its process runs', () => {
  const time = new Date(2026, 0, 1, 12, 30, 15).getTime();
  const rows = [row({ time: time + 60_000 }), row({ id: 'b', time, client: 'host', isAlive: false })];
  const gone = row({ id: 'c', session: 't', time, isAlive: false });
  expect([...nameSessions([...rows, gone])]).toEqual([
    ['s', '● host · w · 12:30:15'],
    ['t', 'jinn · w · 12:30:15'],
  ]);
});
