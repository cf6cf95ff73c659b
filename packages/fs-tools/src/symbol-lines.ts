import { type ToolContext, ToolError, versionOf } from '@jinn/core';
import { chooseSymbol, createOutlines, isOutline, MAX_SOURCE_BYTES, namePathOf, TOO_LARGE } from '@jinn/syntax';
import type { ReadArgs } from './read-file.ts';

export interface SymbolLines {
  readonly lines: { readonly start_line: number; readonly end_line: number };
  /** What is told of the symbol. */
  readonly symbol: { readonly name_path: string; readonly kind: string };
  /** The version of the file in which it was found. */
  readonly version: string;
}

/**
 * Finds the lines of a symbol of a file, its doc comment among them. Throws `not_found` and `invalid_args` for a name that
 * is none or not the only one, and for a file without a syntax tree.
 */
export async function findLines(ctx: ToolContext, args: ReadArgs): Promise<SymbolLines> {
  const { path, symbol: name = '' } = args;
  refuseWindow(args);
  const file = ctx.workspace.withFile(path, (open) => {
    if (open.size > MAX_SOURCE_BYTES) throw noTree(path, TOO_LARGE);
    return { path: open.path, content: open.slice(0, open.size) };
  });
  const version = versionOf(file.content);
  const outline = await ctx.session.use(createOutlines).read({ ...file, version });
  if (!isOutline(outline)) throw noTree(path, outline.message);
  const symbol = chooseSymbol(outline, name, path);
  return {
    lines: { start_line: symbol.startLine, end_line: symbol.endLine },
    symbol: { name_path: namePathOf(outline, symbol), kind: symbol.kind },
    version,
  };
}

function refuseWindow({ start_line, end_line, tail }: ReadArgs): void {
  if ([start_line, end_line, tail].every((value) => value === undefined)) return;
  throw new ToolError('invalid_args', 'symbol does not go with start_line, end_line or tail', {
    suggestion: 'leave one of them out',
  });
}

function noTree(path: string, why: string): ToolError {
  return new ToolError('invalid_args', `${path} has no symbols: ${why}`, {
    suggestion: 'read it by start_line and end_line',
  });
}
