import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  chooseSymbol,
  createOutlines,
  type FaultReport,
  isDamaged,
  newFaults,
  reportFaults,
  type SyntaxSymbol,
} from '@jinn/syntax';
import { type ChangedFile, type FileState, mutate, versionOf } from '@jinn/workspace';
import { findCharset } from '@jinn/workspace/find-charset';
import { findDocumentSymbols, flattenSymbols } from '../../index.ts';
import { askServer, isAnswered } from '../server/ask-server.ts';
import { ContentLines } from '../show/content-lines.ts';
import { outlineOf, type Source } from '../show/read-source.ts';
import { indentBefore } from '../show/show-symbol.ts';
import { judgeStripped } from './code-text.ts';

const SEMICOLON = 59;
const MOST_FAULTS = 10;

export interface CodeSplice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface SymbolEdit {
  readonly operation: string;
  readonly code?: string;
  /** Called again if lines of the text, counted from 0, start within a string: their white space must stay. */
  edit(source: Source, symbol: SyntaxSymbol, fixed?: ReadonlySet<number>): CodeSplice;
  /** Throws ToolError to leave the file as it is. */
  check?(after: Source, change: SymbolChange): void;
}

interface SymbolChange {
  readonly symbol: SyntaxSymbol;
  readonly splice: CodeSplice;
  /** The content before. */
  readonly content: Buffer;
}

interface EditedSymbol extends SymbolChange {
  readonly meta: object;
  /** The syntax errors that the edit made. */
  readonly told: { readonly syntax_errors?: readonly FaultReport[] };
}

/** Changes a file around a symbol, which is looked up under the file's lock. */
export async function editSymbol(
  ctx: ToolContext,
  args: { readonly path: string; readonly name_path: string; readonly if_version?: string | undefined },
  { operation, code = '', edit, check }: SymbolEdit,
): Promise<EditedSymbol> {
  const result = await mutate(ctx, {
    operation,
    targets: [{ path: args.path, ifVersion: args.if_version }],
    compute: async ([file]) => {
      const { source, encode } = await toSource(ctx, file, args.path);
      const symbol = await findExtent(ctx, source, chooseSymbol(source.outline, args.name_path, args.path));
      const indent = indentBefore(source.content, symbol.start);
      const splice = await placeSplice(ctx, source, { code, indent, edit: (fixed) => edit(source, symbol, fixed) });
      const after = await tryOut(ctx, source, splice);
      const change = { symbol, splice, content: source.content };
      check?.(after, change);
      const errors = reportFaults(after.content, newFaults(source, after).slice(0, MOST_FAULTS));
      return { changes: [{ file: file as FileState, content: encode(after.content) }], extra: { ...change, errors } };
    },
  });
  const { errors, ...found } = result.extra;
  const changed = result.files[0] as ChangedFile; // One target gives one change.
  const { version, undoId } = changed;
  const { path } = changed.file;
  const syntax = { syntax: { errors: errors.map((error) => ({ file: path, ...error })) } };
  return {
    ...found,
    told: errors.length > 0 ? { syntax_errors: errors } : {},
    meta: {
      ...(version !== undefined && { version }),
      ...(undoId !== undefined && { undo_id: undoId }),
      ...(result.operationId !== undefined && { operation_id: result.operationId }),
      ...(errors.length > 0 && syntax),
    },
  };
}

async function placeSplice(
  ctx: ToolContext,
  source: Source,
  { code, indent, edit }: { code: string; indent: string; edit(fixed?: ReadonlySet<number>): CodeSplice },
): Promise<CodeSplice> {
  const first = edit();
  const allLines = new Set(Array.from({ length: first.text.split('\n').length + 2 }, (_, line) => line));
  const asGiven = edit(allLines);
  const fixed = await linesInStrings(ctx, source, { first, asGiven });
  const placed = fixed.size > 0 ? edit(fixed) : first;
  const above = /^[,\s]*/.exec(first.text)?.[0].split('\n').length ?? 1;
  const stripped = judgeStripped(code, indent, new Set([...fixed].map((line) => line - above + 1)));
  if (stripped === 'none') return placed;
  const faults = (await tryOut(ctx, source, placed)).outline.faults.length;
  const given = (await tryOut(ctx, source, asGiven)).outline.faults.length;
  return given < faults || (given === faults && stripped === 'likely') ? asGiven : placed;
}

