import { expect, test } from 'vitest';
import { makePlace, openSession } from './fixture/open-session.ts';

const CALL = { tool: 'run_shell', args: { command: 'sleep 2.5; echo done' }, request_id: 'a' };

test('a caller that asks is told how far a call is, until it is answered', async () => {
  const session = openSession(['--progress']);
  session.send(CALL);
  const lines = [];
  do lines.push(await session.receive());
  while (!('ok' in lines.at(-1)));
  const reports = lines.slice(0, -1);
  expect(reports.length).toBeGreaterThan(0);
  for (const report of reports) {
    expect(report).toEqual({ progress: { done: expect.any(Number), message: expect.any(String) }, request_id: 'a' });
  }
  expect(lines.at(-1)).toMatchObject({ ok: true, result: expect.stringContaining('done'), request_id: 'a' });
});

test('nobody else is', async () => {
  const session = openSession([], makePlace());
  session.send(CALL);
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'a' });
});
