import { defineTool, describeTools, type ListedTool, type ToolOutput } from '@jinn/core';
import { compact, toSchemaFormat } from './schema-formats.ts';

export const listTools = defineTool({
  name: 'list_tools',
  effect: 'read',
  description: 'List the tools that are served and what each can do.',
  input: (z) =>
    z.strictObject({
      include_schema: z._default(z.boolean().check(z.describe('Their compact OpenAI schemas too')), false),
    }),
  output: {
    type: 'object',
    properties: {
      jinn_version: { type: 'string' },
      tools: { type: 'array', items: { type: 'string' } },
      features: { type: 'object' },
      schema: { type: 'array' },
      problems: { type: 'array', items: { type: 'string' } },
    },
    required: ['jinn_version', 'tools', 'features'],
  },
  examples: [{}, { include_schema: true }],

  async run({ include_schema }, { catalog }): Promise<ToolOutput> {
    const { tools, leftOut } = await catalog.list();
    const features = await Promise.all(tools.map(async (tool) => [tool.name, await featuresOf(tool)]));
    const described = include_schema ? await describeTools(catalog) : [];
    return {
      data: {
        jinn_version: catalog.version,
        tools: tools.map(({ name }) => name),
        features: Object.fromEntries(features),
        ...(include_schema && { schema: described.map((tool) => toSchemaFormat(compact(tool), 'openai')) }),
        ...(leftOut.length > 0 && { problems: leftOut.map(({ reason }) => reason) }),
      },
    };
  },
});

async function featuresOf({ effect, isMarked, schema }: ListedTool): Promise<string[]> {
  const { properties = {}, required = [] } = await schema();
  return [
    effect,
    ...(isMarked ? ['⚠ dangerous'] : []),
    ...Object.keys(properties).filter((name) => !required.includes(name)),
  ];
}
