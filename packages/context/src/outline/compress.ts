import { type ByteRange, isOutline, type Outline, type SymbolKind, type SyntaxSymbol } from '@jinn/syntax';
import { type ContentCut, gapsBetween, MARK, MOST_VALUE_LINES, SHOWN_VALUE_LINES } from './compress-gaps.ts';
import { outlineSource } from './outline-source.ts';

const FUNCTIONS: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'constructor', 'test', 'macro']);
const CALLABLE: ReadonlySet<SymbolKind> = new Set([...FUNCTIONS, 'property']);
const VALUES: ReadonlySet<SymbolKind> = new Set(['constant', 'variable', 'field']);
/** Keys, headings and rules have no bodies to leave out. */
const DATA: ReadonlySet<string> = new Set(
  'json yaml toml markdown css html sql graphql proto dockerfile make'.split(' '),
);

/**
 * Returns a source without the bodies of its functions. Imports, exports, signatures, types and comments stay as they
 * are; `…` replaces a body, and `⋮----` statements that declare nothing. Returns undefined for a text that has no
 * syntax tree, or would not become shorter.
 */
export async function compress(content: Buffer, path: string): Promise<Buffer | undefined> {
  const outline = await outlineSource(content, path);
  if (!isOutline(outline) || outline.truncated || DATA.has(outline.language)) return undefined;
  const parts = topParts(outline);
  if (parts.length === 0) return undefined;
  const cuts = [...gapsBetween(content, parts), ...cutsIn(content, outline)].sort((a, b) => a.start - b.start);
  const compressed = apply(content, cuts);
  return compressed.length < content.length ? compressed : undefined;
}

/** Returns the imports and the top-level symbols of the file, in their order. */
function topParts({ symbols, imports }: Outline): ByteRange[] {
  const top = symbols.filter(({ depth }) => depth === 0);
  return [...imports, ...top].sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * Returns the cuts of the bodies of the outermost functions, and of the rest of long values. In an object with
 * functions, only these are cut.
 */
function cutsIn(content: Buffer, { symbols }: Outline): ContentCut[] {
  const holders = new Set(symbols.flatMap(({ kind, parent }) => (CALLABLE.has(kind) ? [parent] : [])));
  const cuts: ContentCut[] = [];
  let last = 0;
  for (const [i, symbol] of symbols.entries()) {
    if (symbol.start < last) continue; // It is within an earlier cut.
    if (holders.has(i) && !FUNCTIONS.has(symbol.kind)) continue;
    const cut = cutOf(content, symbol);
    if (!cut) continue;
    cuts.push(cut);
    last = cut.end;
  }
  return cuts;
}

function cutOf(content: Buffer, { kind, body, doc, start, end }: SyntaxSymbol): ContentCut | undefined {
  if (CALLABLE.has(kind) && body) return cutBody(content, body, doc);
  if (!VALUES.has(kind)) return undefined;
  const lines = content.toString('latin1', start, end).split('\n');
  if (lines.length <= MOST_VALUE_LINES) return undefined;
  const shown = lines.slice(0, SHOWN_VALUE_LINES).join('\n').length;
  return { start: start + shown, end, text: ` ${MARK}` };
}

/** Returns the cut of a body; undefined if there is nothing to cut. A doc string at the start of the body stays. */
function cutBody(content: Buffer, body: ByteRange, doc: ByteRange | undefined): ContentCut | undefined {
  const isInside = doc !== undefined && doc.start >= body.start && doc.end <= body.end;
  const text = content.toString('latin1', body.start, body.end);
  if (text.length <= 2) return undefined;
  if (text.startsWith('{') && text.endsWith('}')) return { ...body, text: `{ ${MARK} }` };
  const lineStart = content.lastIndexOf(10, body.start) + 1;
  const indent = /^[ \t]*/.exec(content.toString('latin1', lineStart, body.start))?.[0] ?? '';
  if (isInside) return doc.end === body.end ? undefined : { start: doc.end, end: body.end, text: `\n${indent}${MARK}` };
  return { ...body, text: MARK };
}

function apply(content: Buffer, cuts: readonly ContentCut[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of cuts) {
    if (start < at) continue;
    parts.push(content.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, content.subarray(at)]);
}
