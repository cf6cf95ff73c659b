import { openTestMachine } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { ToolError } from '../errors/index.ts';
import { defineTool } from './define-tool.ts';
import { toEnvelope } from './program-output.ts';
import {
  createCheckpoint,
  createRegistry,
  createSession,
  describeTools,
  type RegistryOptions,
  type Request,
  type Surroundings,
} from './registry.ts';
import type { ToolContext, ToolOutput } from './tool.ts';
import type { ToolEntry } from './toolset.ts';

type Run = (args: { text?: string | undefined }, ctx: ToolContext) => ToolOutput | Promise<ToolOutput>;

const makeTool = (name: string, run: Run) =>
  defineTool({
    name,
    effect: 'write',
    description: 'Does what the test needs.',
    input: (z) => z.strictObject({ text: z.optional(z.string()), count: z.optional(z.int().check(z.maximum(3))) }),
    examples: [{ text: 'x' }],
    run,
  });

const entryOf = (name: string, run: Run): ToolEntry => ({
  name,
  effect: 'write',
  load: async () => makeTool(name, run),
});

function makeSurroundings(more: Partial<Surroundings> = {}): Surroundings {
  return { ...openTestMachine({ environment: {} }), session: createSession(), ...more };
}

/** Each outcome has it, for whoever records calls. */
const picture = expect.anything();

async function makeRegistry(tools: ToolEntry[], onInternalError = vi.fn()) {
  const registry = await createRegistry({
    toolsets: [{ name: 'one', tools }],
    version: '1.2.3',
    onInternalError,
  });
  return {
    ...registry,
    /** Answers as `jinn` prints it. */
    answer: async (request: Request, at = makeSurroundings()) => toEnvelope(await registry.call(request, at)),
  };
}

const echo = entryOf('echo', ({ text }) => ({ text: text ?? 'nothing' }));

test('answers with what the tool gives', async () => {
  const registry = await makeRegistry([
    echo,
    entryOf('data', () => ({ data: { a: 1 }, truncated: true, totalCount: 7, meta: { v: 'x' } })),
    entryOf('image', () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'AA==' }] })),
    entryOf('silent', () => ({})),
  ]);
  const at = makeSurroundings();
  expect(await registry.call({ tool: 'echo', args: { text: 'hi' } }, at)).toEqual({ ok: true, text: 'hi', picture });
  expect(await registry.call({ tool: 'data' }, at)).toEqual({
    ok: true,
    text: '{"a":1}',
    data: { a: 1 },
    truncated: true,
    totalCount: 7,
    meta: { v: 'x' },
    picture,
  });
  const image = { type: 'image', mimeType: 'image/png', data: 'AA==' };
  expect(await registry.call({ tool: 'image' }, at)).toEqual({ ok: true, content: [image], picture });
  expect(await registry.call({ tool: 'silent' }, at)).toEqual({ ok: true, text: '', picture });
});

test.each([
  [{ tool: 'ehco' }, 'unknown_tool', 'unknown tool: ehco', 'did you mean echo?'],
  [{ tool: 'x'.repeat(500) }, 'unknown_tool', `unknown tool: ${'x'.repeat(100)}`, 'the tools are echo'],
  [{ tool: 'echo', args: { txet: 1 } }, 'invalid_args', 'echo: unknown argument "txet"', 'did you mean "text"?'],
  [
    { tool: 'echo', args: { text: 5 } },
    'invalid_args',
    'echo: text: ',
    'a valid call: {"tool":"echo","args":{"text":"x"}}',
  ],
  [{ tool: 'echo', args: { count: 4 } }, 'invalid_args', 'echo: count: ', 'a valid call'],
  [{ tool: 'echo', args: [] }, 'invalid_args', 'echo: args: ', 'a valid call'],
])('refuses %j', async (request, error_code, message, suggestion) => {
  const run = vi.fn<Run>(() => ({}));
  const answer = await (await makeRegistry([entryOf('echo', run)])).answer(request);
  expect(answer).toMatchObject({ ok: false, error_code, suggestion: expect.stringContaining(suggestion) });
  expect(answer.error).toContain(message);
  expect(answer.error?.length).toBeLessThan(300);
  expect(run).not.toHaveBeenCalled();
});

test('tells the agent nothing of what went wrong inside, and the log everything', async () => {
  const onInternalError = vi.fn();
  const failing = entryOf('echo', () => {
    throw new Error('password: hunter2');
  });
  const answer = await (await makeRegistry([failing], onInternalError)).answer({ tool: 'echo' });
  expect(answer).toEqual({
    ok: false,
    error: 'the tool failed inside (the log of jinn has the details)',
    error_code: 'internal',
  });
  expect(onInternalError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'password: hunter2' }));
});

