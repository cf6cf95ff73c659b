import { isUtf8 } from 'node:buffer';
import { countLineFeeds } from '@jinn/core/text/counted';
import { differingRegion } from '@jinn/core/text/differing-region';
import type { ChangedFile } from '@jinn/workspace';
import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from 'diff';
import { diffLines, type LineChange, linesIn } from './line-diff.ts';

const NOT_EXACT = '[Some bytes here are not UTF-8 and are shown as \ufffd. The diff cannot be applied.]';
/** The search for so many takes a fifth of a second. */
const MAX_EDITS = 2_000;
/** More differing lines take more memory than a call may have. */
const MAX_LINES = 2_000_000;
const CONTEXT_LINES = 3;
const NOTHING = Buffer.alloc(0);
const NO_FILE = '/dev/null';
/** The name that git has for empty content. */
const EMPTY_BLOB = 'e69de29';
/** `patch` ends a name at its first blank unless a tab follows it. Git writes that tab. */
const NAME_WITH_SPACE = /^(?:---|\+\+\+) [^"\n]* [^\n]*$/gm;

export interface DiffSide {
  readonly path: string;
  readonly content: Buffer;
  /** True if there is no file on this side. Its content is empty then. */
  readonly isMissing?: boolean;
}

export interface DiffOptions {
  readonly context: number;
  readonly maxLength: number;
  /** Beyond this many edits, one hunk replaces all lines from the first to the last that differ. */
  readonly maxEdits?: number;
}

export interface UnifiedDiff {
  /** A diff that `patch -p1` and `git apply` accept. Empty if the sides are equal. Undefined if it is too long. */
  readonly text: string | undefined;
  /** The first line of the new side that differs, from 1, or undefined if the contents are equal. */
  readonly firstChangedLine?: number;
  /** False if the text holds bytes that are not UTF-8, shown as U+FFFD: then the diff cannot be applied. */
  readonly isExact: boolean;
}

/**
 * Compares two contents line by line, as bytes: line endings, a missing final newline and bytes that are not UTF-8 all
 * count. The time and the memory that it takes are bounded.
 */
export function unifiedDiff(before: DiffSide, after: DiffSide, options: DiffOptions): UnifiedDiff {
  if (before.content.equals(after.content)) return { text: emptyFile(before, after), isExact: true };
  const { start, tail } = differingRegion(before.content, after.content, options.context);
  const line = 1 + countLineFeeds(before.content.subarray(0, start));
  const regions = [before, after].map(({ content }) => content.subarray(start, content.length - tail));
  const tooLong = { text: undefined, isExact: false };
  if (regions.reduce((sum, region) => sum + countLineFeeds(region), 0) > MAX_LINES) {
    return { ...tooLong, firstChangedLine: line };
  }
  // Bytes as latin1, so that those that are not UTF-8 survive.
  const [old = [], now = []] = regions.map((region) => linesIn(region.toString('latin1')));
  const changes = diffLines(old, now, options.maxEdits ?? MAX_EDITS);
  const firstChangedLine = line + (changes[0]?.otherStart ?? 0);
  const hunks = toHunks(changes, { old, now, line }, options);
  if (!hunks) return { ...tooLong, firstChangedLine };
  const bytes = Buffer.from(formatPatch({ ...namesOf(before, after), hunks }, OMIT_HEADERS), 'latin1');
  if (bytes.length > options.maxLength) return { ...tooLong, firstChangedLine };
  return { text: header(before, after) + bytes.toString(), isExact: isUtf8(bytes), firstChangedLine };
}

function header(before: DiffSide, after: DiffSide): string {
  const patch = { ...namesOf(before, after), hunks: [] };
  return gitHeader(before, after) + formatPatch(patch, FILE_HEADERS_ONLY).replace(NAME_WITH_SPACE, '$&\t');
}

function emptyFile(before: DiffSide, after: DiffSide): string {
  const text = gitHeader(before, after);
  // `patch` removes an empty file only if the diff names its content.
  return text === '' ? '' : `${text}index ${before.isMissing ? `0000000..${EMPTY_BLOB}` : `${EMPTY_BLOB}..0000000`}\n`;
}

function gitHeader(before: DiffSide, after: DiffSide): string {
  const [isCreate, isDelete] = [before.isMissing === true, after.isMissing === true];
  if (isCreate === isDelete) return '';
  return formatPatch({ ...namesOf(before, after), isGit: true, isCreate, isDelete, hunks: [] });
}

function namesOf(before: DiffSide, after: DiffSide) {
  return {
    oldFileName: before.isMissing ? NO_FILE : `a/${before.path}`,
    newFileName: after.isMissing ? NO_FILE : `b/${after.path}`,
    oldHeader: undefined,
    newHeader: undefined,
  };
}

function toHunks(
  changes: readonly LineChange[],
  { old, now, line }: { old: readonly string[]; now: readonly string[]; line: number },
  { context, maxLength }: DiffOptions,
): StructuredPatchHunk[] | undefined {
  const hunks: StructuredPatchHunk[] = [];
  let room = maxLength;
  for (let first = 0; first < changes.length; ) {
    const gapAfter = (at: number) => (changes[at + 1]?.start ?? Infinity) - (changes[at] as LineChange).end;
    let last = first;
    while (gapAfter(last) <= 2 * context) last++;
    const [head, tail] = [changes[first] as LineChange, changes[last] as LineChange];
    const [start, end] = [Math.max(0, head.start - context), Math.min(old.length, tail.end + context)];
    const lines: string[] = [];
    const add = (sign: string, side: readonly string[], from: number, to: number) => {
      for (let at = from; at < to && room >= 0; at++) {
        const text = side[at] as string;
        lines.push(sign + text.replace(/\n$/, ''), ...(text.endsWith('\n') ? [] : ['\\ No newline at end of file']));
        room -= text.length + 1;
      }
    };
    let next = start;
    for (const change of changes.slice(first, last + 1)) {
      add(' ', old, next, change.start);
      add('-', old, change.start, change.end);
      add('+', now, change.otherStart, change.otherEnd);
      next = change.end;
    }
    add(' ', old, next, end);
    if (room < 0) return undefined;
    const newStart = line + start + head.otherStart - head.start;
    const newLines = end - start + tail.otherEnd - head.otherStart - (tail.end - head.start);
    hunks.push({ oldStart: line + start, oldLines: end - start, newStart, newLines, lines });
    first = last + 1;
  }
  return hunks;
}

export interface Comparison {
  readonly diff?: string;
  readonly remark?: string;
  readonly reason?: string;
}

/** A file before and after a change, perhaps decoded from another encoding. */
export interface ComparedContents {
  readonly file: Pick<ChangedFile['file'], 'path' | 'content'>;
  readonly after: Buffer | undefined;
  readonly encoding?: string | undefined;
}

/** Returns the line above a diff of decoded texts. */
export function decodedRemark(encoding: string): string {
  return `[The file is ${encoding}. This is the diff of its text: apply_patch applies it, git does not.]`;
}

/** Compares a file before and after a change, within limits. */
export function compareContents(
  { file, after: written, encoding }: ComparedContents,
  limits: { maxBytes: number; maxLength: number; maxEdits?: number },
): Comparison {
  const after = written ?? NOTHING;
  const { path, content: before = NOTHING } = file;
  if (before.length + after.length > limits.maxBytes) return { reason: 'too large to compare' };
  const old: DiffSide = { path, content: before, isMissing: file.content === undefined };
  const now: DiffSide = { path, content: after, isMissing: written === undefined };
  if (old.content.includes(0) || now.content.includes(0)) return { reason: 'binary' };
  const { text, isExact } = unifiedDiff(old, now, { context: CONTEXT_LINES, ...limits });
  if (text === undefined) return { reason: `the diff is longer than ${limits.maxLength / 1024} KB` };
  if (encoding !== undefined) return { diff: text, remark: decodedRemark(encoding) };
  return { diff: text, ...(!isExact && { remark: NOT_EXACT }) };
}
