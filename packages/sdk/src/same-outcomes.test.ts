import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { toEnvelope, toFailure } from '@jinn/core';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { toSchemaFormat } from '@jinn/toolsets';
import { expect, onTestFinished, test } from 'vitest';
import { createJinn, type ToolName } from './index.ts';

const JINN = path.resolve(import.meta.dirname, '../../../apps/jinn/dist/jinn.cjs');
const FILES = { 'a.txt': 'one\ntwo\n', 'b.ts': 'export class Engine {\n  start() {}\n}\n', 'sub/c.txt': 'one\n' };

/** The calls of a session, one after the other. */
const CALLS: readonly (readonly [ToolName, object])[] = [
  ['read_file', { path: 'a.txt' }],
  ['read_file', { file_path: 'b.ts', symbol: 'Engine/start' }],
  ['read_file', { path: 'a.tx' }],
  ['read_file', { path: '../a.txt' }],
  ['read_file', { path: 'a.txt', end_line: 'x' }],
  ['list_dir', { depth: 2 }],
  ['search_files', { pattern: 'o(n)e', format: 'json' }],
  ['edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' }],
  ['edit_file', { path: 'a.txt', old_text: 'two', new_text: 'four' }],
  ['stat_file', { path: 'a.txt' }],
  ['run_shell', { command: 'cat a.txt; exit 3' }],
  ['run_shell', { command: 'rm -rf sub' }],
  ['no_such_tool' as ToolName, {}],
  ['undo', { action: 'restore', last: 1 }],
  ['read_file', { path: 'a.txt' }],
];

/** Makes a directory and a state of its own. */
function place() {
  const [root, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(root, FILES);
  return { root, environment: { PATH: process.env['PATH'], HOME: home } };
}

/** Returns an answer without what is new at each place: ids, times, and how long it took. */
function toPlain(answer: string): unknown {
  const ids = /\bop-[\w-]+|\b[\da-f]{10}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|"duration_ms":\d+/g;
  return JSON.parse(answer.replace(ids, (id) => (id.startsWith('"') ? '"duration_ms":0' : 'id')));
}

function askProgram(): unknown[] {
  const { root, environment } = place();
  const input = CALLS.map(([tool, args]) => JSON.stringify({ tool, args })).join('\n');
  const args = [JINN, '--meta', '--dangerous=ask', '--sandbox=off'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, env: environment, input, encoding: 'utf8' });
  return stdout.trimEnd().split('\n').map(toPlain);
}

async function askLibrary(): Promise<unknown[]> {
  const jinn = createJinn({ ...place(), sandbox: 'off', toolsets: ['jinn', 'custom'] });
  onTestFinished(() => jinn.close());
  const answers: unknown[] = [];
  for (const [tool, args] of CALLS) {
    const answered = jinn.call(tool, args as never, { meta: true });
    const outcome = await answered.then((answer) => ({ ok: true as const, ...answer }), toFailure);
    answers.push(toPlain(JSON.stringify(toEnvelope(outcome, { wantsMeta: true }))));
  }
  return answers;
}

test('a call has the same outcome in the process of the caller and in a session of jinn', {
  tags: 'slow',
}, async () => {
  const program = askProgram();
  expect(program).toHaveLength(CALLS.length);
  expect(await askLibrary()).toEqual(program);
});

test('a model is given the same tools by both', async () => {
  const jinn = createJinn(place());
  onTestFinished(() => jinn.close());
  const { stdout } = spawnSync(process.execPath, [JINN, '--schema=mcp', '--toolset=jinn', '--dangerous=ask']);
  const tools = (await jinn.tools()).map((tool) => toSchemaFormat(tool, 'mcp', { strict: false }));
  expect(JSON.parse(JSON.stringify(tools))).toEqual(JSON.parse(String(stdout)));
});
