import { makeTempDirectory } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { ToolError } from './errors.ts';
import { createRegistry, type Host, type Policy, type ToolEntry } from './registry.ts';
import { createSession } from './session.ts';
import { createSpill } from './spill.ts';
import { defineTool, type ToolContext, type ToolOutput } from './tool.ts';
import { createUserFiles } from './user-files.ts';
import { openWorkspace } from './workspace.ts';

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

const entryOf = (name: string, run: Run): ToolEntry => ({ name, load: async () => makeTool(name, run) });

function makeHost(signal?: AbortSignal): Host {
  return {
    workspace: openWorkspace({ root: makeTempDirectory() }),
    session: createSession(),
    spill: createSpill(undefined),
    lockDirectory: undefined,
    environment: {},
    openHistory: async () => undefined,
    openMemory: () => Promise.reject(new Error('no tool here has a memory')),
    user: createUserFiles({ home: undefined, state: undefined, closed: [] }),
    log: () => {},
    sandboxPolicy: async () =>
      ({ mode: 'off', network: true, home: undefined, state: [], writable: [], hidden: [] }) as const,
    ...(signal && { signal }),
  };
}

function makeRegistry(tools: ToolEntry[], policy: Policy = () => undefined, onInternalError = vi.fn()) {
  return createRegistry({ toolsets: [{ name: 'one', tools }], version: '1.2.3', policy, onInternalError });
}

const echo = entryOf('echo', ({ text }) => ({ text: text ?? 'nothing' }));

test('answers with what the tool gives, and echoes the id', async () => {
  const registry = makeRegistry([
    echo,
    entryOf('data', () => ({ data: { a: 1 }, truncated: true, totalCount: 7, meta: { v: 'x' } })),
    entryOf('image', () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'AA==' }] })),
    entryOf('silent', () => ({})),
  ]);
  const host = makeHost();
  expect(await registry.call({ tool: 'echo', args: { text: 'hi' }, request_id: 0 }, host)).toEqual({
    ok: true,
    result: 'hi',
    request_id: 0,
  });
  expect(await registry.call({ tool: 'data' }, host)).toEqual({
    ok: true,
    result: '{"a":1}',
    truncated: true,
    total_count: 7,
    meta: { v: 'x' },
  });
  expect(await registry.call({ tool: 'image' }, host)).toEqual({
    ok: true,
    content: [{ type: 'image', mimeType: 'image/png', data: 'AA==' }],
  });
  expect(await registry.call({ tool: 'silent' }, host)).toEqual({ ok: true, result: '' });
});

test.each([
  [{ tool: 'ehco' }, 'unknown_tool', 'unknown tool: ehco', 'did you mean echo?'],
  [{ tool: 'x'.repeat(500) }, 'unknown_tool', `unknown tool: ${'x'.repeat(100)}`, 'call list_tools to see the names'],
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
  const answer = await makeRegistry([entryOf('echo', run)]).call(request, makeHost());
  expect(answer).toMatchObject({ ok: false, error_code, suggestion: expect.stringContaining(suggestion) });
  expect(answer.error).toContain(message);
  expect(answer.error?.length).toBeLessThan(300);
  expect(run).not.toHaveBeenCalled();
});

test('asks the policy before it runs anything, and tells it the effect', async () => {
  const run = vi.fn<Run>(() => ({}));
  const policy = vi.fn<Policy>(() => new ToolError('approval_required', 'not today'));
  const answer = await makeRegistry([entryOf('echo', run)], policy).call(
    { tool: 'echo', args: { text: 'x' } },
    makeHost(),
  );
  expect(answer).toEqual({ ok: false, error: 'not today', error_code: 'approval_required' });
  expect(policy).toHaveBeenCalledWith({ tool: 'echo', effect: 'write', args: { text: 'x' } });
  expect(run).not.toHaveBeenCalled();
});

test('tells the agent nothing of what went wrong inside, and the log everything', async () => {
  const onInternalError = vi.fn();
  const failing = entryOf('echo', () => {
    throw new Error('password: hunter2');
  });
  const answer = await makeRegistry([failing], undefined, onInternalError).call(
    { tool: 'echo', request_id: 'a' },
    makeHost(),
  );
  expect(answer).toEqual({
    ok: false,
    error: 'the tool failed inside; the log of jinn has the details',
    error_code: 'internal',
    request_id: 'a',
  });
  expect(onInternalError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'password: hunter2' }));
});

test('logs what a refusal that is a fault inside was caused by', async () => {
  const onInternalError = vi.fn();
  const cause = new Error('EIO');
  const failing = entryOf('echo', () => {
    throw new ToolError('internal', 'could not open a', { cause });
  });
  const answer = await makeRegistry([failing], undefined, onInternalError).call({ tool: 'echo' }, makeHost());
  expect(answer).toEqual({ ok: false, error: 'could not open a', error_code: 'internal' });
  expect(onInternalError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause }));
});

