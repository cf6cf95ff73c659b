import { once } from 'node:events';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { makePlace, openSession } from './fixture/open-session.ts';

const LINES = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join('\n');

async function ask(session: ReturnType<typeof openSession>, tool: string, args: object) {
  session.send({ tool, args });
  return session.receive();
}

test('a session that was killed is taken up by the next: versions, undo, what was kept of long answers', async () => {
  const place = makePlace({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'long.txt': LINES });
  const first = openSession([], place);
  const { meta: read } = await ask(first, 'read_file', { path: 'b.txt' });
  const { meta: edited } = await ask(first, 'edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
  const { result: long } = await ask(first, 'run_shell', { command: 'cat long.txt' });
  first.send({ tool: 'run_shell', args: { command: 'touch begun; sleep 50; touch late' } });
  while (!first.has('begun')) await new Promise((resolve) => setTimeout(resolve, 20));
  first.child.kill('SIGKILL');
  await once(first.child, 'close');

  const next = openSession([], place);
  const change = { path: 'b.txt', old_text: 'b', new_text: 'c' };
  expect(await ask(next, 'edit_file', { ...change, if_version: read.version })).toMatchObject({ ok: true });
  expect(await ask(next, 'edit_file', { ...change, if_version: read.version })).toMatchObject({
    error_code: 'stale_file',
  });
  const [, kept] = /"path":"([^"]+)"/.exec(long) ?? [];
  expect(await ask(next, 'read_file', { path: kept, start_line: 4_999, end_line: 4_999 })).toMatchObject({
    ok: true,
    result: expect.stringContaining('line 4998'),
  });
  expect(await ask(next, 'undo', { action: 'restore', id: edited.operation_id ?? edited.undo_id })).toMatchObject({
    ok: true,
  });
  expect(fs.readFileSync(`${place.cwd}/a.txt`, 'utf8')).toBe('one\n');
});
