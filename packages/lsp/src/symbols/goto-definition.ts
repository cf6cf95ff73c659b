import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { namePathOf } from '@jinn/syntax';
import type { Declaration } from './find/find-declarations.ts';
import { type Definition, findDefinitions, type LinePlace, readPlace } from './find/find-definition.ts';
import { describeServer, describeTextual, isAnswered } from './server/ask-server.ts';
import { askDefinitions } from './server/server-definitions.ts';
import { ContentLines } from './show/content-lines.ts';
import { readContent } from './show/read-source.ts';

const MOST_SHOWN = 50;

export const gotoDefinition = defineTool({
  name: 'goto_definition',
  effect: 'read',
  description: 'Find the declaration of a symbol in a line.',
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

  async run(place, ctx): Promise<ToolOutput> {
    const at = await readPlace(ctx, place);
    const asked = await askDefinitions(ctx, at);
    if (isAnswered(asked)) {
      const { name, definitions } = asked.value;
      return { ...show(place, { name, definitions, total: definitions.length }), ...describeServer(asked) };
    }
    const { name, declarations, warnings } = await findDefinitions(ctx, at);
    const definitions = declarations.slice(0, MOST_SHOWN).map((declaration) => toDefinition(ctx, declaration));
    const shown = show(place, { name, definitions, total: declarations.length });
    return { ...shown, ...describeTextual(name, asked.why, warnings) };
  },
});

interface FoundDefinitions {
  readonly name: string;
  readonly definitions: readonly Definition[];
  readonly total: number;
}

function show({ path, line }: LinePlace, { name, definitions, total }: FoundDefinitions): ToolOutput {
  const shown = definitions.slice(0, MOST_SHOWN).map(({ file, line, end_line, name_path, context, source }) => ({
    ...{ file, line, end_line },
    ...(name_path !== undefined && { name_path }),
    ...(context !== undefined && { context }),
    ...(source && { source }),
  }));
  return {
    data: { definitions: shown, from: `${path}:${line} ${name}` },
    totalCount: total,
    ...(shown.length < total && { truncated: true }),
  };
}

function toDefinition(ctx: ToolContext, { file, symbol, outline }: Declaration): Definition {
  return {
    file,
    line: symbol.line,
    end_line: symbol.endLine,
    name_path: namePathOf(outline, symbol),
    context: new ContentLines(readContent(ctx, `./${file}`).content).text(symbol.line).trim(),
  };
}
