import type { FoundFault } from './find-faults.ts';
import type { FoundSymbol } from './found-symbol.ts';
import type { SourceText } from './source-text.ts';
import type { ByteRange, Outline, SyntaxFault, SyntaxSymbol } from './symbols.ts';
import type { Findings } from './walk-symbols.ts';

export interface ReadFile {
  readonly content: Buffer;
  readonly language: string;
  readonly source: SourceText;
  readonly findings: Findings;
  readonly faults: readonly FoundFault[];
}

const MOST_FAULTS = 100;

/** Turns units into bytes and lines. Names are copies: a part of the text would keep all of it in memory. */
export function toOutline({ content, language, source, findings, faults }: ReadFile): Outline {
  const lineOf = lineFinder(content);
  const range = (start: number, end: number): ByteRange => ({ start: source.toByte(start), end: source.toByte(end) });
  const overloads = new Map<string, number>();
  const symbols = findings.symbols.map((found): SyntaxSymbol => {
    const path = copy(found.path);
    const overload = overloads.get(path) ?? 0;
    overloads.set(path, overload + 1);
    return { ...toSymbol(found, range, lineOf), path, overload };
  });
  return {
    language,
    symbols,
    imports: findings.imports.map(({ start, end }) => range(start, end)),
    faults: faults.slice(0, MOST_FAULTS).map((fault) => toFault(fault, range, lineOf)),
    truncated: findings.truncated || faults.length >= MOST_FAULTS,
  };
}

type ToRange = (start: number, end: number) => ByteRange;

function toSymbol(
  found: FoundSymbol,
  range: ToRange,
  lineOf: (byte: number) => number,
): Omit<SyntaxSymbol, 'path' | 'overload'> {
  const { kind, parent, depth, shared } = found;
  const whole = range(found.start, found.end);
  const name = range(found.nameStart, found.nameEnd);
  return {
    ...{ name: copy(found.name), kind, parent, depth, shared },
    ...whole,
    signatureStart: range(found.signatureStart, found.signatureStart).start,
    nameStart: name.start,
    nameEnd: name.end,
    body: found.bodyStart < 0 ? undefined : range(found.bodyStart, found.bodyEnd),
    doc: found.docStart < 0 ? undefined : range(found.docStart, found.docEnd),
    startLine: lineOf(whole.start),
    endLine: lineOf(Math.max(whole.start, whole.end - 1)),
    line: lineOf(name.start),
  };
}

function toFault({ start, end, missing }: FoundFault, range: ToRange, lineOf: (byte: number) => number): SyntaxFault {
  const bytes = range(start, end);
  return { ...bytes, line: lineOf(bytes.start), missing };
}

function copy(text: string): string {
  return Buffer.from(text).toString();
}

/** The line of a byte, from 1. */
function lineFinder(content: Buffer): (byte: number) => number {
  const starts = [0];
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) starts.push(at + 1);
  return (byte) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= byte) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
