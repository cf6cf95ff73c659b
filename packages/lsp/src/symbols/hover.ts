import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { signatureOf } from '@jinn/syntax';
import type { Declaration } from './find/find-declarations.ts';
import { findDefinitions, readPlace } from './find/find-definition.ts';
import { describeServer, describeTextual, isAnswered } from './server/ask-server.ts';
import { askDefinitions } from './server/server-definitions.ts';
import { readContent } from './show/read-source.ts';

const MOST_DOC = 4_000;

export const hover = defineTool({
  name: 'hover',
  effect: 'read',
  description: 'Show the signature and documentation of a symbol in a line.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      line: z.int().check(z.minimum(1), z.describe('From 1')),
      identifier: z.optional(z.string().check(z.minLength(1), z.describe('Name in that line'))),
    }),
  output: {
    type: 'object',
    properties: { content: { type: 'string' }, location: { type: 'string' }, from: { type: 'string' } },
    required: ['content', 'location', 'from'],
  },
  examples: [{ path: 'src/store.ts', line: 3, identifier: 'parse' }],

  async run(place, ctx): Promise<ToolOutput> {
    const at = await readPlace(ctx, place);
    const asked = await askDefinitions(ctx, { ...at, withHover: true });
    const from = (name: string) => `${place.path}:${place.line} ${name}`;
    if (isAnswered(asked) && asked.value.hover !== undefined) {
      const { name, hover: content, definitions } = asked.value;
      const { file, line } = definitions[0] ?? { file: at.source.path, line: place.line };
      return { data: { content, location: `${file}:${line}`, from: from(name) }, ...describeServer(asked) };
    }
    const { name, declarations, warnings } = await findDefinitions(ctx, at);
    const first = declarations[0] as Declaration; // Without a declaration, findDefinitions throws.
    const why = isAnswered(asked) ? `${asked.server} says nothing` : asked.why;
    return { data: { ...describe(ctx, first), from: from(name) }, ...describeTextual(name, why, warnings) };
  },
});

function describe(ctx: ToolContext, { file, symbol, outline }: Declaration): object {
  const { content } = readContent(ctx, `./${file}`);
  const doc =
    symbol.doc && content.toString('utf8', symbol.doc.start, Math.min(symbol.doc.end, symbol.doc.start + MOST_DOC));
  const signature = `\`\`\`${outline.language}\n${signatureOf(content, symbol)}\n\`\`\``;
  return { content: [signature, doc].filter(Boolean).join('\n'), location: `${file}:${symbol.line}` };
}
