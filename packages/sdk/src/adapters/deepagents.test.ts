import fs from 'node:fs';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { createDeepAgent, isSandboxBackend } from 'deepagents';
import { fakeModel } from 'langchain';
import { expect, test } from 'vitest';
import { openScene, PIXEL, type ScriptedCall, TICK } from '../fixture/scene.ts';
import { jinnBackend } from './deepagents.ts';

/** Lets a deep agent make these calls of its own tools, one a turn, and returns what it has read. */
async function run(scene: ReturnType<typeof openScene>, calls: readonly ScriptedCall[], signal?: AbortSignal) {
  const model = fakeModel();
  for (const { name, args } of calls) model.respondWithTools([{ name, args: { ...args } }]);
  const agent = createDeepAgent({ model: model.respond(new AIMessage('done')), backend: jinnBackend(scene.jinn) });
  const state = await agent.invoke({ messages: [{ role: 'user', content: 'Mend it.' }] }, signal ? { signal } : {});
  return state.messages.filter(ToolMessage.isInstance).map(({ content }) => JSON.stringify(content));
}

test('a deep agent lists, reads, edits, searches, runs and writes with its own tools', async () => {
  const scene = openScene();
  const { root } = scene;
  const texts = await run(scene, [
    { name: 'ls', args: { path: '/' } },
    { name: 'read_file', args: { file_path: `${root}/add.js` } },
    { name: 'edit_file', args: { file_path: `${root}/add.js`, old_string: 'a - b', new_string: 'a + b' } },
    { name: 'execute', args: { command: 'node test.js && echo passed' } },
    { name: 'grep', args: { pattern: 'a + b' } },
    { name: 'glob', args: { pattern: '**/*.js' } },
    { name: 'write_file', args: { file_path: '/notes/new.md', content: 'text\n' } },
    { name: 'read_file', args: { file_path: '/../etc/passwd' } },
    { name: 'read_file', args: { file_path: `${root}/none.js` } },
  ]);
  expect(texts).toEqual([
    expect.stringContaining(`${root}/build`),
    expect.stringContaining('a - b'),
    expect.stringContaining('1 occurrence'),
    expect.stringMatching(/passed.*exit code 0/s),
    expect.stringContaining(`${root}/add.js`),
    expect.stringMatching(/add\.js.*test\.js/s),
    expect.stringContaining('/notes/new.md'),
    expect.stringContaining('rror'),
    expect.stringContaining('file_not_found'),
  ]);
  expect(fs.readFileSync(`${root}/add.js`, 'utf8')).toContain('a + b');
  expect(fs.readFileSync(`${root}/notes/new.md`, 'utf8')).toBe('text\n');
  await scene.jinn.call('undo', { action: 'restore', last: 2 });
  expect(fs.readFileSync(`${root}/add.js`, 'utf8')).toContain('a - b');
});

test('a deep agent gets images', async () => {
  const scene = openScene();
  const texts = await run(scene, [{ name: 'read_file', args: { file_path: `${scene.root}/a.png` } }]);
  expect(texts).toEqual([expect.stringContaining(PIXEL)]);
});

test.for([
  ['once', false],
  ['deny', true],
  [undefined, true],
] as const)('a dangerous command is put to approve of the instance, which says %s', async ([said, stays]) => {
  const scene = openScene({ approve: () => said });
  const texts = await run(scene, [{ name: 'execute', args: { command: 'rm -rf build' } }]);
  expect(texts).toEqual([expect.stringContaining(stays ? 'command_blocked' : '[exit: 0]')]);
  expect(scene.has('build')).toBe(stays);
});

test('a path without a slash is one below the directory', async () => {
  const { jinn } = openScene();
  expect(await jinnBackend(jinn).read('add.js')).toMatchObject({ content: expect.stringContaining('a - b') });
  expect(await jinnBackend(jinn).read('.hidden')).toEqual({ error: expect.stringContaining('file_not_found') });
});

test('what lies outside of the directory is taken from its top, and a way out is refused', async () => {
  const backend = jinnBackend(openScene().jinn);
  expect(await backend.read('/etc/passwd')).toEqual({ error: expect.stringContaining('file_not_found') });
  expect(await backend.read('/../../etc/passwd')).toEqual({ error: expect.stringContaining('path_outside_sandbox') });
});

test('a file is read in windows, without the words of jinn about them', async () => {
  const { root, jinn } = openScene();
  const lines = Array.from({ length: 4_500 }, (_, i) => `line ${i}`);
  fs.writeFileSync(`${root}/long.txt`, `${lines.join('\n')}\n`);
  const backend = jinnBackend(jinn);
  expect(isSandboxBackend(backend)).toBe(true);
  const window = { content: 'line 10\nline 11', startLine: 11, endLine: 12, nextOffset: 12, totalLines: 4_500 };
  expect(await backend.read('/long.txt', 10, 2)).toMatchObject(window);
});

const LONG = Array.from({ length: 4_500 }, (_, i) => `line ${i}`).join('\n');

test.for([
  ['an empty file', 'a.txt', ''],
  ['a last newline', 'a.txt', 'a\nb\n'],
  ['no last newline', 'a.txt', 'a\nb'],
  ['several windows and a last newline', 'a.txt', `${LONG}\n`],
  ['several windows and no last newline', 'a.txt', LONG],
  ['lines of 150 KB', 'a.txt', `a\n${'ä'.repeat(75_000)}\n${'b'.repeat(150_000)}`],
  ['blank lines', 'a.txt', '\n\n\n'],
  ['line endings of Windows', 'a.txt', 'a\r\nb\r\n'],
  ['a notebook', 'a.ipynb', '{"cells": []}\n'],
] as const)('a file is raw as it stands: %s', async ([, name, content]) => {
  const { root, jinn } = openScene();
  fs.writeFileSync(`${root}/${name}`, content);
  const { data } = await jinnBackend(jinn).readRaw(`/${name}`);
  expect(data).toMatchObject({ mimeType: 'text/plain', content });
});

test.for([
  [false, 'a x a', 'x', 1],
  [true, 'a x a', 'a', 2],
  [true, '(3 places)', '(3', 1],
] as const)('an edit counts what it has changed (replace all: %s, of %s)', async ([all, content, old, occurrences]) => {
  const { root, jinn } = openScene();
  fs.writeFileSync(`${root}/f.txt`, content);
  expect(await jinnBackend(jinn).edit('/f.txt', old, 'new', all)).toMatchObject({ occurrences });
});

test('what a deep agent has started ends with the signal of the instance', async () => {
  const stop = new AbortController();
  const scene = openScene({ signal: stop.signal });
  const done = run(scene, [{ name: 'execute', args: TICK.args }]);
  await expect.poll(() => scene.has('tick')).toBe(true);
  stop.abort();
  expect(await done).toEqual([expect.stringContaining('canceled')]);
  await scene.expectStopped();
});
