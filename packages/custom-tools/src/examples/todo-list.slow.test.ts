import fs from 'node:fs';
import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

test('keeps tasks, and answers each action with the whole list', async () => {
  const { call, root } = await openExample('todo-list');
  expect((await call({ action: 'list' })).output).toEqual({ todos: [] });
  await call({ action: 'add', content: 'Write “tests”', priority: 'high' });
  await call({ action: 'add', content: 'Ship' });
  const { output, shown, warnings } = await call({ action: 'update', id: 1, status: 'completed' });
  expect(output).toEqual({
    todos: [
      { id: 1, content: 'Write “tests”', status: 'completed', priority: 'high' },
      { id: 2, content: 'Ship', status: 'pending', priority: 'medium' },
    ],
  });
  expect(shown).toEqual({
    type: 'todo-list',
    items: [
      { content: 'Write “tests”', status: 'completed', priority: 'high' },
      { content: 'Ship', status: 'pending', priority: 'medium' },
    ],
  });
  expect(warnings).toEqual([]);
  expect((await call({ action: 'remove', id: 1 })).output).toMatchObject({ todos: [{ id: 2 }] });
  expect((await call({ action: 'add', content: 'Rest' })).output).toMatchObject({ todos: [{ id: 2 }, { id: 3 }] });
  expect((await call({ action: 'clear' })).output).toEqual({ todos: [] });
  expect(fs.readdirSync(root)).toEqual(['todo.json']);
});

test('loses no task of calls at the same time', async () => {
  const { call } = await openExample('todo-list');
  await Promise.all(Array.from({ length: 8 }, (_, i) => call({ action: 'add', content: `task ${i}` })));
  const { output } = await call({ action: 'list' });
  expect((output['todos'] as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('says what is wrong, and changes nothing', async () => {
  const content = '{"not":"tasks"}';
  const { fail, root } = await openExample('todo-list', { files: { 'todo.json': content } });
  expect(await fail({ action: 'add', content: 'x' })).toBe('todo-list: todo.json is not a list of tasks; move it away');
  expect(fs.readFileSync(`${root}/todo.json`, 'utf8')).toBe(content);
  const empty = await openExample('todo-list');
  expect(await empty.fail({ action: 'add' })).toBe('todo-list: content is missing');
  expect(await empty.fail({ action: 'update', id: 7 })).toBe('todo-list: there is no task 7; list shows the ids');
  expect(await empty.fail({ action: 'remove' })).toContain('there is no task None');
  expect(await empty.fail({ action: 'add', content: 'x', status: 'done' })).toMatch(/status/);
});

test.each(['[{"id":"1","content":"x"}]', '[1]', '['.repeat(100_000), '{"a"'])(
  'refuses the list %.20s',
  async (text) => {
    const { fail } = await openExample('todo-list', { files: { 'todo.json': text } });
    expect(await fail({ action: 'list' })).not.toContain('Traceback');
  },
);

test('does not follow a link out of the workspace', async () => {
  const { fail } = await openExample('todo-list', { files: { 'todo.json': { symlink: '/etc/passwd' } } });
  expect(await fail({ action: 'list' })).toContain('Too many levels of symbolic links');
});
