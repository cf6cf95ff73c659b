import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';

const MAX_EDITS = 4_000;
/** `patch` ends a name at its first blank unless a tab follows it; git writes that tab. */
const NAME_WITH_SPACE = /^(?:---|\+\+\+) [^"\n]* [^\n]*$/gm;
const NO_NEWLINE = '\\ No newline at end of file';

export interface DiffSide {
  /** The name after `a/` or `b/`. */
  readonly path: string;
  readonly content: Buffer;
}

export interface UnifiedDiff {
  /** A diff that `patch -p1` and `git apply` take; empty when the contents are equal. */
  readonly text: string;
  /** The first line of the new side that differs, from 1; undefined when the contents are equal. */
  readonly firstChangedLine?: number;
}

/**
 * Compares two contents line by line, as bytes: line endings, a missing final newline and bytes that are no UTF-8
 * all count. Linear in what is equal; when the rest differs by more than `maxEdits`, it is shown as replaced whole: the
 * search for the shortest diff is quadratic in them.
 */
export function unifiedDiff(before: DiffSide, after: DiffSide, context: number, maxEdits = MAX_EDITS): UnifiedDiff {
  if (before.content.equals(after.content)) return { text: '' };
  // Latin-1 maps each byte to one character, so that no byte is lost on the way through strings.
  const [old, now] = [before.content.toString('latin1'), after.content.toString('latin1')];
  const hunks = findHunks(old, now, context, maxEdits);
  const patch = {
    oldFileName: `a/${before.path}`,
    newFileName: `b/${after.path}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
  };
  const header = formatPatch({ ...patch, hunks: [] }, FILE_HEADERS_ONLY).replace(NAME_WITH_SPACE, '$&\t');
  const body = Buffer.from(formatPatch(patch, OMIT_HEADERS), 'latin1').toString();
  return { text: header + body, firstChangedLine: firstChange(hunks[0]) };
}

function findHunks(old: string, now: string, context: number, maxEdits: number): StructuredPatchHunk[] {
  const middle = findMiddle(splitLines(old), splitLines(now));
  const kept = new Set(middle.now);
  // Nothing in it is equal: no shorter diff is there to be found.
  if (!middle.old.some((line) => kept.has(line))) return [replaceMiddle(middle, context)];
  const found = structuredPatch('', '', old, now, '', '', { context, maxEditLength: maxEdits });
  return found ? found.hunks : [replaceMiddle(middle, context)];
}

/** Two texts cut into the equal lines at their start and at their end, and what lies between. */
interface Middle {
  readonly start: readonly string[];
  readonly old: readonly string[];
  readonly now: readonly string[];
  readonly end: readonly string[];
}

function findMiddle(old: readonly string[], now: readonly string[]): Middle {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return {
    start: old.slice(0, start),
    old: old.slice(start, old.length - end),
    now: now.slice(start, now.length - end),
    end: old.slice(old.length - end),
  };
}

/** One hunk that replaces all of the middle. */
function replaceMiddle({ start, old, now, end }: Middle, context: number): StructuredPatchHunk {
  const before = context === 0 ? [] : start.slice(-context);
  const after = end.slice(0, context);
  const from = start.length - before.length + 1;
  const equal = before.length + after.length;
  return {
    oldStart: from,
    newStart: from,
    oldLines: old.length + equal,
    newLines: now.length + equal,
    lines: [...mark(' ', before), ...mark('-', old), ...mark('+', now), ...mark(' ', after)],
  };
}

function mark(tag: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.endsWith('\n') ? [tag + line.slice(0, -1)] : [tag + line, NO_NEWLINE]));
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function firstChange(hunk: StructuredPatchHunk | undefined): number {
  const before = hunk?.lines.findIndex((line) => !line.startsWith(' ')) ?? 0;
  return (hunk?.newStart ?? 1) + Math.max(0, before);
}
