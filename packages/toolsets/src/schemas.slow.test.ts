import { createSession, type JsonSchema, toEnvelope } from '@jinn/core';
import { openTestMachine } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { echoing, TOOLSETS } from './fixture/echoing-tools.ts';

/** Values that a schema takes, and now and then others. */
function argumentsFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: valid(schema) }, { weight: 1, arbitrary: fc.jsonValue() });
}

function valid(schema: JsonSchema): fc.Arbitrary<unknown> {
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

describe.for(TOOLSETS)('toolset $toolset', ({ tools, descriptions }) => {
  const surroundings = () => ({ ...openTestMachine({ root: import.meta.dirname }), session: createSession() });
  const byZod = () => echoing(tools.map(({ name, effect, define }) => ({ name, effect, load: define })));

  test.for(descriptions)('$name takes the same arguments with its schema as with zod', async ({ name, schema }) => {
    const [zod, generated, at] = [await byZod(), await echoing(tools), surroundings()];
    const sameAnswer = async (args: unknown) => {
      const request = { tool: name, args };
      const [left, right] = [await generated.call(request, at), await zod.call(request, at)];
      expect(toEnvelope(left)).toEqual(toEnvelope(right));
    };
    await fc.assert(fc.asyncProperty(argumentsFor(schema), sameAnswer), { numRuns: 300 / inject('runsDivisor') });
  });
});
