import { diffLines, type LineChange } from './line-diff.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_EDITS = 1_000;

/** A change of a file that was followed by others. */
export interface PastChange {
  readonly before: Buffer;
  readonly after: Buffer;
  /** The content of the file now. */
  readonly now: Buffer;
}

/**
 * Takes a change out of the present content of a file. Returns undefined if one of its lines, or a line beside them,
 * has changed since; also for a content that is not text, or too large to compare.
 */
export function removeChange({ before, after, now }: PastChange): Buffer | undefined {
  const contents = [after, before, now];
  const bytes = contents.reduce((sum, content) => sum + content.length, 0);
  if (bytes > MAX_BYTES || contents.some((content) => content.includes(0))) return undefined;
  const numbers = new Map<string, number>();
  const [left, old, current] = contents.map((content) => readLines(content, numbers)) as [Lines, Lines, Lines];
  const since = diffLines(left.numbers, current.numbers, MAX_EDITS);
  const parts: string[] = [];
  let [next, seen, shift] = [0, 0, 0];
  for (const change of diffLines(left.numbers, old.numbers, MAX_EDITS)) {
    for (let each = since[seen]; each && each.end < change.start; each = since[++seen]) shift += growthOf(each);
    const other = since[seen];
    if (other && other.start <= change.end) {
      if (!isSame(change, old, other, current)) return undefined;
      continue;
    }
    parts.push(current.texts.slice(next, change.start + shift).join(''));
    parts.push(old.texts.slice(change.otherStart, change.otherEnd).join(''));
    next = change.end + shift;
  }
  return Buffer.from(parts.concat(current.texts.slice(next)).join(''), 'latin1');
}

/** Lines with their ends, as latin1, so that no byte is lost; equal ones have equal numbers. */
interface Lines {
  readonly texts: readonly string[];
  readonly numbers: Int32Array;
}

function readLines(content: Buffer, known: Map<string, number>): Lines {
  const texts = content.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const numbers = Int32Array.from(texts, (text) => {
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  });
  return { texts, numbers };
}

function growthOf({ start, end, otherStart, otherEnd }: LineChange): number {
  return otherEnd - otherStart - (end - start);
}

/** Reports whether two changes of the same lines have the same result. */
function isSame(one: LineChange, lines: Lines, other: LineChange, others: Lines): boolean {
  const [mine, theirs] = [
    lines.numbers.subarray(one.otherStart, one.otherEnd),
    others.numbers.subarray(other.otherStart, other.otherEnd),
  ];
  const isThere = one.start === other.start && one.end === other.end;
  return isThere && mine.length === theirs.length && mine.every((number, i) => number === theirs[i]);
}
