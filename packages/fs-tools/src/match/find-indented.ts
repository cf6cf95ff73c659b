import type { ToolError } from '@jinn/core/errors';
import { COMPARISONS, FileLines, LineIndex, TRIMMED } from '../edit/line-index.ts';
import { carryOver, indentLike, indentOf, isBlankLine, leastIndent } from '../patch/carry-over.ts';
import { nearestLine } from '../read/text-content.ts';

/** A text as a caller wrote it, and its replacement (bytes as latin1, `\n` at line ends). */
interface WantedText {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Among several places, the one nearest to this line counts, from 1. */
  readonly near?: number | undefined;
}

interface IndentedLines {
  /** The lines where the text starts, from 0. The other members describe the first place. */
  readonly places: readonly number[];
  readonly start: number;
  /** The text as the file has it, and its replacement with the same indentation. */
  readonly before: string;
  readonly after: string;
}

/**
 * Finds whole lines regardless of their indentation, and indents the replacement like them. Returns undefined if there are
 * none. Throws the error that `refuse` makes of a reason if they do not show how to indent.
 */
export function findIndented(
  bytes: string,
  { path, before, after, near }: WantedText,
  refuse: (why: string) => ToolError,
): IndentedLines | undefined {
  const file = new FileLines(bytes, path);
  const [old, wanted] = toLines(before, after);
  const all = findPlaces(file, old);
  const nearest = nearestLine(near && near - 1, all);
  const places = nearest === undefined ? all : [nearest];
  const [start] = places;
  if (start === undefined) return undefined;
  const removed = old.map((text) => ({ sign: '-' as const, text }));
  const added = atPlace(old, wanted).map((text) => ({ sign: '+' as const, text }));
  const standing = old.map((_, i) => file.text(start + i));
  const isClosed = before.endsWith('\n') && file.ending(start + old.length - 1) !== '';
  const toText = (lines: readonly string[]) => lines.join('\n') + (isClosed && lines.length > 0 ? '\n' : '');
  const result = { places, start: file.mark.length + file.bytes(0, start).length, before: toText(standing) };
  if (places.length > 1) return { ...result, after: '' };
  let next = 0;
  const written = carryOver({ lines: [...removed, ...added], file, start }, refuse).flatMap(({ sign, text }) => {
    if (sign === '+') return [text];
    const kept = standing[next++] as string;
    return sign === ' ' ? [kept] : [];
  });
  return { ...result, after: toText(written) };
}

/** Returns the offset of the first place where a text is with another indentation, or undefined if there is none. */
export function offsetOfIndented(bytes: string, { path, before }: Omit<WantedText, 'after'>): number | undefined {
  const file = new FileLines(bytes, path);
  const [first] = findPlaces(file, toLines(before, '')[0]);
  return first === undefined ? undefined : file.mark.length + file.bytes(0, first).length;
}

function toLines(before: string, after: string): [string[], string[]] {
  if (!before.endsWith('\n')) return [before.split('\n'), after.split('\n')];
  const wanted = after === '' ? [] : after.replace(/\n$/, '').split('\n');
  return [before.slice(0, -1).split('\n'), wanted];
}

function findPlaces(file: FileLines, old: readonly string[]): number[] {
  for (const compare of COMPARISONS.slice(TRIMMED)) {
    const places = new LineIndex(file, old, compare, () => {}).find(old, false);
    if (places.length > 0) return places;
  }
  return [];
}

/** Lines that are less indented than all old ones were written without the indentation of the place. */
function atPlace(old: readonly string[], wanted: readonly string[]): readonly string[] {
  if (leastIndent(wanted) >= leastIndent(old)) return wanted;
  return indentLike(wanted, indentOf(old.find((line) => !isBlankLine(line)) ?? ''));
}
