import fs from 'node:fs';
import { toEnvelope } from '@jinn/core';
import { makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type EngineOptions, FIXED_TOOLSETS, openEngine } from './index.ts';

const JINN = { toolsets: ['jinn'], excludeTools: [], readOnly: false };

/** Opens the tools on a directory with a file. */
function scene(options: Partial<EngineOptions> = {}) {
  const root = makeTempDirectory();
  makeTree(root, { 'a.txt': 'one\n' });
  const logged: string[] = [];
  const machine = openTestMachine({ root, log: (line) => logged.push(line) });
  const engine = openEngine(machine, { version: '1', served: JINN, ...options });
  onTestFinished(() => engine.close());
  return { root, engine, logged, machine };
}

const READ = { tool: 'read_file', args: { path: 'a.txt' } };
const REMOVE = { tool: 'run_shell', args: { command: 'rm -rf a.txt' } };

test('a call has the session, and what is its own', async () => {
  const { root, engine } = scene({ dangerous: 'ask' });
  expect(await engine.call(READ)).toMatchObject({ ok: true, text: expect.stringContaining('one') });
  fs.writeFileSync(`${root}/a.txt`, 'changed\n');
  const edit = { tool: 'edit_file', args: { path: 'a.txt', old_text: 'changed', new_text: 'x' } };
  expect(toEnvelope(await engine.call(edit))).toMatchObject({ error_code: 'stale_file' });
  expect(toEnvelope(await engine.call(REMOVE))).toMatchObject({ error_code: 'command_blocked' });
  expect(await engine.call(REMOVE, { ask: async () => 'once' })).toMatchObject({ ok: true });
});

test('a model gets texts, also of what fails', async () => {
  const { engine } = scene();
  expect(await engine.callForModel(READ)).toMatchObject({ ok: true, content: [{ type: 'text' }] });
  expect(await engine.callForModel({ tool: 'reed_file' })).toEqual({
    ok: false,
    content: [{ type: 'text', text: expect.stringContaining('unknown_tool') }],
  });
});

test('the question of a call is told as to a caller who can be asked', async () => {
  const { root, engine } = scene({ dangerous: 'ask' });
  expect(await engine.question(REMOVE)).toMatchObject({ message: expect.stringContaining('rm -rf a.txt') });
  expect(fs.existsSync(`${root}/a.txt`)).toBe(true);
});

test.each([
  [undefined, true],
  ['ask', false],
] as const)('where dangerous is %s, the schema of a command has force: %s', async (dangerous, isShown) => {
  const { engine } = scene({ dangerous });
  const shell = (await engine.describe()).find(({ name }) => name === 'run_shell');
  expect(Object.hasOwn(shell?.schema.properties ?? {}, 'force')).toBe(isShown);
});

test('what cannot be chosen fails when it is waited for, and at each call', async () => {
  const { engine } = scene({ served: { ...JINN, toolsets: ['jin'] } });
  await expect(engine.ready).rejects.toMatchObject({ code: 'invalid_request' });
  expect(toEnvelope(await engine.call(READ))).toMatchObject({ error_code: 'invalid_request' });
  expect(await engine.callForModel(READ)).toMatchObject({ ok: false });
});

test('a closed engine refuses calls, and the machine stays open', async () => {
  const { engine, machine } = scene();
  await engine.close();
  expect(toEnvelope(await engine.call(READ))).toMatchObject({ error_code: 'canceled' });
  const next = openEngine(machine, { version: '1', served: JINN });
  onTestFinished(() => next.close());
  expect(await next.call(READ)).toMatchObject({ ok: true });
});

test('the list of tools names the effect that each tool has', async () => {
  for (const { tools } of FIXED_TOOLSETS) {
    for (const entry of tools) expect([entry.name, entry.effect]).toEqual([entry.name, (await entry.load()).effect]);
  }
});
