import { expect, test } from 'vitest';
import { buryCalls, fits, markOf, mergeCalls, nameSessions, shownTime } from './call-words.ts';
import type { CallRow } from './page-api.ts';

const NONE = { text: '', tool: '', state: '', session: '' };

function row(more: Partial<CallRow>): CallRow {
  const place = { v: 1, session: 's', pid: 1, door: 'jinn', workspace: '/a/w', tool: 'echo', what: '', at: '' };
  return { ...place, k: 'end', id: 'a', time: 0, isAlive: true, ...more };
}

test('the end of a call takes the place of its beginning, and a true end that of a death', () => {
  const [start, died] = [row({ k: 'start' }), row({ ok: false, code: 'died' })];
  const [end, later] = [row({ ok: true, ms: 1 }), row({ id: 'b', time: 1 })];
  expect(mergeCalls([end], [later, start])).toEqual([later, end]);
  expect(mergeCalls([end], [died])).toEqual([end]);
  expect(mergeCalls([start], [died])).toEqual([died]);
  expect(mergeCalls([start, died], [end])).toEqual([end]);
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
  expect(buryCalls(rows, 3)).toBe(rows);
  expect(buryCalls(rows, 2)).toEqual([rows[0], { ...rows[1], isAlive: false }]);
});

test('a session is named by its oldest call, and marked while its process runs', () => {
  const time = new Date().setHours(12, 30, 15, 0);
  const rows = [row({ time: time + 1_000 }), row({ id: 'b', time, client: 'host', isAlive: false })];
  const gone = row({ id: 'c', session: 't', time, isAlive: false });
  expect([...nameSessions([...rows, gone])]).toEqual([
    ['s', '● host · w · 12:30:15'],
    ['t', 'jinn · w · 12:30:15'],
  ]);
});

test('a time of today has seconds, and another one its day', () => {
  expect(shownTime(new Date().setHours(9, 5, 7, 0))).toBe('09:05:07');
  expect(shownTime(new Date(2020, 1, 3, 14, 5).getTime())).toBe('3 Feb 2020 14:05');
});

test.each<[Partial<CallRow>, string]>([
  [{ k: 'start' }, 'running'],
  [{ ok: true }, 'ok'],
  [{ ok: true, exit: 0 }, 'ok'],
  [{ ok: true, exit: 1 }, 'exit 1'],
  [{ ok: false, code: 'timeout', exit: 124 }, 'exit 124'],
  [{ ok: false, code: 'canceled' }, 'stopped'],
  [{ ok: false, code: 'command_blocked' }, 'refused'],
  [{ ok: false, code: 'edit_not_found' }, 'failed'],
  [{ ok: false, code: 'died' }, 'died'],
])('a call with %j is marked with %s', (facts, text) => {
  expect(markOf(row(facts), false).text).toBe(text);
  expect(markOf(row(facts), true).text).toBe(text === 'running' ? 'waiting for you' : text);
});
