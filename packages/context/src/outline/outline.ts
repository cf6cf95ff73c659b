import { docLineOf, isOutline, type Outline, type SyntaxSymbol, signatureOf } from '@jinn/syntax';
import { outlineSource } from './outline-source.ts';

const MAX_LINES = 200;
const INDENT = 2;
/** What a declaration of several names says before the first one, as in `export const A = 1, B = 2`. */
const KEYWORDS = /^\s*((?:(?:export|declare|const|let|var)\s+)+)/;

/**
 * Outlines a source: a sentence that says so, and a line for each symbol with its line number, its signature and the first
 * line of its doc comment. Of very many symbols, those that are deepest are left out first. A text that has no syntax tree
 * gets the sentence alone.
 */
export async function outlineOf(text: string, path: string): Promise<string> {
  const content = Buffer.from(text);
  const outline = await outlineSource(content, path);
  const symbols = isOutline(outline) ? chooseSymbols(outline) : [];
  const lines = symbols.map((symbol) => lineOf(content, symbol));
  const symbolCount = `${lines.length} ${lines.length === 1 ? 'symbol' : 'symbols'}`;
  const all = countLines(text);
  const lineCount = `${all} ${all === 1 ? 'line' : 'lines'}`;
  return [`[outline: ${symbolCount} of a file of ${lineCount}; the rest was left out]`, ...lines].join('\n');
}

/** Counts the lines of a text. A newline at the end begins no line. */
function countLines(text: string): number {
  const parts = text.split('\n');
  return parts.at(-1) === '' ? parts.length - 1 : parts.length;
}

function chooseSymbols({ symbols }: Outline): readonly SyntaxSymbol[] {
  const deepest = Math.max(0, ...symbols.slice(0, 10_000).map(({ depth }) => depth));
  for (let depth = deepest; depth > 0; depth--) {
    const shown = symbols.filter((symbol) => symbol.depth <= depth);
    if (shown.length <= MAX_LINES) return shown;
  }
  return symbols.filter(({ depth }) => depth === 0).slice(0, MAX_LINES);
}

function lineOf(content: Buffer, symbol: SyntaxSymbol): string {
  const doc = docLineOf(content, symbol);
  const signature = keywordsBefore(content, symbol) + (signatureOf(content, symbol) || symbol.name);
  const indent = ' '.repeat(INDENT * symbol.depth);
  return `${' '.repeat(INDENT)}${symbol.line}: ${indent}${signature}${doc === undefined ? '' : ` — ${doc}`}`;
}

function keywordsBefore(content: Buffer, { kind, signatureStart }: SyntaxSymbol): string {
  if (kind !== 'constant' && kind !== 'variable') return '';
  const lineStart = content.lastIndexOf(0x0a, signatureStart - 1) + 1;
  return KEYWORDS.exec(content.toString('utf8', lineStart, signatureStart))?.[1] ?? '';
}
