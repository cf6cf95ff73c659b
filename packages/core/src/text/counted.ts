/** Returns a number with its noun: `1 match`, `2 matches`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun}${/(?:ch|s|x)$/.test(noun) ? 'es' : 's'}`;
}

/** Counts the line feeds of a text, or those between two of its offsets. */
export function countLineFeeds(text: string | Buffer, from = 0, to = text.length): number {
  const feed = (typeof text === 'string' ? '\n' : 10) as '\n';
  let count = 0;
  for (let at = text.indexOf(feed, from); at >= 0 && at < to; at = text.indexOf(feed, at + 1)) count++;
  return count;
}

/** Returns the first of some positions for which a test holds, which then holds for all after it. `end` if it holds for none. */
export function firstWhere(end: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns an offset in UTF-8, or that of the next character if it is within one. */
export function characterStart(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length);
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++;
  return start;
}
