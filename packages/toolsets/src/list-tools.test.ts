import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listTools } from './list-tools.ts';

const list = async (args: object) => JSON.parse((await call(listTools, args)).result ?? '');

test('lists names and features, and no schema unless asked', async () => {
  expect(await list({})).toEqual({
    jinn_version: '0.0.0-test',
    tools: ['list_tools'],
    features: { list_tools: ['read', 'include_schema'] },
  });
});

test('with include_schema stays one document, with compact OpenAI schemas', async () => {
  const { schema } = await list({ include_schema: true });
  const parameters = {
    type: 'object',
    properties: { include_schema: { type: 'boolean', default: false } },
    additionalProperties: false,
  };
  expect(schema).toEqual([
    { type: 'function', function: { name: 'list_tools', description: listTools.description, parameters } },
  ]);
});