test('logs what a refusal that is a fault inside was caused by', async () => {
  const onInternalError = vi.fn();
  const cause = new Error('EIO');
  const failing = entryOf('echo', () => {
    throw new ToolError('internal', 'could not open a', { cause });
  });
  const answer = await (await makeRegistry([failing], onInternalError)).answer({ tool: 'echo' });
  expect(answer).toEqual({ ok: false, error: 'could not open a', error_code: 'internal' });
  expect(onInternalError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause }));
});

test('logs no refusal', async () => {
  const onInternalError = vi.fn();
  const refusing = entryOf('echo', () => {
    throw new ToolError('file_not_found', 'no');
  });
  await (await makeRegistry([refusing], onInternalError)).answer({ tool: 'echo' });
  expect(onInternalError).not.toHaveBeenCalled();
});

test('bounds every result', async () => {
  const large = entryOf('echo', () => ({ text: 'é'.repeat(8 * 1024 * 1024 + 1) }));
  expect(await (await makeRegistry([large])).answer({ tool: 'echo' })).toMatchObject({
    ok: false,
    error_code: 'resource_limit',
  });
  const fits = entryOf('echo', () => ({ text: 'é'.repeat(8 * 1024 * 1024) }));
  expect(await (await makeRegistry([fits])).answer({ tool: 'echo' })).toMatchObject({ ok: true });
});

test('lets a call be canceled at its checkpoints', async () => {
  const abort = new AbortController();
  const endless = entryOf('echo', async (_, { checkpoint }) => {
    for (;;) await checkpoint();
  });
  setTimeout(() => abort.abort(), 30);
  const registry = await makeRegistry([endless]);
  const answer = await registry.answer({ tool: 'echo' }, makeSurroundings({ signal: abort.signal }));
  expect(answer).toMatchObject({ ok: false, error_code: 'canceled' });
});

test('describes the tools', async () => {
  const [first] = await describeTools(await makeRegistry([echo]));
  expect(first).toMatchObject({
    name: 'echo',
    effect: 'write',
    examples: [{ text: 'x' }],
    schema: { type: 'object', additionalProperties: false },
  });
  expect(first?.schema.properties?.['count']).toEqual({ type: 'integer', maximum: 3 });
});

test('carries what a tool says of a command, also when it fails', async () => {
  const details = { risk: 'dangerous', classification: 'error', meta: { part: 'rm x' } } as const;
  const registry = await makeRegistry([
    entryOf('runs', async () => ({ text: '', risk: 'safe', classification: 'success' })),
    entryOf('refuses', async () => {
      throw new ToolError('command_blocked', 'no', { details });
    }),
  ]);
  expect(await registry.answer({ tool: 'runs' })).toEqual({
    ok: true,
    result: '',
    risk: 'safe',
    classification: 'success',
  });
  expect(await registry.answer({ tool: 'refuses' })).toEqual({
    ok: false,
    error: 'no',
    error_code: 'command_blocked',
    ...details,
  });
});

test.each(['overrides', 'forPrograms'] as const)('leaves out the arguments of %s, if it hides them', async (list) => {
  const tool = { ...makeTool('change', () => ({ text: '' })), [list]: ['count'] };
  const toolsets = [{ name: 'one', tools: [{ name: 'change', effect: tool.effect, load: async () => tool }] }];
  const argumentsWith = async (hides: RegistryOptions['hides']) => {
    const registry = await createRegistry({ toolsets, version: '1', ...(hides && { hides }), onInternalError() {} });
    const described = [await (await registry.find('change'))?.schema(), (await describeTools(registry))[0]?.schema];
    return described.map((schema) => Object.keys(schema?.properties ?? {}));
  };
  const other = list === 'overrides' ? 'forPrograms' : 'overrides';
  expect(await argumentsWith([other, list])).toEqual([['text'], ['text']]);
  const all = ['text', 'count'];
  expect(await argumentsWith([other])).toEqual([all, all]);
  expect(await argumentsWith(undefined)).toEqual([all, all]);
});

test('serves no more than it is told to: the rest is not listed, found, called or suggested', async () => {
  const tools = [
    echo,
    {
      name: 'reader',
      effect: 'read' as const,
      load: async () => ({ ...(await echo.load()), name: 'reader', effect: 'read' as const }),
    },
  ];
  const registry = await createRegistry({
    toolsets: [{ name: 'one', tools }],
    version: '1.2.3',
    serves: ({ effect }) => effect === 'read',
    onInternalError: vi.fn(),
  });
  expect((await describeTools(registry)).map(({ name }) => name)).toEqual(['reader']);
  expect([await registry.find('echo'), (await registry.find('reader'))?.name]).toEqual([undefined, 'reader']);
  for (const tool of ['echo', 'ecoh']) {
    const answer = toEnvelope(await registry.call({ tool }, makeSurroundings()));
    expect(answer).toMatchObject({ error_code: 'unknown_tool', error: `unknown tool: ${tool}` });
    expect(answer.suggestion).not.toContain('mean');
  }
});

