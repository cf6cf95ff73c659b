import type { ToolContext, ToolOutput } from '@jinn/core';
import { docLineOf, isDamaged, namePathOf, type Outline, type SyntaxSymbol, signatureOf } from '@jinn/syntax';
import { overflowOf, type Page, toPage } from './paging.ts';
import { readSource, type Source } from './read-source.ts';

export const MOST_TOP = 100;

const MOST_SYMBOLS = 150;

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

interface TopShowing {
  readonly page: Page;
  readonly depth: number;
  readonly withDocs: boolean;
  /** How many symbols may still be shown; each shown one is subtracted. */
  readonly room: { left: number };
}

export interface ShownSymbol {
  readonly name: string;
  readonly name_path: string;
  readonly kind: string;
  readonly signature?: string;
  readonly doc?: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly hidden_members?: number;
  readonly note?: string;
  readonly body?: string;
  readonly children?: readonly ShownSymbol[];
}

export interface SymbolShowing {
  readonly depth: number;
  readonly withDocs?: boolean | undefined;
  readonly withBody?: boolean | undefined;
  /** How many symbols may still be shown; each shown one is subtracted. */
  readonly room: { left: number };
}

const DAMAGED = 'the syntax tree has errors in it or right behind it: it may end elsewhere';

export function showSymbol(source: Source, symbol: SyntaxSymbol, showing: SymbolShowing): ShownSymbol {
  const { content, outline } = source;
  const { depth, withDocs, withBody, room } = showing;
  room.left--;
  const signature = signatureOf(content, symbol);
  const doc = withDocs ? docLineOf(content, symbol) : undefined;
  const inside = childrenOf(outline, symbol);
  const children = depth > 0 ? inside.slice(0, Math.max(0, room.left)) : [];
  const hidden = withBody ? 0 : inside.length - children.length;
  const shown = children.map((child) => showSymbol(source, child, { ...showing, depth: depth - 1, withBody: false }));
  return {
    name: symbol.name,
    name_path: namePathOf(outline, symbol),
    kind: symbol.kind,
    ...(signature !== '' && signature !== symbol.name && { signature }),
    ...(doc !== undefined && { doc }),
    start_line: symbol.startLine,
    end_line: symbol.endLine,
    ...(hidden > 0 && { hidden_members: hidden }),
    ...(isDamaged(outline, symbol, content) && { note: DAMAGED }),
    ...(withBody && { body: linesOf(content, symbol) }),
    ...(shown.length > 0 && { children: shown }),
  };
}

type Members = ReadonlyMap<SyntaxSymbol | undefined, readonly SyntaxSymbol[]>;

const membersOf = new WeakMap<Outline, Members>();

/** Without a parent, the symbols at the top of the file. */
export function childrenOf(outline: Outline, parent: SyntaxSymbol | undefined): readonly SyntaxSymbol[] {
  let members = membersOf.get(outline);
  if (!members) {
    members = groupByParent(outline);
    membersOf.set(outline, members);
  }
  return members.get(parent) ?? [];
}

function groupByParent({ symbols }: Outline): Members {
  const members = new Map<SyntaxSymbol | undefined, SyntaxSymbol[]>();
  for (const symbol of symbols) {
    const parent = symbols[symbol.parent];
    const known = members.get(parent);
    if (known) known.push(symbol);
    else members.set(parent, [symbol]);
  }
  return members;
}

/** With the indentation of the first line, so that the text can be given back. */
function linesOf(content: Buffer, { start, tailEnd }: SyntaxSymbol): string {
  return content.toString('utf8', start - indentBefore(content, start).length, tailEnd);
}

/** None if something else is in front of the byte on its line. */
export function indentBefore(content: Buffer, at: number): string {
  const lineStart = at === 0 ? 0 : content.lastIndexOf(10, at - 1) + 1;
  const before = content.toString('latin1', lineStart, at);
  return /^[ \t]*$/.test(before) ? before : '';
}

/** Lists the declarations of a file. Throws ToolError for a file without a syntax tree. */
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

/** Warns that an outline does not have all of a file. */
export function cutWarning(path: string): string {
  return `${path} is too large or too broken for a whole outline: it declares at least what is listed`;
}

/** Returns how many symbols an answer may show. */
export function roomOf({ isFocused }: Page): { left: number } {
  return { left: isFocused ? MOST_OF_PAGE : MOST_SYMBOLS };
}

/** Shows the symbols at the top of a file that are on the page, while there is space. */
export function showTop(source: Source, { page, depth, withDocs, room }: TopShowing): ShownSymbol[] {
  const shown: ShownSymbol[] = [];
  for (const symbol of childrenOf(source.outline, undefined).slice(page.offset, page.offset + page.limit)) {
    if (room.left <= 0) break;
    shown.push(showSymbol(source, symbol, { depth, withDocs, room }));
  }
  return shown;
}
