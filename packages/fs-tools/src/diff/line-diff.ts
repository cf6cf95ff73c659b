import { diffArrays } from 'diff/lib/diff/array.js';

/** Lines that differ: those of the first side from `start` up to `end`, and those of the second side in their place. */
export interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/** If the shortest diff needs more than `maxEdits`, all lines from the first to the last that differ are one change. */
export function diffLines(a: readonly string[], b: readonly string[], maxEdits: number): LineChange[] {
  const shorter = Math.min(a.length, b.length);
  let [head, tail] = [0, 0];
  while (head < shorter && a[head] === b[head]) head++;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [old, now] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const found = diffArrays(old, now, { maxEditLength: maxEdits });
  if (!found) return [{ start: head, end: a.length - tail, otherStart: head, otherEnd: b.length - tail }];
  const changes: LineChange[] = [];
  let [end, otherEnd] = [head, head];
  for (const { count, added, removed } of found) {
    const [start, otherStart] = [end, otherEnd];
    if (!added) end += count;
    if (!removed) otherEnd += count;
    if (!added && !removed) continue;
    const last = changes.at(-1);
    if (last?.end === start && last.otherEnd === otherStart) changes.splice(-1, 1, { ...last, end, otherEnd });
    else changes.push({ start, end, otherStart, otherEnd });
  }
  return changes;
}

/** Splits a text into lines, each with its `\n`. */
export function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
