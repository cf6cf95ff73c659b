import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { namePathOf } from '@jinn/syntax';
import { isAnswer } from './ask-server.ts';
import type { Declaration } from './find-declarations.ts';
import { type Definition, findDefinitions, namesAt, type Place } from './find-definition.ts';
import { ContentLines } from './lines.ts';
import { readContent, readSource } from './read-source.ts';
import { askDefinitions } from './server-definitions.ts';
import { tellServer, tellTextual } from './tell-source.ts';

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

  async run(place, ctx): Promise<ToolOutput> {
    const source = await readSource(ctx, place.path);
    const names = namesAt(source, place);
    const asked = await askDefinitions(ctx, { source, place, names });
    if (isAnswer(asked)) return tell(place, asked.value, tellServer(asked));
    const found = await findDefinitions(ctx, source, { names, line: place.line });
    const { name, declarations, warnings } = found;
    const definitions = declarations.slice(0, MOST_SHOWN).map((declaration) => toDefinition(ctx, declaration));
    const output = tell(place, { name, definitions }, tellTextual(name, asked.why, warnings));
    const isCut = definitions.length < declarations.length;
    return { ...output, totalCount: declarations.length, ...(isCut && { truncated: true }) };
  },
});

interface Found {
  readonly name: string;
  readonly definitions: readonly Definition[];
}

function tell({ path, line }: Place, { name, definitions }: Found, told: Partial<ToolOutput>): ToolOutput {
  const shown = definitions.slice(0, MOST_SHOWN).map(({ file, line, end_line, name_path, context, source }) => ({
    ...{ file, line, end_line },
    ...(name_path !== undefined && { name_path }),
    ...(context !== undefined && { context }),
    ...(source && { source }),
  }));
  return {
    data: { definitions: shown, from: `${path}:${line} ${name}` },
    totalCount: definitions.length,
    ...(shown.length < definitions.length && { truncated: true }),
    ...told,
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
