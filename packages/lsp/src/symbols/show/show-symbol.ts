import type { ToolContext, ToolOutput } from '@jinn/core';
import {
  docLineOf,
  isDamaged,
  namePathOf,
  type Outline,
  type SyntaxSymbol,
  signatureOf,
  unreadLines,
} from '@jinn/syntax';
import { overflowOf, type Page, type PagingArgs, toPage } from './paging.ts';
import { readSource, type Source } from './read-source.ts';

export const MOST_TOP = 100;
const MOST_SYMBOLS = 150;
const MOST_OF_PAGE = 2_000;
export const HINT = 'pass detail_level: "full" with offset and limit, or a narrower path';

export interface ListArgs extends PagingArgs {
  readonly path: string;
  readonly depth?: number | undefined;
  readonly include_docs: boolean;
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
  /** How many symbols may still be shown. Each shown one is subtracted. */
  readonly room: { left: number };
}

const DAMAGED = 'the syntax tree has errors in it or right after it: it may end elsewhere';

export function showSymbol(source: Source, symbol: SyntaxSymbol, showing: SymbolShowing): ShownSymbol {
  const { content, outline } = source;
  const { depth, withDocs, withBody, room } = showing;
  const { start } = symbol;
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
    // With the indentation of the first line, so that the text can be given back.
    ...(withBody && { body: content.toString('utf8', start - indentBefore(content, start).length, symbol.tailEnd) }),
    ...(shown.length > 0 && { children: shown }),
  };
}

const membersOf = new WeakMap<Outline, Map<SyntaxSymbol | undefined, SyntaxSymbol[]>>();

/** Without a parent, the symbols at the top of the file. */
export function childrenOf(outline: Outline, parent: SyntaxSymbol | undefined): readonly SyntaxSymbol[] {
  let members = membersOf.get(outline);
  if (!members) {
    members = new Map();
    for (const symbol of outline.symbols) {
      const around = outline.symbols[symbol.parent];
      const known = members.get(around);
      if (known) known.push(symbol);
      else members.set(around, [symbol]);
    }
    membersOf.set(outline, members);
  }
  return members.get(parent) ?? [];
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
  const symbols = showTop(source, page, { depth: args.depth ?? 1, withDocs: args.include_docs, room: roomOf(page) });
  const total = childrenOf(source.outline, undefined).length;
  const overflow = overflowOf({ ...page, limit: symbols.length }, { total, hint: HINT });
  const { path, version, outline } = source;
  return {
    data: { file: path, symbols, ...(overflow && { total, overflow }), ...(outline.truncated && { at_least: true }) },
    ...(overflow && { truncated: true, totalCount: total }),
    meta: { version, ...(outline.truncated && { truncated: true }) },
    warnings: gapsIn(path, outline),
  };
}

/** Warns if an outline may not have all of a file. */
export function gapsIn(path: string, outline: Outline): string[] {
  const lines = unreadLines(outline);
  return [
    ...(outline.truncated
      ? [`${path} is too large or too broken for a whole outline: it declares at least what is listed`]
      : []),
    ...(lines === '' ? [] : [`${path} may declare more where it cannot be parsed: lines ${lines}`]),
  ];
}

/** Returns how many symbols an answer may show. */
export function roomOf({ isFocused }: Page): { left: number } {
  return { left: isFocused ? MOST_OF_PAGE : MOST_SYMBOLS };
}

/** Shows the symbols at the top of a file that are on the page, while there is space. */
export function showTop(source: Source, page: Page, { depth, withDocs, room }: SymbolShowing): ShownSymbol[] {
  const shown: ShownSymbol[] = [];
  for (const symbol of childrenOf(source.outline, undefined).slice(page.offset, page.offset + page.limit)) {
    if (room.left <= 0) break;
    shown.push(showSymbol(source, symbol, { depth, withDocs, room }));
  }
  return shown;
}
