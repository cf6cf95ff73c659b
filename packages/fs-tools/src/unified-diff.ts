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
  const found = structuredPatch('', '', old, now, '', '', { context, maxEditLength: maxEdits });
  const hunks = found ? found.hunks : [replaceMiddle(splitLines(old), splitLines(now), context)];
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

/** One hunk that replaces all between the equal lines at the start and those at the end. */
function replaceMiddle(old: readonly string[], now: readonly string[], context: number): StructuredPatchHunk {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - context);
  const after = Math.min(end, context);
  const [oldEnd, nowEnd] = [old.length - end, now.length - end];
  return {
    oldStart: from + 1,
    newStart: from + 1,
    oldLines: oldEnd + after - from,
    newLines: nowEnd + after - from,
    lines: [
      ...mark(' ', old.slice(from, start)),
      ...mark('-', old.slice(start, oldEnd)),
      ...mark('+', now.slice(start, nowEnd)),
      ...mark(' ', old.slice(oldEnd, oldEnd + after)),
    ],
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
