import { createRegistry, createSession, type Session, toEnvelope } from '@jinn/core';
import { makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { chooseToolsets, reportChanges } from './index.ts';

const FILES = {
  'a.ts': 'const a = 1;\nconst b = 2;\n',
  'b.ts': 'const c = 3;\n',
  'c.txt': 'words\n',
  'd.ts': 'const = 1;\n',
};

async function openCalls(session: Session = createSession()) {
  const root = makeTempDirectory();
  makeTree(root, FILES);
  const registry = await createRegistry({
    toolsets: chooseToolsets(['jinn']),
    version: '1',
    reportChanges,
    onInternalError: console.error,
  });
  const at = { ...openTestMachine({ root }), session };
  return async (tool: string, args: object) => toEnvelope(await registry.call({ tool, args }, at));
}

test('says which syntax error an edit brought in', async () => {
  const call = await openCalls();
  await call('read_file', { path: 'a.ts' });
  const broken = await call('edit_file', { path: 'a.ts', old_text: '1;', new_text: '(1;' });
  const errors = [{ file: 'a.ts', line: 1, message: 'missing )' }];
  expect(broken).toMatchObject({ ok: true, meta: { syntax: { errors }, version: expect.any(String) } });
  const mended = await call('edit_file', { path: 'a.ts', old_text: '(1;', new_text: '1;' });
  expect(mended).toMatchObject({ ok: true });
  expect(mended.meta).not.toHaveProperty('syntax');
});

test('says nothing of errors that were there before', async () => {
  const call = await openCalls();
  await call('read_file', { path: 'd.ts' });
  const { meta } = await call('edit_file', { path: 'd.ts', old_text: '1;', new_text: '2;' });
  expect(meta).not.toHaveProperty('syntax');
});

test.for([
  ['write_file', { path: 'new.py', content: 'def f(:\n' }, 'new.py'],
  ['multi_edit', { edits: [{ path: 'b.ts', old_text: '3', new_text: '(3' }] }, 'b.ts'],
  ['search_replace', { files: 'b.ts', pattern: '3', replacement: '(3' }, 'b.ts'],
  [
    'apply_patch',
    { patch: '*** Begin Patch\n*** Update File: b.ts\n@@\n-const c = 3;\n+const c = (3;\n*** End Patch' },
    'b.ts',
  ],
] as const)('hears of what %s writes', async ([tool, args, file]) => {
  const call = await openCalls();
  await call('stat_file', { path: 'a.ts' });
  expect(await call(tool, args)).toMatchObject({ ok: true, meta: { syntax: { errors: [{ file }] } } });
});

test('hears of an indentation that Python refuses, and of a recipe without its tab', async () => {
  const call = await openCalls();
  await call('write_file', { path: 'm.py', content: 'for x in xs:\n    if x:\n        a(x)\n' });
  await call('write_file', { path: 'Makefile', content: 'all:\n\techo a\n' });
  const edit = (path: string, old_text: string, new_text: string) => call('edit_file', { path, old_text, new_text });
  expect((await edit('m.py', '        a(x)', '    a(x)')).meta).toMatchObject({
    syntax: { errors: [{ file: 'm.py', line: 2, message: 'missing an indented block' }] },
  });
  expect((await edit('m.py', '    a(x)', '        a(x)\n      b(x)')).meta).toMatchObject({
    syntax: { errors: [{ line: 4, message: 'the indentation does not fit the lines around it' }] },
  });
  expect((await edit('Makefile', '\techo a', '    echo a')).meta).toMatchObject({
    syntax: { errors: [{ file: 'Makefile', line: 2, message: 'unexpected echo a' }] },
  });
});

test('does not parse in the first call of a session, which may be the only one of its process', async () => {
  const session = createSession();
  const call = await openCalls(session);
  const { meta } = await call('edit_file', { path: 'a.ts', old_text: '1;', new_text: '(1;' });
  expect(meta).not.toHaveProperty('syntax');
  expect(session.hasServices).toBe(false);
});

test('loads no parser for a file without a grammar, or one that is removed', async () => {
  const session = createSession();
  const call = await openCalls(session);
  await call('stat_file', { path: 'a.ts' });
  await call('edit_file', { path: 'c.txt', old_text: 'words', new_text: '(((' });
  await call('apply_patch', { patch: '*** Begin Patch\n*** Delete File: b.ts\n*** End Patch' });
  expect(session.hasServices).toBe(false);
});

test('lists ten errors at most', async () => {
  const call = await openCalls();
  await call('stat_file', { path: 'a.ts' });
  const content = 'const = 1;\n'.repeat(25);
  const { meta } = await call('write_file', { path: 'e.ts', content });
  expect(meta).toMatchObject({ syntax: { errors: { length: 10 }, omitted: 15 } });
});
