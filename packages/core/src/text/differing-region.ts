const NEWLINE = 10;

export interface DifferingRegion {
  /** The offset where the difference starts, in both. */
  readonly start: number;
  readonly tail: number;
}

/** Finds the range that differs, in whole lines and with `context` lines around it. */
export function differingRegion(before: Buffer, after: Buffer, context: number): DifferingRegion {
  const shorter = Math.min(before.length, after.length);
  let start = lineStart(before, equalStart(before, after));
  for (let i = 0; i < context && start > 0; i++) start = lineStart(before, start - 1);
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  // The tail starts with the first whole line of what is equal, and `context` lines further down.
  for (let i = 0; i <= context && tail > 0; i++) {
    const newline = before.indexOf(NEWLINE, before.length - tail);
    tail = newline < 0 ? 0 : before.length - newline - 1;
  }
  return { start, tail };
}

function lineStart(content: Buffer, at: number): number {
  return at === 0 ? 0 : content.lastIndexOf(NEWLINE, at - 1) + 1;
}

function equalStart(before: Buffer, after: Buffer): number {
  const shorter = Math.min(before.length, after.length);
  const step = 65_536;
  let at = 0;
  while (at + step <= shorter && before.compare(after, at, at + step, at, at + step) === 0) at += step;
  while (at < shorter && before[at] === after[at]) at++;
  return at;
}
