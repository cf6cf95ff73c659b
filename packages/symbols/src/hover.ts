import { defineTool, type ToolOutput } from '@jinn/core';
import { signatureOf } from '@jinn/syntax';
import { knowledgeOf } from './code-knowledge.ts';
import { readContent } from './read-source.ts';

const MOST_DOC = 4_000;

export const hover = defineTool({
  name: 'hover',
  effect: 'read',
  description: 'Show the signature and documentation of what stands in a line.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      line: z.int().check(z.minimum(1), z.describe('From 1')),
      identifier: z.optional(z.string().check(z.minLength(1), z.describe('Name in that line'))),
    }),
  output: {
    type: 'object',
    properties: { content: { type: 'string' }, location: { type: 'string' } },
    required: ['content', 'location'],
  },
  examples: [{ path: 'src/store.ts', line: 3, identifier: 'parse' }],

  async run({ path, line, identifier }, ctx): Promise<ToolOutput> {
    const knowledge = knowledgeOf(ctx);
    const { name, declarations, warnings } = await knowledge.findDefinitions({ path, line, identifier });
    const [first] = declarations;
    if (!first) throw new Error('a definition was found');
    const { file, symbol, outline } = first;
    const { content } = readContent(ctx, `./${file}`);
    const doc =
      symbol.doc && content.toString('utf8', symbol.doc.start, Math.min(symbol.doc.end, symbol.doc.start + MOST_DOC));
    const signature = `\`\`\`${outline.language}\n${signatureOf(content, symbol)}\n\`\`\``;
    return {
      data: { content: [signature, doc].filter(Boolean).join('\n'), location: `${file}:${symbol.line}` },
      ...knowledge.tell(name, warnings),
    };
  },
});
