import { spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { CallDetail, CallHead } from '../journal/read-journal.ts';
import { writeCall } from '../journal/write-journal.ts';
import { readSession } from './draw-call.ts';
import { createLiveCalls } from './live-calls.ts';
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

async function ask(path: string, directory: string, query: string): Promise<unknown> {
  const events = createPageEvents();
  const live = createLiveCalls(events);
  const questions = openQuestions({ path: undefined, events, live, address: () => '', onChange() {} });
  const openWorkspace = () => expect.unreachable();
  const route = createRoutes({ directory, root: '/w', events, questions, live, openWorkspace });
  const request = { method: 'GET', path, query: new URLSearchParams(query), body: {} };
  const answer = await route({ ...request, response: {} as ServerResponse });
  questions.close();
  events.close();
  return answer;
}

async function list(directory: string, query: string): Promise<unknown> {
  const { rows } = (await ask('/api/calls', directory, query)) as { rows: readonly CallHead[] };
  return rows.map(({ what, code }) => [what, code]);
}

const STATES = [
  { what: 'runs', k: 'start' },
  { what: 'dead', k: 'start', pid: DEAD },
  { what: 'good', ok: true, ms: 1, pid: DEAD },
  { what: 'bad', ok: false, code: 'timeout' },
  { what: 'exit 1', ok: true, ms: 2, exit: 1 },
  { what: 'not allowed', ok: false, code: 'command_blocked' },
] as const;

test('calls are filtered by the state that is shown of them', async () => {
  const directory = fill(STATES);
  expect(await list(directory, 'state=running')).toEqual([['runs', undefined]]);
  expect(await list(directory, 'state=ok')).toEqual([['good', undefined]]);
  expect(await list(directory, 'state=failed')).toEqual([
    ['exit 1', undefined],
    ['bad', 'timeout'],
    ['dead', 'died'],
  ]);
  expect(await list(directory, 'state=refused')).toEqual([['not allowed', 'command_blocked']]);
  expect(await list(directory, '')).toHaveLength(6);
});

test('all calls that fit are counted, each once', async () => {
  const directory = fill([...STATES, { id: 'c2', k: 'start' }]);
  for (const [query, count] of [
    ['', 6],
    ['state=failed', 3],
    ['state=failed&text=bad', 1],
    ['tool=none', 0],
  ] as const)
    expect(await ask('/api/count', directory, query)).toEqual({ count });
});

test('a session that is saved tells which calls have died', async () => {
  const { visualizations } = await readSession('s', fill(STATES));
  const told = visualizations.map(({ title }) => title?.replace(/.* · /, ''));
  expect(told).toEqual(['running', 'died', '1 ms', 'timeout', '2 ms, exit 1', 'command_blocked']);
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
