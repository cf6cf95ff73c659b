import { isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import { createVersionDigest, type OpenFile, type Workspace } from '@jinn/workspace';
import { contentOf } from '../engines/searched-content.ts';
import { SMALL_FILE } from '../query/limits.ts';
import type { Hit } from '../query/search-query.ts';
import { cutLine } from './cut-line.ts';
import { type ShownLines, type Slice, showLines } from './shown-lines.ts';

/** How many bytes around a match are searched for its context. */
const CONTEXT_BYTES = 64 * 1024;
/** A larger file gets no version. */
const MAX_VERSIONED = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** A hit in the form in which it is shown. */
export interface ShownHit extends ShownLines {
  /** The line, from 1. */
  readonly line: number;
  /** The lines before and after. A line that two hits share comes once, after the first. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The name path of the symbol around the hit, if it is wanted. */
  readonly symbol?: string | undefined;
}

export interface ShownFile {
  readonly hits: readonly ShownHit[];
  /** The version of the content; undefined for a very large file. */
  readonly version: string | undefined;
  /** The number of hits that were read; those that are no longer there are not among `hits`. 0 if none fits. */
  readonly looked: number;
}

export interface ShowOptions {
  /** Lines of context before and after a hit. */
  readonly context: number;
  /** The bytes that may be shown. */
  readonly room: number;
  /** The bytes beside the text of each line. */
  readonly perLine: number;
  /** True to show the first hit even if it does not fit. */
  readonly isFirst: boolean;
}

/**
 * Reads the lines to show from the file itself, through the guard. Returns undefined for a file that the guard refuses.
 *
 * Security: an engine that is given paths may be led out of the workspace while it runs. Its answer only says where to
 * look; a hit that is not found there is not shown.
 */
export function readShown(
  workspace: Workspace,
  path: string,
  hits: readonly Hit[],
  { context, room, perLine, isFirst }: ShowOptions,
): ShownFile | undefined {
  try {
    return workspace.withFile(`./${path}`, (file) => {
      const slice = slicer(file);
      const shown: ShownHit[] = [];
      let [looked, size, lastLine] = [0, 0, 0];
      for (const hit of hits) {
        looked++;
        if (!isThere(slice, hit)) continue;
        const one = show(slice, hit, { count: context, after: lastLine, before: hits[looked]?.line });
        size += sizeOf(one, perLine);
        if (size > room && (shown.length > 0 || !isFirst)) {
          looked--;
          break;
        }
        shown.push(one);
        lastLine = one.lastLine + one.after.length;
      }
      return { hits: shown, version: versionOf(file), looked };
    });
  } catch (error) {
    if (error instanceof ToolError && !isOutOfDescriptors(error)) return undefined;
    throw error;
  }
}

/** Returns the bytes that a hit takes in the answer. */
export function sizeOf({ lines, before, after }: ShownHit, perLine: number): number {
  return [...lines, ...before, ...after].reduce((sum, text) => sum + Buffer.byteLength(text) + perLine, 0);
}

function slicer(file: OpenFile): Slice {
  const content = contentOf(file);
  if (content.size > SMALL_FILE) return (start, end) => content.slice(start, end);
  const whole = content.slice(0, content.size > 0 ? content.size : SMALL_FILE); // A file of /proc has no size.
  return (start, end) => whole.subarray(start, end);
}

/** Reports whether the found text still stands there. */
export function isThere(slice: Slice, { offset, start, sample }: Hit): boolean {
  const isLineStart = offset === 0 || slice(offset - 1, offset)[0] === LINE_FEED;
  return isLineStart && slice(offset + start, offset + start + sample.length).equals(sample);
}

interface ContextLimits {
  /** The most lines on either side. */
  readonly count: number;
  /** The numbers of the lines between which context is shown. */
  readonly after: number;
  readonly before: number | undefined;
}

function show(slice: Slice, hit: Hit, { count, after, before = Number.POSITIVE_INFINITY }: ContextLimits): ShownHit {
  const { line, offset, length } = hit;
  const shown = showLines(slice, hit);
  return {
    line,
    ...shown,
    before: linesBefore(slice, offset, Math.min(count, line - after - 1)),
    after: linesAfter(slice, offset + length, Math.min(count, before - shown.lastLine - 1)),
  };
}

function linesBefore(slice: Slice, end: number, count: number): string[] {
  if (end === 0 || count <= 0) return [];
  const limit = Math.max(0, end - CONTEXT_BYTES);
  const bytes = slice(limit, end - 1);
  let start = bytes.length;
  let found = 0;
  for (; found < count && start >= 0; found++) start = start === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, start - 1);
  const lines = toLines(bytes.subarray(start + 1));
  // The first one may begin before `limit`.
  return lines.slice(start < 0 && limit > 0 ? 1 : 0).map((text) => cutLine(text));
}

function linesAfter(slice: Slice, lineEnd: number, count: number): string[] {
  if (count <= 0) return [];
  const start = lineEnd + slice(lineEnd, lineEnd + 2).indexOf(LINE_FEED) + 1;
  const bytes = slice(start, start + CONTEXT_BYTES);
  if (bytes.length === 0 || start === lineEnd) return [];
  let end = -1;
  let found = 0;
  for (; found < count; found++) {
    const next = bytes.indexOf(LINE_FEED, end + 1);
    if (next < 0) break;
    end = next;
  }
  const isWhole = bytes.length < CONTEXT_BYTES;
  if (found < count && isWhole && end + 1 < bytes.length) end = bytes.length;
  return end < 0 ? [] : toLines(bytes.subarray(0, end)).map((text) => cutLine(text));
}

function toLines(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\n')
    .map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text));
}

function versionOf(file: OpenFile): string | undefined {
  if (file.size > MAX_VERSIONED) return undefined;
  const digest = createVersionDigest();
  for (let at = 0; at < file.size; at += SMALL_FILE) digest.update(file.slice(at, at + SMALL_FILE));
  return digest.digest();
}
