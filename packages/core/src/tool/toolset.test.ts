import { openTestMachine, toolsetOf } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { defineTool } from './define-tool.ts';
import { createRegistry, createSession } from './registry.ts';
import type { Tool } from './tool.ts';
import type { LiveToolset, Toolset } from './toolset.ts';

const make = (name: string): Tool =>
  defineTool({
    name,
    effect: 'read',
    description: 'Answers with its name.',
    input: (z) => z.strictObject({}),
    examples: [{}],
    run: () => ({ text: name }),
  });

/** A toolset whose tools the test changes, and that counts how often it is asked. */
function makeLive(names: string[]) {
  const look = vi.fn(async () => ({
    tools: names.map((name) => ({ name, effect: 'read' as const, load: async () => make(name) })),
    leftOut: [{ names: ['broken'], reason: 'live: broken/tool.md has no name' }],
  }));
  const listeners = new Set<() => void>();
  const toolset: LiveToolset = {
    name: 'live',
    look,
    watch: (onChange) => {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  };
  return { toolset, names, look, listeners };
}

const registryOf = (...toolsets: Toolset[]) =>
  createRegistry({ toolsets, version: '1', onInternalError: (error) => console.error(error) });

const at = () => ({ ...openTestMachine(), session: createSession() });

test('refuses to start with two fixed tools of one name', async () => {
  await expect(registryOf(toolsetOf('one', [make('same')]), toolsetOf('two', [make('same')]))).rejects.toThrow(
    'the toolsets one and two both have a tool named same',
  );
});

test('asks a live toolset only when tools are listed or no fixed one has the name', async () => {
  const { toolset, look } = makeLive(['own']);
  const registry = await registryOf(toolsetOf('fixed', [make('known')]), toolset);
  expect(await registry.call({ tool: 'known' }, at())).toMatchObject({ text: 'known' });
  expect(look).not.toHaveBeenCalled();
  expect(await registry.call({ tool: 'own' }, at())).toMatchObject({ text: 'own' });
  expect(look).toHaveBeenCalledOnce();
  await registry.list();
  expect(look).toHaveBeenCalledTimes(2);
});

test('follows the changes of a live toolset, and tells of them', async () => {
  const { toolset, names, listeners } = makeLive(['first']);
  const registry = await registryOf(toolsetOf('fixed', [make('known')]), toolset);
  const listed = async () => (await registry.list()).tools.map(({ name }) => name);
  const onChange = vi.fn();
  const end = registry.watch(onChange);
  expect(await listed()).toEqual(['known', 'first']);
  names.splice(0, 1, 'second');
  for (const listener of listeners) listener();
  expect(onChange).toHaveBeenCalledOnce();
  expect(await listed()).toEqual(['known', 'second']);
  expect(await registry.call({ tool: 'first' }, at())).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  end();
  expect(listeners.size).toBe(0);
});

test('leaves out a live tool whose name is taken, and says so', async () => {
  const { toolset } = makeLive(['known', 'own']);
  const registry = await registryOf(toolsetOf('fixed', [make('known')]), toolset, { ...toolset, name: 'second' });
  expect((await registry.list()).tools.map(({ name }) => name)).toEqual(['known', 'own']);
  expect((await registry.list()).leftOut.map(({ reason }) => reason)).toEqual([
    'live: broken/tool.md has no name',
    'live: the tool known is skipped: fixed has one of that name',
    'live: broken/tool.md has no name',
    'second: the tool known is skipped: fixed has one of that name',
    'second: the tool own is skipped: live has one of that name',
  ]);
});

test('an unknown tool is refused with why a live toolset left it out', async () => {
  const { toolset } = makeLive(['own']);
  const registry = await registryOf(toolset);
  expect(await registry.call({ tool: 'broken' }, at())).toMatchObject({
    error: { code: 'unknown_tool', message: 'the tool broken cannot be used: live: broken/tool.md has no name' },
  });
  expect(await registry.call({ tool: 'brokn' }, at())).toMatchObject({ error: { message: 'unknown tool: brokn' } });
});

test('a clash names where the tool of the live toolset comes from', async () => {
  const { toolset } = makeLive([]);
  const tools = [{ name: 'known', effect: 'read' as const, from: 'tools/a', load: async () => make('known') }];
  const look = async () => ({ tools, leftOut: [] });
  const registry = await registryOf(toolsetOf('fixed', [make('known')]), { ...toolset, look });
  expect((await registry.list()).leftOut.map(({ reason }) => reason)).toContain(
    'live: the tool known of tools/a is skipped: fixed has one of that name',
  );
});

test('lists, finds and suggests a tool without loading one', async () => {
  const load = vi.fn(async () => make('known'));
  const loadSchema = async () => ({ type: 'object', properties: { path: { type: 'string' } } });
  const registry = await registryOf({ name: 'one', tools: [{ name: 'known', effect: 'read', loadSchema, load }] });
  const [known] = (await registry.list()).tools;
  expect(known).toMatchObject({ name: 'known', effect: 'read', toolset: 'one' });
  expect(await known?.schema()).toEqual(await loadSchema());
  expect(await registry.find('known')).toMatchObject({ name: 'known' });
  expect(await registry.call({ tool: 'knwon' }, at())).toMatchObject({ error: { suggestion: 'did you mean known?' } });
  expect(load).not.toHaveBeenCalled();
  expect(await known?.describe()).toMatchObject({ name: 'known', description: 'Answers with its name.' });
});
