import { expect, test } from 'vitest';
import { ToolError } from '../../errors/index.ts';
import { defineTool } from '../define-tool.ts';

const tool = defineTool({
  name: 'take',
  effect: 'read',
  description: 'Takes arguments of each kind.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1)),
      start_line: z.optional(z.int().check(z.minimum(1), z.maximum(9))),
      mode: z._default(z.enum(['head', 'tail']), 'head'),
      raw: z.optional(z.boolean()),
      kind: z.optional(z.strictObject({ of: z.enum(['a', 'b']) })),
      wait: z.optional(z.union([z.string(), z.int()])),
      names: z.optional(z.union([z.string().check(z.minLength(1)), z.array(z.string())])),
      files: z.optional(
        z
          .array(z.strictObject({ path: z.string(), end_line: z.optional(z.int()) }))
          .check(z.minLength(1), z.maxLength(2)),
      ),
    }),
  examples: [{ path: 'a.txt' }],
  run: () => ({}),
});

async function refusal(args: unknown): Promise<ToolError> {
  try {
    await tool.input.parse(args);
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error('accepted');
}

test('names a missing argument that may be of several types, and does not show a number that it cannot hold', async () => {
  const either = defineTool({
    name: 'either',
    effect: 'read',
    description: 'Takes one of two.',
    input: (z) => z.strictObject({ files: z.union([z.string(), z.array(z.string())]), line: z.optional(z.int()) }),
    examples: [{ files: 'a' }],
    run: () => ({}),
  });
  const messageOf = (args: object) => Promise.resolve(either.input.parse(args)).catch(({ message }: Error) => message);
  expect(await messageOf({})).toBe('either: missing required argument files');
  expect(await messageOf({ files: undefined })).toBe('either: missing required argument files');
  const large = (await messageOf({ files: 'a', line: 2 ** 60 })) as string;
  expect(large).toMatch(/^either: line: Too big/);
  expect(large).not.toContain('given');
  expect(await messageOf(JSON.parse('{"files":"a","line":1e400}'))).toMatch(/^either: line: /);
});

const EXAMPLE = { tool: 'take', args: { path: 'a.txt' } };

test('fills in defaults', async () => {
  expect(await tool.input.parse({ path: 'a', files: [{ path: 'b' }] })).toEqual({
    path: 'a',
    mode: 'head',
    files: [{ path: 'b' }],
  });
});

test.each([
  [{}, 'take: missing required argument path'],
  [{ path: 'a', files: [{}] }, 'take: missing required argument files[0].path'],
  [{ path: 'a', files: [{ path: 'b' }, { path: 1 }] }, /^take: files\[1\]\.path: .*expected string/],
  [{ path: 1 }, /^take: path: .*expected string/],
  [{ path: null }, /^take: path: .*expected string/],
  [{ path: '' }, /^take: path: Too small/],
  [{ path: 'a', start_line: 'one' }, /^take: start_line: /],
  [{ path: 'a', start_line: 1.5 }, /^take: start_line: /],
  [{ path: 'a', start_line: 0 }, /^take: start_line: Too small.* \(given: 0\)$/],
  [{ path: 'a', start_line: 10 }, /^take: start_line: Too big/],
  [{ path: 'a', raw: 'yes' }, /^take: raw: /],
  [{ path: 'a', mode: 'middle' }, /^take: mode: .*"head"\|"tail" \(given: "middle"\)$/],
  [{ path: 'a', kind: {} }, 'take: missing required argument kind.of: one of a, b'],
  [{ path: 'a', wait: true }, 'take: wait: Invalid input: expected string or number (given: true)'],
  [{ path: 'a', names: '' }, /^take: names: Too small/],
  [{ path: 'a', names: ['x', 5] }, /^take: names\[1\]: .*expected string/],
  [{ path: 'a', names: 5 }, 'take: names: Invalid input: expected string or array (given: 5)'],
  [{ path: 'a', wait: 1.5 }, 'take: wait: Invalid input: expected string or int (given: 1.5)'],
  [{ path: 'a', files: [] }, /^take: files: Too small/],
  [{ path: 'a', files: [{ path: 'b' }, { path: 'b' }, { path: 'b' }] }, /^take: files: Too big/],
  [{ path: 'a', files: { path: 'b' } }, /^take: files: .*expected array/],
  ['a', /^take: args: .*expected object/],
  [[], /^take: args: .*expected object/],
  [null, /^take: args: .*expected object/],
])('refuses %j by name, with a call that works', async (args, message) => {
  const error = await refusal(args);
  expect(error.code).toBe('invalid_args');
  if (typeof message === 'string') expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
  expect(error.example).toEqual(EXAMPLE);
});

test('names each fault', async () => {
  const { message } = await refusal({ start_line: 0, extra: 1 });
  expect(message).toContain('missing required argument path; start_line: ');
  expect(message).toContain('; unknown argument "extra"');
});

test.each([
  ['paht', 'path'],
  ['startline', 'start_line'],
  ['view_range', 'start_line'],
])('names the argument that %s stands for', async (unknown, meant) => {
  const error = await refusal({ path: 'a', [unknown]: 1 });
  expect(error.message).toBe(`take: unknown argument "${unknown}"`);
  expect(error.suggestion).toBe(`did you mean "${meant}"?`);
});

test('repeats the call with the argument that is probably meant, if it is right then', async () => {
  const exampleFor = async (args: object) => (await refusal(args)).example?.args;
  expect(await exampleFor({ paht: 'b' })).toEqual({ path: 'b' });
  expect(await exampleFor({ path: 'b', startline: 2 })).toEqual({ path: 'b', start_line: 2 });
  expect(await exampleFor({ path: 'b', startline: 'two' })).toEqual({ path: 'b' });
  expect(await exampleFor({ path: 'b', paht: 'c' })).toEqual({ path: 'b' });
});

test('shows an example rather than a call without arguments', async () => {
  const either = defineTool({
    name: 'either',
    effect: 'read',
    description: 'Takes one of two, which its schema does not say.',
    input: (z) => z.strictObject({ pattern: z.optional(z.string()), other: z.optional(z.string()) }),
    examples: [{ pattern: 'x' }],
    run: () => ({}),
  });
  const error = await Promise.resolve(either.input.parse({ verbose: true })).catch((refused) => refused);
  expect(error.example).toEqual({ tool: 'either', args: { pattern: 'x' } });
});

test('repeats the call without an argument that is like none, if it is right then', async () => {
  const { suggestion, example } = await refusal({ path: 'a', verbose: true });
  expect([suggestion, example]).toEqual([undefined, { ...EXAMPLE, args: { path: 'a' } }]);
  expect((await refusal({ path: 1, verbose: true })).example).toEqual(EXAMPLE);
  expect((await refusal({ path: 'a'.repeat(1_000), verbose: true })).example).toEqual(EXAMPLE);
});

test('says where an unknown argument stands, and proposes names of that place alone', async () => {
  const error = await refusal({ path: 'a', files: [{ path: 'b', start_lin: 1 }] });
  expect(error.message).toBe('take: unknown argument in files[0]: "start_lin"');
  expect(error.example).toEqual(EXAMPLE);
  const near = await refusal({ path: 'a', files: [{ path: 'b', end_lin: 1 }] });
  expect(near.suggestion).toBe('did you mean "end_line"?');
});

test.each([
  ['haed', 'head'],
  ['TAIL', 'tail'],
])('names the value that %s stands for', async (value, meant) => {
  expect((await refusal({ path: 'a', mode: value })).suggestion).toBe(`did you mean "${meant}"?`);
});

test('shows the beginning of a long value', async () => {
  const { message } = await refusal({ path: 'a', start_line: 'x'.repeat(1_000) });
  expect(message).toContain(`(given: "${'x'.repeat(60)}"…)`);
});

test('shows a piece of what is too much', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}`.repeat(300), i]));
  const { message } = await refusal({ path: 'a', ...many });
  expect(message.match(/"/g)).toHaveLength(10);
  expect(message.length).toBeLessThan(400);
});

test('completes the arguments that were sent with a choice that is missing, as in an example with the same ones', async () => {
  const undo = defineTool({
    name: 'undo',
    effect: 'read',
    description: 'Takes a choice.',
    input: (z) =>
      z.strictObject({ action: z.enum(['list', 'restore']), last: z.optional(z.int()), id: z.optional(z.string()) }),
    examples: [{ action: 'list' }, { action: 'restore', last: 2 }],
    run: () => ({}),
  });
  const exampleFor = (args: object) =>
    Promise.resolve(undo.input.parse(args)).catch(({ example }: ToolError) => example);
  expect(await exampleFor({ last: 1 })).toEqual({ tool: 'undo', args: { last: 1, action: 'restore' } });
  for (const args of [{}, { id: 'a' }, { last: 'x' }, { last: 1, action: 'x' }]) {
    expect(await exampleFor(args)).toEqual({ tool: 'undo', args: { action: 'list' } });
  }
});