test('hands a tool the progress, the environment and the settings around it, and nothing where there is none', async () => {
  const told: unknown[] = [];
  const registry = await makeRegistry([
    entryOf('asks', async (_, ctx) => {
      ctx.progress('half', 1, 2);
      return { text: `${ctx.environment['A']} ${(await ctx.sandboxPolicy()).mode} ${ctx.client}` };
    }),
  ]);
  expect((await registry.answer({ tool: 'asks' })).result).toBe('undefined off undefined');
  const at = makeSurroundings({
    environment: { A: 'b' },
    client: 'host',
    progress: (...report) => void told.push(report),
  });
  expect((await registry.answer({ tool: 'asks' }, at)).result).toBe('b off host');
  expect((await registry.answer({ tool: 'asks', client: 'own' }, at)).result).toBe('b off own');
  expect(told).toEqual([
    ['half', 1, 2],
    ['half', 1, 2],
  ]);
});

test('reads how commands are confined once a session: what one has done to the settings counts for no later one', async () => {
  const registry = await makeRegistry([
    entryOf('asks', async (_, ctx) => ({ text: (await ctx.sandboxPolicy()).mode })),
  ]);
  const before = openTestMachine();
  let mode: 'require' | 'off' = 'require';
  const machine = { ...before, sandboxPolicy: async () => ({ ...(await before.sandboxPolicy()), mode }) };
  const at = { ...machine, session: createSession() };
  expect((await registry.answer({ tool: 'asks' }, at)).result).toBe('require');
  mode = 'off';
  expect((await registry.answer({ tool: 'asks' }, at)).result).toBe('require');
  expect((await registry.answer({ tool: 'asks' }, { ...machine, session: createSession() })).result).toBe('off');
});

test('gives every caller the visualization that a tool has anyway', async () => {
  const visualization = { type: 'none' as const };
  const registry = await makeRegistry([entryOf('prints', () => ({ text: 'x', visualization }))]);
  expect(await registry.call({ tool: 'prints' }, makeSurroundings())).toEqual({
    ok: true,
    text: 'x',
    visualization,
    picture,
  });
});

test('answers a call that is done although its visualization cannot be made', async () => {
  const failure = new Error('no picture');
  const visualize = () => Promise.reject(failure);
  const onInternalError = vi.fn();
  const registry = await makeRegistry([entryOf('fails', () => ({ text: 'x', visualize }))], onInternalError);
  const outcome = await registry.call({ tool: 'fails' }, makeSurroundings({ showsVisualizations: true }));
  expect(outcome).toEqual({ ok: true, text: 'x', picture });
  expect(onInternalError).toHaveBeenCalledWith(failure);
});

test('makes a visualization only for a caller that shows it', async () => {
  const visualize = vi.fn(() => ({ type: 'markdown' as const, content: '*x*' }));
  const registry = await makeRegistry([entryOf('shows', () => ({ text: 'x', visualize }))]);
  expect(await registry.call({ tool: 'shows' }, makeSurroundings())).toEqual({ ok: true, text: 'x', picture });
  expect(visualize).not.toHaveBeenCalled();
  const shown = await registry.call({ tool: 'shows' }, makeSurroundings({ showsVisualizations: true }));
  expect(shown).toEqual({ ok: true, text: 'x', visualization: { type: 'markdown', content: '*x*' }, picture });
  expect(toEnvelope(shown)).toEqual({ ok: true, result: 'x', visualization: { type: 'markdown', content: '*x*' } });
});

test('prints warnings with what else a program may want', async () => {
  const registry = await makeRegistry([entryOf('warns', () => ({ warnings: ['odd'], meta: { a: 1 } }))]);
  expect(await registry.answer({ tool: 'warns' })).toEqual({
    ok: true,
    result: '',
    meta: { a: 1, warnings: ['odd'] },
  });
});

async function runFor(ms: number, checkpoint: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) await checkpoint();
}

test('lets others run now and then', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const checkpoint = createCheckpoint(60_000, undefined);
  for (const end = Date.now() + 30_000; turns < 2 && Date.now() < end; ) await checkpoint();
  clearInterval(timer);
  expect(turns).toBe(2);
});

test('ends what runs past its limit, with a next step', async () => {
  const error = await runFor(5_000, createCheckpoint(40, undefined)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'timeout', suggestion: expect.any(String) });
});
