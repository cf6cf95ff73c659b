import { docLineOf, isOutline, type Outline, type SyntaxSymbol, signatureOf } from '@jinn/syntax';
import { outlineSource } from './outline-source.ts';

const MAX_LINES = 200;
const INDENT = 2;

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
  return [`[outline: ${lines.length} of ${text.split('\n').length} lines; the rest was left out]`, ...lines].join('\n');
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
  const signature = signatureOf(content, symbol) || symbol.name;
  const indent = ' '.repeat(INDENT * symbol.depth);
  return `${' '.repeat(INDENT)}${symbol.line}: ${indent}${signature}${doc === undefined ? '' : ` — ${doc}`}`;
}
