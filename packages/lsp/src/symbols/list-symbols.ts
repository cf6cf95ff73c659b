import { defineTool, type ToolOutput } from '@jinn/core';
import { isFilePath } from './show/read-source.ts';
import { listFile } from './show/show-symbol.ts';

export const listSymbols = defineTool({
  name: 'list_symbols',
  effect: 'read',
  description: 'List what a file declares, or the code in a directory or of a glob: names, kinds, signatures, lines.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('File, directory or glob')), '.'),
      depth: z.optional(z.int().check(z.minimum(0), z.describe('Levels of members (default 1, 0 for directories)'))),
      include_docs: z._default(z.boolean().check(z.describe('With doc lines')), false),
      detail_level: z.optional(z.string().check(z.describe('Set to "full" to page through all'))),
      offset: z.optional(z.int().check(z.minimum(0), z.describe('Results to skip'))),
      limit: z.optional(z.int().check(z.minimum(0), z.describe('The most results'))),
    }),
  output: {
    type: 'object',
    properties: {
      file: { type: 'string' },
      directory: { type: 'string' },
      pattern: { type: 'string' },
      symbols: { type: 'array' },
      files: { type: 'array' },
      total: { type: 'integer' },
      overflow: { type: 'object' },
      at_least: { type: 'boolean' },
    },
  },
  examples: [{ path: 'src/main.ts' }, { path: 'src', depth: 0 }, { path: 'src/**/*.py', include_docs: true }],

  async run(args, ctx): Promise<ToolOutput> {
    if (isFilePath(ctx, args.path)) return listFile(ctx, args);
    // The code that walks a tree takes three milliseconds to load.
    return (await import('./show/list-tree.ts')).listTree(ctx, args);
  },
});
