const LINE_BREAK = /\r\n?|\n/g;

/**
 * Makes a function that gives the line ending for new lines in the range of a match: the first one in it, or else the last
 * before it, or else the next behind it; `fallback` if the text has none. To be asked for ranges in order: it reads the text
 * once in all.
 */
export function createEndingFinder(bytes: string, fallback: string): (start: number, end: number) => string {
  if (!bytes.includes('\r')) return () => (bytes.includes('\n') ? '\n' : fallback);
  const breaks = bytes.matchAll(LINE_BREAK);
  let next = breaks.next().value;
  let before: string | undefined;
  return (start, end) => {
    for (; next && next.index < start; next = breaks.next().value) [before] = next;
    return (next && next.index < end ? next[0] : before) ?? next?.[0] ?? fallback;
  };
}
