import type { Outline, SyntaxFault } from '../symbols.ts';

/** A version of a file, and its outline. */
export interface ReadVersion {
  readonly content: Buffer;
  readonly outline: Pick<Outline, 'faults'>;
}

/**
 * Returns the syntax errors of a file that it did not have before a change. An error is an old one if it stands at the
 * same place of text that the change left alone, or starts in a line of the same text. An edit within faulty text moves
 * errors about, so the remaining ones count as new only if there are more errors than before.
 */
export function newFaults(before: ReadVersion, after: ReadVersion): readonly SyntaxFault[] {
  const old = [...before.outline.faults];
  const changed = changedRange(before.content, after.content);
  const fresh = after.outline.faults.filter((fault) => !removeFirst(old, (each) => isMoved(each, fault, changed)));
  const lines = old.map((fault) => lineText(before.content, fault.start));
  return fresh.filter((fault) => {
    const at = lines.indexOf(lineText(after.content, fault.start));
    if (at >= 0) lines.splice(at, 1);
    return at < 0;
  });
}

function removeFirst<Item>(items: Item[], fits: (item: Item) => boolean): boolean {
  const at = items.findIndex(fits);
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}

interface ChangedRange {
  /** How many bytes at the start are equal. */
  readonly prefix: number;
  /** The beginning of the equal end, in the version before. */
  readonly suffix: number;
  /** The number that is added to an offset in that part. */
  readonly shift: number;
}

function isMoved(before: SyntaxFault, after: SyntaxFault, { prefix, suffix, shift }: ChangedRange): boolean {
  if (before.missing !== after.missing) return false;
  if (before.start >= suffix) return before.start + shift === after.start;
  return before.start < prefix && before.start === after.start;
}

function changedRange(before: Buffer, after: Buffer): ChangedRange {
  const most = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < most && before[prefix] === after[prefix]) prefix++;
  let same = 0;
  while (same < most - prefix && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  return { prefix, suffix: before.length - same, shift: after.length - before.length };
}

const MOST_LINE = 1_000;

function lineText(content: Buffer, offset: number): string {
  const start = content.lastIndexOf(10, offset - 1) + 1;
  const end = content.indexOf(10, offset);
  const length = end < 0 ? content.length : end;
  return content.toString('latin1', start, Math.min(length, start + MOST_LINE)).trim();
}
