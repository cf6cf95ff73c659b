import { docLineOf, isOutline, type SyntaxSymbol, signatureOf } from '@jinn/syntax';
import { type FocusTerms, splitName, stemOf } from '../signals/focus-terms.ts';
import { outlineSource } from './outline-source.ts';

const MAX_LINES = 200;
const INDENT = 2;
const MOST_SIGNATURE = 100;
/** The shares of lines that are tried when an outline must be shorter. */
const SHORTER = 0.7;
/** The words before the first name in a declaration of several names, as in `export const A = 1, B = 2`. */
const KEYWORDS = /^\s*((?:(?:export|declare|const|let|var)\s+)+)/;
/** Symbols that only the file itself or its package may use, by their signature or name. */
const HIDDEN = /^(?:[#_]|(?:[\w@]+\s+)*(?:private|protected)\b)/;

/** The outline of a source, in more than one length. */
export interface SizedOutline {
  readonly full: string;
  /** Returns the longest outline without doc comments that fits, or undefined if even a few symbols do not fit. */
  shorter(fits: (outline: string) => boolean): string | undefined;
}

/** Reads the outline of a source: a sentence that it is one, and a line per symbol. Of very many, the deepest are omitted. */
export async function readOutline(text: string, path: string, focus?: FocusTerms): Promise<SizedOutline> {
  const content = Buffer.from(text);
  const outline = await outlineSource(content, path);
  const symbols = isOutline(outline) ? outline.symbols : [];
  const size = countLines(text);
  const chosen = symbols.length <= MAX_LINES ? symbols : inOrder(byWeight(content, symbols, focus).slice(0, MAX_LINES));
  const full = toText(
    chosen.map((symbol) => lineOf(content, symbol)),
    symbols.length,
    size,
  );
  return {
    full,
    shorter: (fits) => {
      const order = byWeight(content, symbols, focus);
      for (let count = Math.min(symbols.length, MAX_LINES); count > 0; count = Math.floor(count * SHORTER)) {
        const lines = inOrder(order.slice(0, count)).map((symbol) => {
          const line = lineOf(content, symbol, false);
          return line.length > MOST_SIGNATURE ? `${line.slice(0, MOST_SIGNATURE)}…` : line;
        });
        const shorter = toText(lines, symbols.length, size);
        if (fits(shorter)) return shorter;
      }
      return undefined;
    },
  };
}

function toText(lines: readonly string[], all: number, size: number): string {
  const symbols = `${all} ${all === 1 ? 'symbol' : 'symbols'}`;
  const count = lines.length === all ? symbols : `${lines.length} of ${symbols}`;
  const lineCount = `${size} ${size === 1 ? 'line' : 'lines'}`;
  return [`[outline: ${count} of a file of ${lineCount}, without the rest]`, ...lines].join('\n');
}

function byWeight(content: Buffer, symbols: readonly SyntaxSymbol[], focus?: FocusTerms): SyntaxSymbol[] {
  const matches = matchesOf(symbols, focus);
  const isHidden = ({ name }: SyntaxSymbol, signature: string) => HIDDEN.test(name) || HIDDEN.test(signature);
  return symbols
    .map((symbol, i) => ({
      symbol,
      match: matches[i] ?? 0,
      hidden: Number(isHidden(symbol, signatureOf(content, symbol))),
      lines: symbol.endLine - symbol.startLine,
    }))
    .sort((a, b) => b.match - a.match || a.symbol.depth - b.symbol.depth || a.hidden - b.hidden || b.lines - a.lines)
    .map(({ symbol }) => symbol);
}

function matchesOf(symbols: readonly SyntaxSymbol[], focus: FocusTerms | undefined): readonly number[] {
  if (!focus) return [];
  const words = symbols.map(({ name }) => new Set(splitName(name).map(stemOf)));
  const weights = focus.terms.map((term) => 1 / words.filter((word) => word.has(term)).length);
  const matches = symbols.map(({ name }, i) =>
    focus.terms.reduce(
      (sum, term, at) => sum + (words[i]?.has(term) ? (weights[at] ?? 0) : 0),
      Number(focus.names.includes(name)),
    ),
  );
  for (let i = symbols.length - 1; i >= 0; i--) {
    const parent = symbols[i]?.parent ?? -1;
    if (parent >= 0) matches[parent] = Math.max(matches[parent] ?? 0, matches[i] ?? 0);
  }
  return matches;
}

function inOrder(symbols: readonly SyntaxSymbol[]): SyntaxSymbol[] {
  return symbols.toSorted((a, b) => a.start - b.start || a.depth - b.depth);
}

function countLines(text: string): number {
  const parts = text.split('\n');
  return parts.at(-1) === '' ? parts.length - 1 : parts.length;
}

function lineOf(content: Buffer, symbol: SyntaxSymbol, withDoc = true): string {
  const doc = withDoc ? docLineOf(content, symbol) : undefined;
  const signature = keywordsBefore(content, symbol) + (signatureOf(content, symbol) || symbol.name);
  const indent = ' '.repeat(INDENT * symbol.depth);
  return `${' '.repeat(INDENT)}${symbol.line}: ${indent}${signature}${doc === undefined ? '' : ` — ${doc}`}`;
}

function keywordsBefore(content: Buffer, { kind, signatureStart }: SyntaxSymbol): string {
  if (kind !== 'constant' && kind !== 'variable') return '';
  const lineStart = content.lastIndexOf(0x0a, signatureStart - 1) + 1;
  return KEYWORDS.exec(content.toString('utf8', lineStart, signatureStart))?.[1] ?? '';
}
