import { diffWordsWithSpace } from 'diff';
import type { Range } from './segments.ts';

/** Longer lines are not compared word by word. */
const MAX_LINE = 500;
/** If two lines share less, marks would show nothing but noise. */
const MIN_SHARED = 0.3;

interface WordMarks {
  readonly removed: readonly Range[];
  readonly added: readonly Range[];
}

function compareWords(before: string, after: string): WordMarks | undefined {
  if (before.length > MAX_LINE || after.length > MAX_LINE) return undefined;
  const removed: Range[] = [];
  const added: Range[] = [];
  let [oldAt, newAt, shared] = [0, 0, 0];
  for (const { value, added: isNew, removed: isOld } of diffWordsWithSpace(before, after)) {
    if (isOld) removed.push([oldAt, oldAt + value.length]);
    else if (isNew) added.push([newAt, newAt + value.length]);
    else shared += value.trim().length;
    if (!isNew) oldAt += value.length;
    if (!isOld) newAt += value.length;
  }
  const longer = Math.max(before.trim().length, after.trim().length);
  return shared >= MIN_SHARED * longer ? { removed, added } : undefined;
}

/** A line of a diff. */
export interface ChangedLine {
  readonly type: 'added' | 'removed' | 'context';
  readonly content: string;
}

/** How many added lines are tried as the new version of a removed one. */
const MAX_TRIED = 3;

/** Finds the changed words of the lines of a hunk: each removed line is compared with the added ones in its place. */
export function markChanges<T extends ChangedLine>(changes: readonly T[]): Map<T, readonly Range[]> {
  const marks = new Map<T, readonly Range[]>();
  for (let at = 0; at < changes.length; ) {
    const removed = takeWhile(changes, at, 'removed');
    const added = takeWhile(changes, at + removed.length, 'added');
    markRun(removed, added, marks);
    at += removed.length + added.length || 1;
  }
  return marks;
}

function takeWhile<T extends ChangedLine>(changes: readonly T[], start: number, type: T['type']): T[] {
  let end = start;
  while (changes[end]?.type === type) end++;
  return changes.slice(start, end);
}

function markRun<T extends ChangedLine>(removed: readonly T[], added: readonly T[], marks: Map<T, readonly Range[]>) {
  let next = 0;
  for (const before of removed) {
    for (let i = next; i < Math.min(next + MAX_TRIED, added.length); i++) {
      const after = added[i] as T;
      const found = compareWords(before.content, after.content);
      if (!found) continue;
      marks.set(before, found.removed).set(after, found.added);
      next = i + 1;
      break;
    }
  }
}
