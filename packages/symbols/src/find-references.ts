import { defineTool, type ToolOutput } from '@jinn/core';
import { chooseSymbol } from '@jinn/syntax';
import { knowledgeOf } from './code-knowledge.ts';
import { ContentLines } from './lines.ts';
import { overflowOf, toPage } from './paging.ts';
import { readSource } from './read-source.ts';

export const findReferences = defineTool({
  name: 'find_references',
  effect: 'read',
  description: 'Find where a symbol is used in the project.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File that declares it')),
      detail_level: z.optional(z.string().check(z.describe('Set to "full" to page through all'))),
      offset: z.optional(z.int().check(z.minimum(0), z.describe('Results to skip'))),
      limit: z.optional(z.int().check(z.minimum(0), z.describe('The most results'))),
    }),
  output: {
    type: 'object',
    properties: { references: { type: 'array' }, total: { type: 'integer' }, overflow: { type: 'object' } },
    required: ['references', 'total'],
  },
  examples: [{ name_path: 'Store/add', path: 'src/store.ts' }],

  async run({ name_path, path, ...paging }, ctx): Promise<ToolOutput> {
    const source = await readSource(ctx, path);
    const symbol = chooseSymbol(source.outline, name_path, path);
    const knowledge = knowledgeOf(ctx);
    const { files, warnings } = await knowledge.findUses(source, symbol);
    const all = files.flatMap((file) => file.ranges.map((range) => ({ file, range })));
    const page = toPage(paging);
    const lines = new Map<object, ContentLines>();
    const references = all.slice(page.offset, page.offset + page.limit).map(({ file, range }) => {
      const known = lines.get(file) ?? new ContentLines(file.content);
      lines.set(file, known);
      const line = known.lineOf(range.start);
      return { file: file.path, line, column: known.columnOf(range.start), context: known.text(line).trim() };
    });
    const total = all.length;
    const hint = 'page through all with detail_level: "full" and offset';
    const overflow = overflowOf(page, { total, hint, files: all.map(({ file }) => file.path) });
    return {
      data: { references, total, ...(overflow && { overflow }) },
      totalCount: total,
      ...(overflow && { truncated: true }),
      ...knowledge.tell(symbol.name, warnings),
    };
  },
});