/**
 * Indentation may break a string, such as a heredoc. Missing indentation may break the code. The variant with fewer
 * faults decides.
 */
async function linesInStrings(
  ctx: ToolContext,
  source: Source,
  { first, asGiven }: { first: CodeSplice; asGiven: CodeSplice },
): Promise<ReadonlySet<number>> {
  if (!first.text.includes('\n')) return new Set();
  const placed = await tryOut(ctx, source, first);
  if (placed.outline.faults.length === 0) return textLinesOf(ctx, placed, first);
  const given = await tryOut(ctx, source, asGiven);
  return given.outline.faults.length < placed.outline.faults.length
    ? textLinesOf(ctx, given, asGiven)
    : textLinesOf(ctx, placed, first);
}

async function tryOut(ctx: ToolContext, { path, content: before }: Source, splice: CodeSplice): Promise<Source> {
  const { start, end, text } = splice;
  const content = Buffer.concat([before.subarray(0, start), Buffer.from(text), before.subarray(end)]);
  const file = { path, content, version: versionOf(content) };
  return { ...file, outline: await outlineOf(ctx, file) };
}

/** Leaves out doc comments: documentation may move with the code. */
async function textLinesOf(
  ctx: ToolContext,
  { path, content, outline: { symbols } }: Source,
  splice: CodeSplice,
): Promise<ReadonlySet<number>> {
  const lines = new ContentLines(content);
  const first = lines.lineOf(splice.start);
  const docs = symbols.flatMap(({ doc }) => (doc ? [[lines.lineOf(doc.start), lines.lineOf(doc.end)] as const] : []));
  const isInDoc = (line: number) => docs.some(([from, to]) => from < line && line <= to);
  const inText = await ctx.session.use(createOutlines).textLines({ path, content });
  const count = splice.text.split('\n').length;
  return new Set(
    inText
      .filter((line) => !isInDoc(line))
      .map((line) => line - first)
      .filter((at) => at > 0 && at < count),
  );
}

async function toSource(
  ctx: ToolContext,
  file: FileState | undefined,
  asked: string,
): Promise<{ source: Source; encode(text: Buffer): Buffer }> {
  const { path, content: bytes } = file ?? {};
  if (path !== undefined && bytes) {
    const charset = await findCharset(ctx, { path, content: bytes });
    const { text: content, encode } = charset?.open(bytes, asked) ?? { text: bytes, encode: (text: Buffer) => text };
    const source = { path, content, version: versionOf(content) };
    return { source: { ...source, outline: await outlineOf(ctx, source) }, encode };
  }
  throw new ToolError('file_not_found', `file not found: ${asked}`, {
    suggestion: 'find_symbol shows where a symbol is',
  });
}

/** Throws `invalid_args` for a symbol whose declaration declares other names too. */
export function rejectShared({ shared, path }: SyntaxSymbol): void {
  if (!shared) return;
  throw new ToolError('invalid_args', `the declaration of ${path} declares other names too`, {
    suggestion: 'change it as text',
  });
}

async function findExtent(ctx: ToolContext, source: Source, symbol: SyntaxSymbol): Promise<SyntaxSymbol> {
  const { content, outline, path } = source;
  if (!isDamaged(outline, symbol, content)) return symbol;
  const lines = new ContentLines(content);
  const asked = await askServer(ctx, {
    about: source,
    run: async (view) => flattenSymbols(await findDocumentSymbols(view)),
  });
  const character = lines.columnOf(symbol.nameStart);
  const found = (isAnswered(asked) ? asked.value : []).find(
    ({ isWhole, nameRange: { start } }) => isWhole && start.line === symbol.line && start.character === character,
  );
  if (!found) throw unknownExtent(symbol, path);
  const { start, end } = found.range;
  const last = lines.byteOf(end.line, end.character);
  const behind = content[last] === SEMICOLON ? last + 1 : last;
  return {
    ...symbol,
    start: Math.min(symbol.start, lines.byteOf(start.line, start.character)),
    end: behind,
    tailEnd: behind,
    startLine: Math.min(symbol.startLine, start.line),
    endLine: end.line,
  };
}

function unknownExtent({ path: name, startLine, endLine }: SyntaxSymbol, path: string): ToolError {
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  return new ToolError(
    'invalid_args',
    `the syntax tree of ${path} has errors at ${name} (${lines}), so that it is not known where it ends (nothing was changed)`,
    { suggestion: 'change it as text, with edit_file' },
  );
}
