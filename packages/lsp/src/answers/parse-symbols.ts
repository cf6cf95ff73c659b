import { isObject } from '@jinn/core/text';
import type { Range } from 'vscode-languageserver-protocol';
import { countCharacters, type Place, type PlaceRange, type TextLines } from '../client/positions.ts';
import { scalarText } from '../client/server-requests.ts';
import { comparePlaces, parseRange, type Resolver } from './locations.ts';

const MAX_SYMBOLS = 20_000;
const MAX_DEPTH = 64;
const MAX_NAME = 500;

/** The names of the kinds, from 1 on, as the protocol numbers them. */
const KINDS =
  'File Module Namespace Package Class Method Property Field Constructor Enum Interface Function Variable Constant String Number Boolean Array Object Key Null EnumMember Struct Event Operator TypeParameter'.split(
    ' ',
  );

/** A symbol of a file. */
export interface ServerSymbol {
  readonly name: string;
  readonly kind: string;
  readonly detail?: string;
  /** The extent as the server sees it. It need not be the declaration. */
  readonly range: PlaceRange;
  /** The range of the name. */
  readonly nameRange: PlaceRange;
  /**
   * True if the range may be taken for the whole declaration: the name is within, and the range starts at the first
   * word of a line. False for the `x = 1` of `export const x = 1`, of which servers give less than the declaration.
   */
  readonly isWhole: boolean;
  readonly children: readonly ServerSymbol[];
}

/** Reads both shapes: a tree of DocumentSymbol and a flat list of SymbolInformation, ordered as in the file. */
export function parseSymbols(result: unknown, lines: TextLines, resolver: Resolver): ServerSymbol[] {
  const symbols = parseLevel(result, { lines, resolver, counter: { left: MAX_SYMBOLS }, depth: 0 });
  const isFlat = Array.isArray(result) && result.some((entry) => isObject(entry) && isObject(entry['location']));
  return isFlat ? nest(symbols) : symbols;
}

function nest(symbols: readonly ServerSymbol[]): ServerSymbol[] {
  const sorted = symbols.toSorted(
    (a, b) => comparePlaces(a.range.start, b.range.start) || comparePlaces(b.range.end, a.range.end),
  );
  const top: ServerSymbol[] = [];
  const open: { readonly symbol: ServerSymbol; readonly children: ServerSymbol[] }[] = [];
  for (const flat of sorted) {
    const children: ServerSymbol[] = [];
    const symbol = { ...flat, children };
    while (open.length > 0 && !holds(open.at(-1)?.symbol.range, symbol.range)) open.pop();
    // It gets no deeper than a tree that a server sends.
    (open.length < MAX_DEPTH ? (open.at(-1)?.children ?? top) : top).push(symbol);
    open.push({ symbol, children });
  }
  return top;
}

function holds(outer: PlaceRange | undefined, inner: PlaceRange): boolean {
  if (!outer || comparePlaces(outer.end, inner.end) < 0) return false;
  return comparePlaces(outer.start, inner.start) < 0 || comparePlaces(inner.end, outer.end) < 0;
}

interface Level {
  readonly lines: TextLines;
  readonly resolver: Resolver;
  readonly counter: { left: number };
  readonly depth: number;
}

function parseLevel(list: unknown, level: Level): ServerSymbol[] {
  if (!Array.isArray(list) || level.depth > MAX_DEPTH) return [];
  const symbols: ServerSymbol[] = [];
  for (const entry of list) {
    if (level.counter.left <= 0) break;
    const symbol = parseSymbol(entry, level);
    if (symbol) symbols.push(symbol);
  }
  return symbols.sort((a, b) => comparePlaces(a.nameRange.start, b.nameRange.start));
}

