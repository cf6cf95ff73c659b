const BLOCK_BYTES = 65_536;

/**
 * Returns the first and the last line of the new content that differ from the old one, from 1. If lines were only removed,
 * it is the line that stands there now. Returns undefined if the contents are equal.
 */
export function changedLines(before: Buffer, after: Buffer): { first: number; last: number } | undefined {
  if (before.equals(after)) return undefined;
  const start = equalStart(before, after);
  const end = after.length - equalEnd(before, after, start);
  const first = 1 + countNewlines(after, 0, start);
  return { first, last: first + countNewlines(after, start, Math.max(start, end - 1)) };
}

function equalStart(before: Buffer, after: Buffer): number {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at + BLOCK_BYTES <= shorter && before.compare(after, at, at + BLOCK_BYTES, at, at + BLOCK_BYTES) === 0) {
    at += BLOCK_BYTES;
  }
  while (at < shorter && before[at] === after[at]) at++;
  return at;
}

/** The number of equal bytes at the end, without those that `start` counts. */
function equalEnd(before: Buffer, after: Buffer, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let count = 0;
  while (count < most && before[before.length - 1 - count] === after[after.length - 1 - count]) count++;
  return count;
}

function countNewlines(content: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = content.indexOf(10, from); at >= 0 && at < to; at = content.indexOf(10, at + 1)) count++;
  return count;
}
