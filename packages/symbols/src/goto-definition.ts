import { defineTool, type ToolOutput } from '@jinn/core';
import { namePathOf } from '@jinn/syntax';
import { knowledgeOf } from './code-knowledge.ts';
import { ContentLines } from './lines.ts';
import { readContent } from './read-source.ts';

const MOST_SHOWN = 50;

export const gotoDefinition = defineTool({
  name: 'goto_definition',
  effect: 'read',
  description: 'Find where what stands in a line is declared.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      line: z.int().check(z.minimum(1), z.describe('From 1')),
      identifier: z.optional(z.string().check(z.minLength(1), z.describe('Name in that line'))),
    }),
  output: {
    type: 'object',
    properties: { definitions: { type: 'array' }, from: { type: 'string' } },
    required: ['definitions', 'from'],
  },
  examples: [{ path: 'src/store.ts', line: 3, identifier: 'parse' }],

  async run({ path, line, identifier }, ctx): Promise<ToolOutput> {
    const knowledge = knowledgeOf(ctx);
    const { name, declarations, warnings } = await knowledge.findDefinitions({ path, line, identifier });
    const shown = declarations.slice(0, MOST_SHOWN);
    const definitions = shown.map(({ file, symbol, outline }) => ({
      file,
      line: symbol.line,
      end_line: symbol.endLine,
      name_path: namePathOf(outline, symbol),
      context: new ContentLines(readContent(ctx, `./${file}`).content).text(symbol.line).trim(),
    }));
    return {
      data: { definitions, from: `${path}:${line} ${name}` },
      totalCount: declarations.length,
      ...(shown.length < declarations.length && { truncated: true }),
      ...knowledge.tell(name, warnings),
    };
  },
});