function parseSymbol(entry: unknown, level: Level): ServerSymbol | undefined {
  if (!isObject(entry)) return undefined;
  const { location } = entry;
  const range = parseRange(entry['range'] ?? (isObject(location) ? location['range'] : undefined));
  if (!range) return undefined;
  const selection = parseRange(entry['selectionRange']) ?? range;
  level.counter.left--;
  const name = scalarText(entry['name']).slice(0, MAX_NAME);
  const nameRange = findName(level.lines, level.resolver.range(level.lines, selection), name);
  const places = level.resolver.range(level.lines, range);
  const detail = typeof entry['detail'] === 'string' ? entry['detail'].trim().slice(0, MAX_NAME) : '';
  return {
    name,
    kind: kindName(entry['kind']),
    ...(detail !== '' && { detail }),
    range: places,
    nameRange,
    isWhole: isWhole(level.lines, places, nameRange, name),
    children: parseLevel(entry['children'], { ...level, depth: level.depth + 1 }),
  };
}

function kindName(kind: unknown): string {
  return KINDS[Number(scalarText(kind)) - 1] ?? 'Symbol';
}

function findName(lines: TextLines, range: PlaceRange, name: string): PlaceRange {
  const { start, end } = range;
  const line = lines.line(start.line - 1) ?? '';
  const characters = [...line];
  if (start.line === end.line && characters.slice(start.character - 1, end.character - 1).join('') === name)
    return range;
  const rest = characters.slice(start.character - 1).join('');
  const at = name === '' ? -1 : indexOfWord(rest, name);
  if (at < 0) return range;
  const character = start.character + [...rest.slice(0, at)].length;
  const place = { line: start.line, character };
  return { start: place, end: { line: start.line, character: character + [...name].length } };
}

const WORD = /[\p{ID_Continue}$]/u;

/** Returns the index of a whole identifier in a line from an index on, or -1: `id` is not found in `width`. */
export function indexOfWord(line: string, word: string, from = 0): number {
  for (let at = line.indexOf(word, from); at >= 0; at = line.indexOf(word, at + 1)) {
    const before = [...line.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
    const [after = ''] = line.slice(at + word.length, at + word.length + 2);
    if (!WORD.test(before) && !WORD.test(after)) return at;
  }
  return -1;
}

/** Returns the place of a whole identifier in a line, both counted from 1, or undefined if it does not stand there. */
export function findWord(lines: TextLines, word: string, line: number): Place | undefined {
  const text = lines.line(line - 1) ?? '';
  const at = word === '' ? -1 : indexOfWord(text, word);
  return at < 0 ? undefined : { line, character: countCharacters(text.slice(0, at)) + 1 };
}

function isWhole(lines: TextLines, range: PlaceRange, nameRange: PlaceRange, name: string): boolean {
  const isInside = comparePlaces(range.start, nameRange.start) <= 0 && comparePlaces(nameRange.end, range.end) <= 0;
  const head = [...(lines.line(range.start.line - 1) ?? '')].slice(0, range.start.character - 1).join('');
  const shown = [...(lines.line(nameRange.start.line - 1) ?? '')];
  const text = shown.slice(nameRange.start.character - 1, nameRange.end.character - 1).join('');
  const isMore = comparePlaces(range.start, nameRange.start) < 0 || comparePlaces(nameRange.end, range.end) < 0;
  return isInside && isMore && head.trim() === '' && text === name;
}

/** A range that a server gave for a symbol elsewhere, with its name and kind. */
export interface NamedRange {
  readonly name: string;
  readonly kind: string;
  readonly container?: string;
  readonly uri: string;
  readonly range: Range;
}

/** Reads SymbolInformation, WorkspaceSymbol and CallHierarchyItem, which all name a symbol of some file. */
export function parseNamed(entry: unknown): NamedRange | undefined {
  if (!isObject(entry)) return undefined;
  const location = isObject(entry['location']) ? entry['location'] : entry;
  const { uri } = location;
  // A WorkspaceSymbol may come without its range. Its file is known all the same.
  const start = { line: 0, character: 0 };
  const range = parseRange(location['selectionRange'] ?? location['range']) ?? { start, end: start };
  if (typeof uri !== 'string') return undefined;
  const container = entry['containerName'];
  return {
    name: scalarText(entry['name']).slice(0, MAX_NAME),
    kind: kindName(entry['kind']),
    ...(typeof container === 'string' && container !== '' && { container: container.slice(0, MAX_NAME) }),
    uri,
    range,
  };
}
