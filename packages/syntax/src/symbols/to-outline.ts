import type { FoundFault } from '../faults/find-faults.ts';
import type { SourceText } from '../parse/source-text.ts';
import type { ByteRange, Outline, SyntaxFault, SyntaxSymbol } from '../symbols.ts';
import { trimmedEnd } from './text-around.ts';
import type { WalkedSymbols } from './walk-symbols.ts';

const MOST_FAULTS = 100;
/** The shortest string that V8 may keep as a part of another one. */
const SHORTEST_PART = 13;

/** Turns units of the text into bytes and lines. */
export function toOutline({
  language,
  source,
  findings,
  faults,
}: {
  readonly language: string;
  readonly source: SourceText;
  readonly findings: WalkedSymbols;
  readonly faults: readonly FoundFault[];
}): Outline {
  const lineOf = lineFinder(source.text);
  const range = (start: number, end: number): ByteRange => ({ start: source.toByte(start), end: source.toByte(end) });
  const tails = tailsByEnd(source.text, findings.tails);
  const overloads = new Map<string, number>();
  const symbols = findings.symbols.map((found): SyntaxSymbol => {
    const name = copy(found.name);
    const path = found.path === found.name ? name : copy(found.path);
    const overload = overloads.get(path) ?? 0;
    overloads.set(path, overload + 1);
    return {
      name,
      kind: found.kind,
      path,
      overload,
      parent: found.parent,
      depth: found.depth,
      start: source.toByte(found.start),
      end: source.toByte(found.end),
      tailEnd: source.toByte(tails.get(found.end) ?? found.end),
      signatureStart: source.toByte(found.signatureStart),
      nameStart: source.toByte(found.nameStart),
      nameEnd: source.toByte(found.nameEnd),
      body: found.bodyStart < 0 ? undefined : range(found.bodyStart, found.bodyEnd),
      doc: found.docStart < 0 ? undefined : range(found.docStart, found.docEnd),
      startLine: lineOf(found.start),
      endLine: lineOf(Math.max(found.start, found.end - 1)),
      line: lineOf(found.nameStart),
      shared: found.shared,
    };
  });
  return {
    language,
    symbols,
    imports: findings.imports.map(({ start, end }) => range(start, end)),
    faults: faults.slice(0, MOST_FAULTS).map((fault): SyntaxFault => {
      const { start, end } = fault;
      return { ...fault, ...range(start, end), line: lineOf(start), endLine: lineOf(Math.max(start, end - 1)) };
    }),
    truncated: findings.truncated || faults.length >= MOST_FAULTS,
  };
}

function tailsByEnd(text: string, tails: WalkedSymbols['tails']): ReadonlyMap<number, number> {
  return new Map(
    tails.flatMap(({ start, end }): [number, number][] => {
      const before = trimmedEnd(text, 0, start);
      const isSeparated = /[;,]/.test(text[before - 1] ?? '');
      return [[before, end], ...(isSeparated ? [[trimmedEnd(text, 0, before - 1), end] as [number, number]] : [])];
    }),
  );
}

function copy(text: string): string {
  return text.length < SHORTEST_PART ? text : Buffer.from(text).toString();
}

function lineFinder(text: string): (unit: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (unit) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= unit) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
