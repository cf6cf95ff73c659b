import { docLineOf, isDamaged, namePathOf, type Outline, type SyntaxSymbol, signatureOf } from '@jinn/syntax';
import type { Source } from './read-source.ts';

/** A symbol in the form in which the tools show it. */
export interface ShownSymbol {
  readonly name: string;
  readonly name_path: string;
  readonly kind: string;
  readonly signature?: string;
  readonly doc?: string;
  readonly start_line: number;
  readonly end_line: number;
  /** How many symbols are directly in it, if they are not shown. */
  readonly hidden_members?: number;
  /** A remark on something odd. */
  readonly note?: string;
  readonly body?: string;
  readonly children?: readonly ShownSymbol[];
}

export interface ShowOptions {
  /** Levels of symbols within the symbol. */
  readonly depth: number;
  readonly withDocs?: boolean | undefined;
  readonly withBody?: boolean | undefined;
  /** How many symbols may still be shown; each shown one is subtracted. */
  readonly room: { left: number };
}

const DAMAGED = 'the syntax tree has errors in it or right behind it: it may end elsewhere';

export function showSymbol(source: Source, symbol: SyntaxSymbol, showing: ShowOptions): ShownSymbol {
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

/** Returns the symbols directly within a symbol; without one, those at the top of the file. */
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

/** Returns the text of a symbol with the indentation of its first line, so that it can be given back as it is. */
function linesOf(content: Buffer, { start, tailEnd }: SyntaxSymbol): string {
  return content.toString('utf8', start - indentBefore(content, start).length, tailEnd);
}

/** Returns the blanks in front of a byte; none if something else is in front of it on its line. */
export function indentBefore(content: Buffer, at: number): string {
  const lineStart = at === 0 ? 0 : content.lastIndexOf(10, at - 1) + 1;
  const before = content.toString('latin1', lineStart, at);
  return /^[ \t]*$/.test(before) ? before : '';
}
