import { spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { CallDetail, CallHead } from '../journal/read-journal.ts';
import { writeCall } from '../journal/write-journal.ts';
import { readSession } from './draw-call.ts';
import { createPageEvents } from './page-events.ts';
import { createRoutes } from './page-routes.ts';
import { openQuestions } from './question-socket.ts';

const DEAD = spawnSync('true').pid;

/** Writes calls into a new journal: each head as it stands over those that all have. */
function fill(heads: readonly Partial<CallHead>[], detail: CallDetail = { args: {} }): string {
  const directory = `${makeTempDirectory()}/journal`;
  const place = {
    v: 1,
    session: 's',
    door: 'jinn',
    workspace: '/w',
    tool: 'echo',
    what: '',
    pid: process.pid,
  } as const;
  for (const [i, head] of heads.entries()) {
    writeCall(directory, { ...place, k: 'end', id: `c${i}`, time: i, ...head }, detail);
  }
  return directory;
}

async function list(directory: string, query: string): Promise<unknown> {
  const events = createPageEvents();
  const questions = openQuestions({ path: undefined, events, address: () => '', onChange() {} });
  const openWorkspace = () => expect.unreachable();
  const route = createRoutes({ directory, root: '/w', events, questions, openWorkspace });
  const request = { method: 'GET', path: '/api/calls', query: new URLSearchParams(query), body: {} };
  const { rows } = (await route({ ...request, response: {} as ServerResponse })) as { rows: readonly CallHead[] };
  questions.close();
  events.close();
  return rows.map(({ what, code }) => [what, code]);
}

const STATES = [
  { what: 'runs', k: 'start' },
  { what: 'dead', k: 'start', pid: DEAD },
  { what: 'good', ok: true, ms: 1, pid: DEAD },
  { what: 'bad', ok: false, code: 'timeout' },
] as const;

test('calls are filtered by the state that is shown of them', async () => {
  const directory = fill(STATES);
  expect(await list(directory, 'state=running')).toEqual([['runs', undefined]]);
  expect(await list(directory, 'state=ok')).toEqual([['good', undefined]]);
  expect(await list(directory, 'state=failed')).toEqual([
    ['bad', 'timeout'],
    ['dead', 'died'],
  ]);
  expect(await list(directory, '')).toHaveLength(4);
});

test('a session that is saved tells which calls have died', async () => {
  const { visualizations } = await readSession('s', fill(STATES));
  const told = visualizations.map(({ title }) => title?.replace(/.* · /, ''));
  expect(told).toEqual(['running', 'died', '1 ms', 'timeout']);
});

test('other work goes on while a session is saved, in which every call is once', async () => {
  const heads = Array.from({ length: 200 }, (_, i) => ({ what: `number ${i};`, ok: true }));
  const directory = fill(heads, { args: {}, changes: [{ path: 'a', line: 1, before: 'one\n', after: 'two\n' }] });
  let [turns, isSaved] = [0, false];
  const turn = () => {
    turns++;
    if (!isSaved) setImmediate(turn);
  };
  setImmediate(turn);
  const { visualizations } = await readSession('s', directory);
  isSaved = true;
  expect(turns).toBeGreaterThan(3);
  const told = visualizations.flatMap((each) => (each.type === 'code' ? [each.path] : []));
  expect(told).toEqual(heads.map(({ what }) => `echo ${what}`));
});
