import type { Outline, SyntaxFault, SyntaxSymbol } from '../symbols.ts';
import { EMPTY_BLOCK } from './find-indentation-faults.ts';

/** Characters that may open or close something, so that the text behind them is read as something else. */
const DELIMITERS = /[{}"'`]/;
/** A closing brace ends the declaration. */
const ENDS_WITH_BRACE = /\}[;,)\s]*$/;

/**
 * Reports whether the declaration of a symbol may end elsewhere than in the syntax tree of the content: there is an
 * error right behind it, or one in it that is more than a part of a line between its braces.
 */
export function isDamaged({ faults }: Pick<Outline, 'faults'>, symbol: SyntaxSymbol, content: Buffer): boolean {
  let next = symbol.end;
  while (next < content.length && isBlank(content[next] as number)) next++;
  const near = faults.filter(({ start }) => symbol.start <= start && start <= next).filter(isOfTree);
  if (near.length === 0) return false;
  const isBraced = ENDS_WITH_BRACE.test(
    content.toString('latin1', Math.max(symbol.start, symbol.end - 10), symbol.end),
  );
  return !isBraced || near.some((fault) => !isHarmless(fault, symbol, content));
}

function isOfTree({ problem, missing }: SyntaxFault): boolean {
  return problem === undefined && missing !== EMPTY_BLOCK;
}

function isHarmless({ start, end, missing }: SyntaxFault, symbol: SyntaxSymbol, content: Buffer): boolean {
  if (end >= symbol.end) return false;
  return !DELIMITERS.test(missing ?? content.toString('latin1', start, end));
}

function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}
