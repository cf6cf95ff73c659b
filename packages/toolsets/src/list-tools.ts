import { defineTool, type ToolDescription, type ToolOutput } from '@jinn/core';
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
    const { tools, problems } = await catalog.survey();
    return {
      data: {
        jinn_version: catalog.version,
        tools: tools.map(({ name }) => name),
        features: Object.fromEntries(tools.map((tool) => [tool.name, featuresOf(tool)])),
        ...(include_schema && { schema: tools.map((tool) => toSchemaFormat(compact(tool), 'openai')) }),
        ...(problems.length > 0 && { problems }),
      },
    };
  },
});

function featuresOf({ effect, isMarked, schema: { properties = {}, required = [] } }: ToolDescription): string[] {
  return [
    effect,
    ...(isMarked ? ['⚠ dangerous'] : []),
    ...Object.keys(properties).filter((name) => !required.includes(name)),
  ];
}
