import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  chooseSymbol,
  createOutlines,
  type FaultReport,
  newFaults,
  type Outline,
  reportFaults,
  type SyntaxSymbol,
} from '@jinn/syntax';
import { type ChangedFile, type FileState, type MutationResult, mutate, versionOf } from '@jinn/workspace';
import { findExtent } from '../server/find-extent.ts';
import { ContentLines } from '../show/content-lines.ts';
import { outlineOf, type Source } from '../show/read-source.ts';
import { indentBefore } from '../show/show-symbol.ts';
import { judgeStripped } from './reindent.ts';

const MOST_FAULTS = 10;

export interface SymbolArgs {
  readonly path: string;
  readonly name_path: string;
  readonly if_version?: string | undefined;
}

/** A part of a content, and its replacement. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface SymbolEdit {
  /** The name of the tool, for the history. */
  readonly operation: string;
  /** The code that it writes, as the caller sent it. */
  readonly code?: string;
  /**
   * Returns the changes. Throws ToolError if they must not be made. It is called again if lines of the text, counted
   * from 0, turn out to begin within a string: the white space in front of them must stay.
   */
  edit(source: Source, symbol: SyntaxSymbol, fixed?: ReadonlySet<number>): Splice;
  /** Checks the new content of the file. Throws ToolError to leave the file as it is. */
  check?(after: Outline, change: SymbolChange): void;
}

/** A change, with the content before and after it. */
export interface SymbolChange {
  readonly symbol: SyntaxSymbol;
  readonly splice: Splice;
  readonly before: Buffer;
  readonly content: Buffer;
}

export interface EditedSymbol {
  readonly symbol: SyntaxSymbol;
  readonly splice: Splice;
  /** The content before. */
  readonly content: Buffer;
  readonly meta: object;
  /** A text for the answer: the syntax errors that the edit made, if there are any. */
  readonly told: { readonly syntax_errors?: readonly FaultReport[] };
}

/** Changes a file around a symbol, with undo. The symbol is looked up in the content to be changed, under its lock. */
export async function editSymbol(
  ctx: ToolContext,
  args: SymbolArgs,
  { operation, code = '', edit, check }: SymbolEdit,
): Promise<EditedSymbol> {
  const result = await mutate(ctx, {
    operation,
    targets: [{ path: args.path, ifVersion: args.if_version }],
    compute: async ([file]) => {
      const source = await toSource(ctx, file, args.path);
      const symbol = await findExtent(ctx, source, chooseSymbol(source.outline, args.name_path, args.path));
      const indent = indentBefore(source.content, symbol.start);
      const splice = await placeSplice(ctx, source, { code, indent, edit: (fixed) => edit(source, symbol, fixed) });
      const content = apply(source.content, [splice]);
      const after = await outlineOf(ctx, { path: source.path, content, version: versionOf(content) });
      check?.(after, { symbol, splice, before: source.content, content });
      const faults = newFaults(source, { content, outline: after });
      const extra = {
        symbol,
        splice,
        content: source.content,
        errors: reportFaults(content, faults.slice(0, MOST_FAULTS)),
      };
      return { changes: [{ file: file as FileState, content }], extra };
    },
  });
  const { errors, ...found } = result.extra;
  const changed = result.files[0] as ChangedFile; // One target gives one change.
  const { path } = changed.file;
  const syntax = { syntax: { errors: errors.map((error) => ({ file: path, ...error })) } };
  return {
    ...found,
    told: errors.length > 0 ? { syntax_errors: errors } : {},
    meta: { ...metaOf(changed, result), ...(errors.length > 0 && syntax) },
  };
}

interface SplicePlan {
  readonly code: string;
  /** The indentation of the place. */
  readonly indent: string;
  edit(fixed?: ReadonlySet<number>): Splice;
}

async function placeSplice(ctx: ToolContext, source: Source, { code, indent, edit }: SplicePlan): Promise<Splice> {
  const first = edit();
  const asGiven = edit(allLines(first));
  const fixed = await linesInStrings(ctx, source, { first, asGiven });
  const placed = fixed.size > 0 ? edit(fixed) : first;
  const above = /^[,\s]*/.exec(first.text)?.[0].split('\n').length ?? 1;
  const stripped = judgeStripped(code, indent, new Set([...fixed].map((line) => line - above + 1)));
  if (stripped === 'none') return placed;
  const faults = (await tryOut(ctx, source, placed)).outline.faults.length;
  const given = (await tryOut(ctx, source, asGiven)).outline.faults.length;
  return given < faults || (given === faults && stripped === 'likely') ? asGiven : placed;
}

interface PlacedSplices {
  /** The text with the indentation of its place. */
  readonly first: Splice;
  /** The text with its lines unchanged. */
  readonly asGiven: Splice;
}

function allLines({ text }: Splice): ReadonlySet<number> {
  return new Set(Array.from({ length: text.split('\n').length + 2 }, (_, line) => line));
}

/**
 * Finds the lines of a splice, from 0, that begin within a string. Indentation may break a string, such as a heredoc
 * whose last line must stand at the margin; missing indentation may break the code. The variant with fewer faults
 * decides.
 */
async function linesInStrings(
  ctx: ToolContext,
  source: Source,
  { first, asGiven }: PlacedSplices,
): Promise<ReadonlySet<number>> {
  if (!first.text.includes('\n')) return new Set();
  const placed = await tryOut(ctx, source, first);
  if (placed.outline.faults.length === 0) return textLinesOf(ctx, placed, first);
  const given = await tryOut(ctx, source, asGiven);
  return given.outline.faults.length < placed.outline.faults.length
    ? textLinesOf(ctx, given, asGiven)
    : textLinesOf(ctx, placed, first);
}

async function tryOut(ctx: ToolContext, { path, content: before }: Source, splice: Splice): Promise<Source> {
  const content = apply(before, [splice]);
  const file = { path, content, version: versionOf(content) };
  return { ...file, outline: await outlineOf(ctx, file) };
}

/**
 * Finds the lines of a splice, from 0, that begin within a string. Those of doc comments are left out, since
 * documentation may move with the code.
 */
async function textLinesOf(
  ctx: ToolContext,
  { path, content, outline: { symbols } }: Source,
  splice: Splice,
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

/** Returns the bytes of a content with some parts replaced; the parts are in order. */
export function apply(content: Buffer, splices: readonly Splice[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of splices) {
    parts.push(content.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, content.subarray(at)]);
}

function metaOf({ version, undoId }: ChangedFile, { operationId }: Pick<MutationResult, 'operationId'>): object {
  return {
    ...(version !== undefined && { version }),
    ...(undoId !== undefined && { undo_id: undoId }),
    ...(operationId !== undefined && { operation_id: operationId }),
  };
}

async function toSource(ctx: ToolContext, file: FileState | undefined, asked: string): Promise<Source> {
  const { path, content, version } = file ?? {};
  if (path !== undefined && content && version !== undefined) {
    return { path, content, version, outline: await outlineOf(ctx, { path, content, version }) };
  }
  throw new ToolError('file_not_found', `file not found: ${asked}`, {
    suggestion: 'find_symbol tells where a symbol is',
  });
}

/** Refuses a symbol whose declaration declares other names too. */
export function rejectShared({ shared, path }: SyntaxSymbol): void {
  if (!shared) return;
  throw new ToolError('invalid_args', `the declaration of ${path} declares other names too`, {
    suggestion: 'change it as text',
  });
}
