import { createRegistry, createSession, createSpill, createUserFiles, openWorkspace, type Toolset } from '@jinn/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseToolsets, TOOLSET_NAMES } from './index.ts';

type ToolEntry = Toolset['tools'][number];
type Schema = Awaited<ReturnType<NonNullable<ToolEntry['schema']>>>;

const entries = chooseToolsets(TOOLSET_NAMES).flatMap(({ tools }) => tools);
const descriptions = await makeRegistry(entries).describe();

/** A registry whose tools answer with the arguments that they would run with. */
function makeRegistry(tools: readonly ToolEntry[]) {
  return createRegistry({
    toolsets: [{ name: 'test', tools }],
    version: '0.0.0',
    policy: () => undefined,
    onInternalError: (error) => console.error(error),
  });
}

const echoing = (entry: ToolEntry) => async () => ({
  ...(await entry.load()),
  run: (args: object) => ({ data: args }),
});
const byZod = makeRegistry(entries.map((entry) => ({ name: entry.name, load: echoing(entry) })));
const bySchema = makeRegistry(entries.map((entry) => ({ ...entry, load: echoing(entry) })));

const host = {
  workspace: openWorkspace({ root: import.meta.dirname }),
  session: createSession(),
  spill: createSpill(undefined),
  lockDirectory: undefined,
  environment: {},
  openHistory: async () => undefined,
  openMemory: () => Promise.reject(new Error('no tool runs here')),
  user: createUserFiles({ home: undefined, state: undefined, closed: [] }),
  log: () => {},
  sandboxPolicy: async () =>
    ({ mode: 'off', network: true, home: undefined, state: [], writable: [], hidden: [] }) as const,
};

/** Values that a schema takes, and now and then others. */
function argumentsFor(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: valid(schema) }, { weight: 1, arbitrary: fc.jsonValue() });
}

function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return fc.string();
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: -2, max: 12 }), fc.maxSafeInteger(), fc.double());
    case 'number':
      return fc.double();
    case 'array':
      return fc.array(argumentsFor(schema.items ?? {}), { maxLength: 25 });
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const members = Object.entries(properties).map(([key, member]) => [key, argumentsFor(member)]);
      const known = fc.record(Object.fromEntries(members), { requiredKeys: required as never[] });
      const given = fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: fc.object() });
      return schema.properties ? given : fc.dictionary(fc.string(), fc.string());
    }
    default:
      return fc.jsonValue();
  }
}

test.for(descriptions)(
  '$name takes the same arguments with its schema at hand as without',
  async ({ name, schema }) => {
    const sameAnswer = async (args: unknown) => {
      const request = { tool: name, args };
      expect(await bySchema.call(request, host)).toEqual(await byZod.call(request, host));
    };
    await fc.assert(fc.asyncProperty(argumentsFor(schema), sameAnswer), { numRuns: 300 });
  },
);

test.for(descriptions)('$name describes itself', async ({ name, description, schema, examples }) => {
  expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(description).toMatch(/^[A-Z].{20,}\.$/);
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  for (const argument of Object.values(schema.properties ?? {})) expect(argument.description).toMatch(/^[A-Z]/);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    const args = JSON.parse(JSON.stringify(example).replaceAll('/path/to/project', host.workspace.root));
    if (args.targets) args.targets = ['schemas'];
    expect(await bySchema.call({ tool: name, args }, host)).toMatchObject({ ok: true });
  }
});

test.for(entries)('$name is listed under its own name, with the schema that was made from it', async (entry) => {
  const tool = await entry.load();
  const [made] = await makeRegistry([{ name: entry.name, load: entry.load }]).describe();
  expect(tool.name).toBe(entry.name);
  expect(await entry.schema?.()).toEqual(made?.schema);
});
