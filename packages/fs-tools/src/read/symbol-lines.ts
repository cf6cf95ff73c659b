import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  chooseSymbol,
  createOutlines,
  describeGap,
  isOutline,
  MAX_SOURCE_BYTES,
  namePathOf,
  type Outline,
  TOO_LARGE,
  titleOf,
} from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';
import { findCharset } from '@jinn/workspace/find-charset';
import type { ReadArgs } from './read-text.ts';
import { type LineScan, scanBuffer } from './text-content.ts';

/** Errors of fewer bytes hide few declarations, if any. */
const LEAST_GAP_BYTES = 200;

export interface SymbolLines {
  readonly lines: { readonly start_line: number; readonly end_line: number };
  readonly symbol: { readonly name_path: string; readonly kind: string };
  readonly version: string;
}

/**
 * Finds the lines of a symbol of a file, with its doc comment. Throws `not_found` and `invalid_args` for a name that no
 * symbol has or several have, and for a file without a syntax tree.
 */
export async function findLines(ctx: ToolContext, args: ReadArgs): Promise<SymbolLines> {
  const { path, symbol: name = '' } = args;
  rejectOtherArgs('symbol', args, ['start_line', 'end_line', 'tail']);
  const { outline, version } = await readOutline(ctx, args);
  const symbol = chooseSymbol(outline, name, path);
  return {
    lines: { start_line: symbol.startLine, end_line: symbol.endLine },
    symbol: { name_path: namePathOf(outline, symbol), kind: symbol.kind },
    version,
  };
}

/** Returns a line for each symbol of a file: its lines, its kind and its name. Throws `invalid_args` as `findLines` does. */
export async function scanOutline(ctx: ToolContext, args: ReadArgs): Promise<LineScan> {
  rejectOtherArgs('outline', args, ['symbol']);
  const { outline, version } = await readOutline(ctx, args);
  const lines = outline.symbols.map(({ startLine, endLine, depth, kind, name }) => {
    const range = startLine === endLine ? startLine : `${startLine}-${endLine}`;
    return `${range}\t${'  '.repeat(depth)}${titleOf(kind, name.replace(/\s+/g, ' '))}\n`;
  });
  if (lines.length === 0) lines.push('[it declares nothing]\n');
  const gap = describeGap(outline, LEAST_GAP_BYTES);
  if (gap !== undefined) ctx.warn(`${args.path}: ${gap}`);
  if (outline.truncated) ctx.warn(`${args.path} may declare more than the outline has`);
  return { ...scanBuffer(Buffer.from(lines.join(''))), isPlain: true, version };
}

async function readOutline(
  ctx: ToolContext,
  { path, encoding }: ReadArgs,
): Promise<{ outline: Outline; version: string }> {
  const file = ctx.workspace.withFile(path, (open) => {
    if (open.size > MAX_SOURCE_BYTES) throw noTree(path, TOO_LARGE);
    return { path: open.path, content: open.slice(0, open.size) };
  });
  const version = versionOf(file.content);
  const charset = await findCharset(ctx, file, encoding);
  const content = charset?.decode(file.content) ?? file.content;
  const outline = await ctx.session.use(createOutlines).read({ ...file, content, version });
  if (!isOutline(outline)) throw noTree(path, outline.message);
  return { outline, version };
}

function rejectOtherArgs(name: string, args: ReadArgs, others: readonly (keyof ReadArgs)[]): void {
  if (others.every((other) => args[other] === undefined)) return;
  throw new ToolError('invalid_args', `${name} does not go with ${others.join(', ').replace(/, (\w+)$/, ' or $1')}`, {
    suggestion: 'leave one of them out',
  });
}

function noTree(path: string, why: string): ToolError {
  return new ToolError('invalid_args', `${path} has no symbols: ${why}`, {
    suggestion: 'read it by start_line and end_line',
  });
}
