import { openTestMachine } from '@jinn/testkit';
import { createRegistry, createSession, type JsonSchema, type Tool, type ToolEntry } from '@jinn/tool';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { FIXED_TOOLSETS } from './index.ts';

type Schema = JsonSchema;

const toolsets = await Promise.all(
  FIXED_TOOLSETS.map(async ({ name: toolset, tools: entries }) => {
    const tools = entries.map((entry) => ({ name: entry.name, load: entry.load, define: entry.loadDefinition }));
    const registry = await makeRegistry(tools);
    return { toolset, tools, descriptions: await registry.describe() };
  }),
);

function makeRegistry(entries: readonly ToolEntry[]) {
  return createRegistry({
    toolsets: [{ name: 'test', tools: entries }],
    version: '0.0.0',
    onInternalError: (error) => console.error(error),
  });
}

/** A tool that answers with the arguments that it would run with. */
const echoing =
  ({ load }: Pick<ToolEntry, 'load'>) =>
  async (): Promise<Tool> => {
    const { prepare: _, run: __, ...tool } = await load();
    return { ...tool, run: (args: object) => ({ data: args }) };
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

describe.for(toolsets)('toolset $toolset', ({ tools, descriptions }) => {
  const surroundings = () => ({ ...openTestMachine({ root: import.meta.dirname }), session: createSession() });
  const byZod = () => makeRegistry(tools.map(({ name, define }) => ({ name, load: echoing({ load: define }) })));
  const bySchema = () => makeRegistry(tools.map(({ name, load }) => ({ name, load: echoing({ load }) })));

  test.for(descriptions)('$name takes the same arguments with its schema as with zod', async ({ name, schema }) => {
    const [zod, generated, at] = [await byZod(), await bySchema(), surroundings()];
    const sameAnswer = async (args: unknown) => {
      const request = { tool: name, args };
      expect(await generated.call(request, at)).toEqual(await zod.call(request, at));
    };
    await fc.assert(fc.asyncProperty(argumentsFor(schema), sameAnswer), { numRuns: 300 / inject('runsDivisor') });
  });

  test.for(descriptions)('$name describes itself', async ({ name, description, schema, examples }) => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description).toMatch(/^[A-Z].{20,}\.$/);
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const argument of Object.values(schema.properties ?? {})) expect(argument.description).toMatch(/^[A-Z]/);
    expect(examples.length).toBeGreaterThan(0);
    const registry = await bySchema();
    const at = surroundings();
    for (const example of examples) {
      const args = JSON.parse(JSON.stringify(example).replaceAll('/path/to/project', at.workspace.root));
      if (args.targets) args.targets = ['schemas'];
      expect(await registry.call({ tool: name, args }, at)).toMatchObject({ ok: true });
    }
  });

  test.for(tools)(
    '$name is listed by its own name, with the schema generated from it',
    async ({ name, load, define }) => {
      const tool = await define();
      expect(tool.name).toBe(name);
      expect(await (await load()).input.schema()).toEqual(await tool.input.schema());
    },
  );
});
