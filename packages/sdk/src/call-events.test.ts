import fs from 'node:fs';
import { expect, test } from 'vitest';
import { openScene, REMOVE } from './fixture/scene.ts';
import type { JinnEvent } from './index.ts';

async function readAll(events: AsyncIterable<JinnEvent>): Promise<JinnEvent[]> {
  const all: JinnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('a transcript can be drawn of the events of all calls', async () => {
  const { jinn, has } = openScene({ approve: () => 'once' });
  await jinn.callForModel('list_dir', {});
  const reading = readAll(jinn.events());
  const edit = { path: 'add.js', old_text: 'a - b', new_text: 'a + b' };
  await jinn.callForModel('edit_file', edit);
  await jinn.callForModel('read_file', { path: 'none' });
  await jinn.answer({ type: 'tool_use', id: 'x', name: REMOVE.name, input: REMOVE.args } as never);
  expect(has('build')).toBe(false);
  await jinn.close();
  expect(await reading).toEqual([
    { type: 'start', call: 2, tool: 'edit_file', args: edit },
    {
      ...{ type: 'end', call: 2, tool: 'edit_file', args: edit, ok: true },
      answer: expect.objectContaining({
        text: expect.stringContaining('add.js'),
        visualization: expect.objectContaining({ type: 'diff' }),
      }),
    },
    expect.objectContaining({ type: 'start', call: 3 }),
    expect.objectContaining({
      type: 'end',
      call: 3,
      ok: false,
      error: expect.objectContaining({ code: 'file_not_found' }),
    }),
    { type: 'start', call: 4, tool: 'run_shell', args: REMOVE.args },
    expect.objectContaining({
      type: 'question',
      question: expect.objectContaining({ message: expect.stringContaining('rm -rf build') }),
    }),
    expect.objectContaining({ type: 'decision', decision: 'once' }),
    expect.objectContaining({ type: 'end', call: 4, ok: true }),
  ]);
  expect(await readAll(jinn.events())).toEqual([]);
});

test('progress is told, next to the function of the call', async () => {
  const { jinn } = openScene();
  const reading = readAll(jinn.events());
  const heard: string[] = [];
  const command = 'for i in 1 2 3; do echo $i; sleep 0.4; done';
  await jinn.call('run_shell', { command }, { onProgress: (message) => heard.push(message) });
  await jinn.close();
  const told = (await reading).flatMap((event) => (event.type === 'progress' ? [event.message] : []));
  expect(told.length).toBeGreaterThan(0);
  expect(told).toEqual(heard);
});

test('a question without an answer has no decision, and the call ends with the error', async () => {
  const { jinn } = openScene({ approve: () => Promise.reject(new Error('closed')) });
  const reading = readAll(jinn.events());
  await expect(jinn.call('run_shell', { command: 'rm -rf build' })).rejects.toThrow('closed');
  await jinn.close();
  expect((await reading).slice(1)).toEqual([
    expect.objectContaining({ type: 'question' }),
    expect.objectContaining({ type: 'decision', decision: undefined }),
    expect.objectContaining({ type: 'end', ok: false, error: expect.objectContaining({ code: 'approval_required' }) }),
  ]);
});

test('a reader that leaves gets no more, and another goes on', async () => {
  const { root, jinn } = openScene();
  const reading = readAll(jinn.events());
  const first = (async () => {
    for await (const { tool } of jinn.events()) return tool;
  })();
  await jinn.call('stat_file', { path: 'add.js' });
  expect(await first).toBe('stat_file');
  fs.writeFileSync(`${root}/b.txt`, '');
  await jinn.callForModel('list_dir', {});
  await jinn.close();
  expect((await reading).map(({ tool, type }) => `${tool} ${type}`)).toEqual([
    ...['stat_file start', 'stat_file end'],
    ...['list_dir start', 'list_dir end'],
  ]);
});
