import { defineTool, type ToolOutput } from '@jinn/core';
import { chooseSymbol, reportFaults, symbolAtLine } from '@jinn/syntax';
import { readSource } from './read-source.ts';

export const symbolDiagnostics = defineTool({
  name: 'symbol_diagnostics',
  effect: 'read',
  description: 'Show what is wrong in a file or in one of its symbols.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      name_path: z.optional(z.string().check(z.minLength(1), z.describe('Only in this symbol'))),
    }),
  output: {
    type: 'object',
    properties: { file: { type: 'string' }, diagnostics: { type: 'array' }, total: { type: 'integer' } },
    required: ['file', 'diagnostics', 'total'],
  },
  examples: [{ path: 'src/main.ts' }, { path: 'src/store.ts', name_path: 'Store/add' }],

  async run({ path, name_path }, ctx): Promise<ToolOutput> {
    const source = await readSource(ctx, path);
    const { outline, content } = source;
    const symbol = name_path === undefined ? undefined : chooseSymbol(outline, name_path, path);
    const faults = outline.faults.filter(({ start, end }) => !symbol || (start <= symbol.end && end >= symbol.start));
    const diagnostics = reportFaults(content, faults).map(({ line, message }) => {
      const around = symbolAtLine(outline, line);
      return { line, severity: 'error', source: 'syntax', message, ...(around && { symbol: around.path }) };
    });
    return {
      data: { file: source.path, diagnostics, total: diagnostics.length },
      totalCount: diagnostics.length,
      warnings: ['these are syntax errors alone, without a language server'],
      meta: { textual: true, version: source.version },
    };
  },
});
