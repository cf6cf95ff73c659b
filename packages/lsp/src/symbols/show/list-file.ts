import type { ToolContext, ToolOutput } from '@jinn/core';
import { overflowOf, type Page, toPage } from './paging.ts';
import { readSource, type Source } from './read-source.ts';
import { childrenOf, type ShownSymbol, showSymbol } from './show-symbol.ts';

/** The most symbols at the top of a file that are shown by default. */
export const MOST_TOP = 100;
/** The most symbols, those within others included. */
const MOST_SYMBOLS = 150;
/** The most symbols of a page that the call asks for. */
const MOST_OF_PAGE = 2_000;

export const HINT = 'pass detail_level: "full" with offset and limit, or a narrower path';

export interface ListArgs {
  readonly path: string;
  readonly depth?: number | undefined;
  readonly include_docs: boolean;
  readonly detail_level?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Lists the declarations of a file. Throws ToolError for a file that has no symbols. */
export async function listFile(ctx: ToolContext, args: ListArgs): Promise<ToolOutput> {
  const source = await readSource(ctx, args.path);
  const page = toPage(args, MOST_TOP);
  const symbols = showTop(source, { page, depth: args.depth ?? 1, withDocs: args.include_docs, room: roomOf(page) });
  const total = childrenOf(source.outline, undefined).length;
  const overflow = overflowOf({ ...page, limit: symbols.length }, { total, hint: HINT });
  const { path, version, outline } = source;
  return {
    data: { file: path, symbols, ...(overflow && { total, overflow }), ...(outline.truncated && { at_least: true }) },
    ...(overflow && { truncated: true, totalCount: total }),
    meta: { version, ...(outline.truncated && { truncated: true }) },
    ...(outline.truncated && { warnings: [cutWarning(path)] }),
  };
}

/** Returns the warning that an outline does not have all of a file. */
export function cutWarning(path: string): string {
  return `${path} is too large or too broken for a whole outline: it declares at least what is listed`;
}

/** Returns how many symbols an answer may show. */
export function roomOf({ isFocused }: Page): { left: number } {
  return { left: isFocused ? MOST_OF_PAGE : MOST_SYMBOLS };
}

export interface TopShowing {
  readonly page: Page;
  /** Levels of members. */
  readonly depth: number;
  readonly withDocs: boolean;
  /** How many symbols may still be shown; each shown one is subtracted. */
  readonly room: { left: number };
}

/** Shows the symbols at the top of a file that are on the page, as far as there is room. */
export function showTop(source: Source, { page, depth, withDocs, room }: TopShowing): ShownSymbol[] {
  const shown: ShownSymbol[] = [];
  for (const symbol of childrenOf(source.outline, undefined).slice(page.offset, page.offset + page.limit)) {
    if (room.left <= 0) break;
    shown.push(showSymbol(source, symbol, { depth, withDocs, room }));
  }
  return shown;
}