test('logs no refusal', async () => {
  const onInternalError = vi.fn();
  const refusing = entryOf('echo', () => {
    throw new ToolError('file_not_found', 'no');
  });
  await makeRegistry([refusing], undefined, onInternalError).call({ tool: 'echo' }, makeHost());
  expect(onInternalError).not.toHaveBeenCalled();
});

test('bounds every result', async () => {
  const large = entryOf('echo', () => ({ text: 'é'.repeat(8 * 1024 * 1024 + 1) }));
  expect(await makeRegistry([large]).call({ tool: 'echo' }, makeHost())).toMatchObject({
    ok: false,
    error_code: 'resource_limit',
  });
  const fits = entryOf('echo', () => ({ text: 'é'.repeat(8 * 1024 * 1024) }));
  expect(await makeRegistry([fits]).call({ tool: 'echo' }, makeHost())).toMatchObject({ ok: true });
});

test('lets a call be canceled at its checkpoints', async () => {
  const abort = new AbortController();
  const endless = entryOf('echo', async (_, { checkpoint }) => {
    for (;;) await checkpoint();
  });
  setTimeout(() => abort.abort(), 30);
  const answer = await makeRegistry([endless]).call({ tool: 'echo' }, makeHost(abort.signal));
  expect(answer).toMatchObject({ ok: false, error_code: 'canceled' });
});

test('refuses to start with two tools of one name', () => {
  const toolsets = [
    { name: 'one', tools: [echo] },
    { name: 'two', tools: [echo] },
  ];
  const options = { toolsets, version: '', policy: () => undefined, onInternalError: () => {} };
  expect(() => createRegistry(options)).toThrow('the toolsets one and two both have a tool named echo');
});

test('describes the tools, with a schema made from their arguments where none was made before', async () => {
  const made = { type: 'object', properties: {}, additionalProperties: false } as const;
  const [first, second] = await makeRegistry([
    echo,
    { ...entryOf('other', () => ({})), schema: async () => made },
  ]).describe();
  expect(first).toMatchObject({
    name: 'echo',
    effect: 'write',
    examples: [{ text: 'x' }],
    schema: { type: 'object', additionalProperties: false },
  });
  expect(first?.schema.properties?.['count']).toEqual({ type: 'integer', maximum: 3 });
  expect(second?.schema).toBe(made);
});

test('carries what a tool says of a command, also when it fails', async () => {
  const details = { risk: 'dangerous', classification: 'error', meta: { part: 'rm x' } } as const;
  const registry = makeRegistry([
    entryOf('runs', async () => ({ text: '', risk: 'safe', classification: 'success' })),
    entryOf('refuses', async () => {
      throw new ToolError('command_blocked', 'no', { details });
    }),
  ]);
  expect(await registry.call({ tool: 'runs' }, makeHost())).toEqual({
    ok: true,
    result: '',
    risk: 'safe',
    classification: 'success',
  });
  expect(await registry.call({ tool: 'refuses' }, makeHost())).toEqual({
    ok: false,
    error: 'no',
    error_code: 'command_blocked',
    ...details,
  });
});

test('serves no more than it is told to: the rest is not listed, found, called or suggested', async () => {
  const tools = [
    echo,
    { name: 'reader', load: async () => ({ ...(await echo.load()), name: 'reader', effect: 'read' as const }) },
  ];
  const registry = createRegistry({
    toolsets: [{ name: 'one', tools }],
    version: '1.2.3',
    policy: () => undefined,
    serves: ({ effect }) => effect === 'read',
    onInternalError: vi.fn(),
  });
  expect((await registry.describe()).map(({ name }) => name)).toEqual(['reader']);
  expect([await registry.find('echo'), (await registry.find('reader'))?.name]).toEqual([undefined, 'reader']);
  for (const tool of ['echo', 'ecoh']) {
    const answer = await registry.call({ tool }, makeHost());
    expect(answer).toMatchObject({ error_code: 'unknown_tool', error: `unknown tool: ${tool}` });
    expect(answer.suggestion).not.toContain('mean');
  }
});

test('hands a tool the questions, the progress and the log of its host, and nothing where the host has none', async () => {
  const told: unknown[] = [];
  const registry = makeRegistry([
    entryOf('asks', async (_, ctx) => {
      ctx.progress('half', 1, 2);
      return { text: `${await ctx.approve('may I?')} ${ctx.environment['A']} ${(await ctx.sandboxPolicy()).mode}` };
    }),
  ]);
  expect((await registry.call({ tool: 'asks' }, makeHost())).result).toBe('undefined undefined off');
  const host: Host = {
    ...makeHost(),
    environment: { A: 'b' },
    progress: (...report) => told.push(report),
    approve: async (question) => (question === 'may I?' ? 'declined' : 'approved'),
  };
  expect((await registry.call({ tool: 'asks' }, host)).result).toBe('declined b off');
  expect(told).toEqual([['half', 1, 2]]);
});
