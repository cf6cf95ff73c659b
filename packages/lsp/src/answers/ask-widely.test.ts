import path from 'node:path';
import { type FileTree, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { type Action, makeScripted, type ScriptedWorkspace } from '../fixture/scripted.ts';
import { findAllReferences, type LocationPage } from './queries.ts';

const PLACE = { line: 1, character: 1 };
const FILES = { 'a.x': 'one\n', 'b.x': 'one\n', 'c.x': 'one\n' };
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

/** Asks where the word of a.x is used; `answers` are the numbers of uses that the server gives, each time it is asked. */
function openScene(answers: readonly (readonly Action[])[], files: FileTree = FILES) {
  const workspace = makeScripted(files, { on: { 'textDocument/references': answers } });
  const ask = (files: readonly string[], limitMs = 20_000, key?: string) =>
    workspace.ask('a.x', (view) => findAllReferences(view, PLACE), {
      mentioned: { word: 'one', files, key },
      reported: ({ perFile }: LocationPage) => perFile.keys(),
      limitMs,
    });
  return { ...workspace, ask };
}

const uses = (...names: string[]): readonly Action[] => [
  { result: names.map((name) => ({ uri: `file:///elsewhere/${name}`, range })) },
];

function documentsOf({ received }: Pick<ScriptedWorkspace, 'received'>): string[] {
  const moved = received().filter(({ method }) => /did(Open|Close)$/.test(method ?? ''));
  return moved.map(({ method, params }) => `${method?.replace(/.*did/, '')} ${path.basename(params.textDocument.uri)}`);
}

test('opens the files that hold the word and are not in the answer, asks again, and closes them', async () => {
  const scene = openScene([uses('one'), uses('one', 'two')]);
  const { value, incomplete } = await scene.ask(['b.x', 'c.x', 'gone.x']);
  expect([value.total, incomplete]).toEqual([2, []]);
  await scene.ask([]);
  expect(documentsOf(scene)).toEqual(['Open a.x', 'Open b.x', 'Open c.x', 'Close b.x', 'Close c.x']);
});

test('asks once where all files that hold the word are in the answer', async () => {
  const scene = openScene([uses('one')]);
  await scene.ask(['elsewhere/one']);
  expect(scene.received('textDocument/references')).toHaveLength(1);
});

test('counts the files that there was no time to look at, and keeps what was found', async () => {
  const scene = openScene([uses('one'), []]);
  const { value, incomplete } = await scene.ask(['b.x', 'c.x'], 2_000);
  expect(value.total).toBe(1);
  expect(incomplete).toEqual(['2 files mention one and were not looked at. Pass a longer timeout to look at more']);
});

test('a file that was asked about by itself stays open', async () => {
  const scene = openScene([uses('one')]);
  await scene.servers.ask({ path: 'b.x', limitMs: 20_000, run: async () => 1 });
  await scene.ask(['b.x', 'c.x']);
  await scene.ask([]);
  expect(documentsOf(scene)).toEqual(['Open b.x', 'Open a.x', 'Open c.x', 'Close c.x']);
});

test('a question that is asked again opens only what its answer needs, until a file changes', async () => {
  const scene = openScene([uses('one')]);
  const asked = () => scene.received('textDocument/references').length;
  await scene.ask(['b.x', 'c.x'], 20_000, 'key');
  expect(asked()).toBe(2);
  await scene.ask(['b.x', 'c.x'], 20_000, 'key');
  expect(asked()).toBe(3);
  await scene.ask(['b.x', 'c.x'], 20_000, 'other');
  expect(asked()).toBe(5);
  makeTree(scene.root, { 'c.x': 'one more\n' });
  await scene.ask(['b.x', 'c.x'], 20_000, 'key');
  expect(asked()).toBe(7);
});

test('a question that is asked again opens what added to its answer', async () => {
  const scene = openScene([uses('one'), uses('one', 'two')]);
  expect((await scene.ask(['b.x'], 20_000, 'key')).value.total).toBe(2);
  await scene.ask(['b.x'], 20_000, 'key');
  await scene.ask([]);
  expect(documentsOf(scene)).toEqual(['Open a.x', 'Open b.x', 'Close b.x', 'Open b.x', 'Close b.x']);
  expect(scene.received('textDocument/references')).toHaveLength(4);
});

const PROJECTS = {
  'a.x': 'one\n',
  'other/tsconfig.json': '{}',
  'other/b.x': 'one\n',
  'other/deep/c.x': 'one\n',
  'plain/d.x': 'one\n',
  'plain/d.test.x': 'one\n',
};
const MENTIONING = Object.keys(PROJECTS).filter((name) => name.endsWith('.x') && name !== 'a.x');

test('opens one file of each other project first, and one of its tests, and asks again with these alone', async () => {
  const scene = openScene([uses('one'), uses('one', 'two')], PROJECTS);
  await scene.ask(MENTIONING, 20_000, 'key');
  await scene.ask(MENTIONING, 20_000, 'key');
  await scene.ask([]);
  expect(documentsOf(scene)).toEqual([
    ...['Open a.x', 'Open b.x', 'Open d.test.x', 'Open c.x', 'Open d.x'],
    ...['Close b.x', 'Close d.test.x', 'Close c.x', 'Close d.x'],
    ...['Open b.x', 'Open d.test.x', 'Close b.x', 'Close d.test.x'],
  ]);
});

test('opens what an answer needed from the start when it is asked for after a change', async () => {
  const scene = openScene([uses('one'), uses('one', 'two', 'other')], PROJECTS);
  await scene.ask(MENTIONING, 20_000, 'key');
  const before = scene.received('textDocument/references').length;
  makeTree(scene.root, { 'a.x': 'one more\n' });
  await scene.ask(['other/b.x'], 20_000, 'key');
  expect(scene.received('textDocument/references').length - before).toBe(1);
});

test('a question that there was no time to answer whole goes on where it was when it is asked again', async () => {
  const scene = openScene([uses('one'), uses('one', 'two'), [], uses('one', 'two', 'three')], PROJECTS);
  const first = await scene.ask(MENTIONING, 2_000, 'key');
  expect([first.value.total, first.incomplete]).toEqual([2, [expect.stringMatching(/^2 files mention one/)]]);
  const second = await scene.ask(MENTIONING, 20_000, 'key');
  expect([second.value.total, second.incomplete]).toEqual([3, []]);
  await scene.ask([]);
  const opened = documentsOf(scene).filter((moved) => moved.startsWith('Open'));
  expect(opened.slice(5)).toEqual(['Open b.x', 'Open d.test.x', 'Open c.x', 'Open d.x']);
  expect(scene.received('textDocument/references')).toHaveLength(6);
});
