import { defineTool, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type ByteRange, chooseSymbol, reportFaults, symbolAtLine } from '@jinn/syntax';
import { type Diagnostic, findDiagnostics, type ServerView, withoutRoot } from '../index.ts';
import { askServer, describeServer, isAnswered, TEXTUAL } from './server/ask-server.ts';
import { ContentLines } from './show/content-lines.ts';
import { readSource, type Source } from './show/read-source.ts';

const MOST_SHOWN = 200;

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
    const symbol = name_path === undefined ? undefined : chooseSymbol(source.outline, name_path, path);
    const asked = await askServer(ctx, { about: source, run: diagnose });
    const all = isAnswered(asked) ? toLocatedFaults(source, asked.value) : faultsOf(source);
    const inside = all.filter(({ range }) => !symbol || (range.start <= symbol.end && range.end >= symbol.start));
    const diagnostics = inside.slice(0, MOST_SHOWN).map(({ shown }) => {
      const around = symbolAtLine(source.outline, shown.line);
      return { ...shown, ...(around && { symbol: around.path }) };
    });
    const told = isAnswered(asked)
      ? describeServer(asked)
      : {
          warnings: [`these are only syntax errors, without a language server (${asked.why})`],
          meta: TEXTUAL,
        };
    return {
      data: { file: source.path, diagnostics, total: inside.length },
      totalCount: inside.length,
      ...(diagnostics.length < inside.length && { truncated: true }),
      warnings: told.warnings,
      meta: { ...told.meta, version: source.version },
    };
  },
});

interface LocatedFault {
  readonly range: ByteRange;
  readonly shown: {
    readonly line: number;
    readonly column?: number;
    readonly severity: string;
    readonly source: string;
    readonly code?: string;
    readonly message: string;
  };
}

async function diagnose(view: ServerView): Promise<readonly Diagnostic[]> {
  const { diagnostics, isPending } = await findDiagnostics(view);
  if (isPending) throw new ToolError('timeout', 'the language server has not said yet what is wrong with this file');
  return diagnostics.map((one) => ({ ...one, message: withoutRoot(one.message, view.files.root) }));
}

function toLocatedFaults({ content }: Source, diagnostics: readonly Diagnostic[]): LocatedFault[] {
  const lines = new ContentLines(content);
  return diagnostics.map(({ range: { start, end }, severity, source = 'lsp', code, message }) => {
    const range = { start: lines.byteOf(start.line, start.character), end: lines.byteOf(end.line, end.character) };
    const place = { line: start.line, column: start.character };
    return { range, shown: { ...place, severity, source, ...(code !== undefined && { code }), message } };
  });
}

function faultsOf({ content, outline: { faults } }: Source): LocatedFault[] {
  const reports = reportFaults(content, faults);
  return faults.flatMap((range, i) => {
    const report = reports[i];
    if (!report) return [];
    const { line, message } = report;
    return [{ range, shown: { line, severity: 'error', source: 'syntax', message } }];
  });
}
