import { createVersionDigest, type OpenFile, ToolError, type Workspace } from '@jinn/core';
import { cutLine } from './cut-line.ts';
import type { Hit } from './search-query.ts';
import { contentOf } from './searched-content.ts';

/** A smaller file is read at once. */
const SMALL_BYTES = 1024 * 1024;
/** How far around a match its context is looked for. */
const CONTEXT_BYTES = 64 * 1024;
const MAX_LINES = 50;
/** A version is not computed of what is larger. */
const MAX_VERSIONED = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** A hit as it is shown, its lines cut to their length. */
export interface ShownHit {
  readonly line: number;
  readonly lines: readonly string[];
  /** From 1, in characters. */
  readonly column: number;
  /** Lines around it: fewer at an end of the file. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface ShownFile {
  readonly hits: readonly ShownHit[];
  /** A token of the content; undefined for a very large file. */
  readonly version: string | undefined;
  /** How many hits were no longer there. */
  readonly vanished: number;
}

/**
 * Reads the lines that are shown from the file itself, through the guard.
 *
 * Security: an engine that looks by paths may be led out of the workspace while it runs. What it says is only where to
 * look; a hit that is not found there is not shown. Gives undefined for a file that the guard refuses.
 */
export function readShown(
  workspace: Workspace,
  path: string,
  hits: readonly Hit[],
  context: number,
): ShownFile | undefined {
  try {
    return workspace.withFile(`./${path}`, (file) => {
      const slice = slicer(file);
      const there = hits.filter((hit) => isThere(slice, hit));
      const shown = there.map((hit) => show(slice, hit, context));
      return { hits: shown, version: versionOf(file), vanished: hits.length - there.length };
    });
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

type Slice = (start: number, end: number) => Buffer;

function slicer(file: OpenFile): Slice {
  const content = contentOf(file);
  if (content.size > SMALL_BYTES) return (start, end) => content.slice(start, end);
  const whole = content.slice(0, content.size);
  return (start, end) => whole.subarray(start, end);
}

function isThere(slice: Slice, { offset, start, sample }: Hit): boolean {
  const isLineStart = offset === 0 || slice(offset - 1, offset)[0] === LINE_FEED;
  return isLineStart && slice(offset + start, offset + start + sample.length).equals(sample);
}

function show(slice: Slice, { line, offset, length, start, end }: Hit, context: number): ShownHit {
  const bytes = slice(offset, offset + length);
  const [first = '', ...rest] = toLines(bytes);
  const isAscii = rest.length === 0 && first.length === bytes.length;
  const head = isAscii ? first.slice(0, start) : bytes.toString('utf8', 0, start);
  const position = head.length;
  const matchEnd = isAscii ? end : position + bytes.toString('utf8', start, end).length;
  const lines = [cutLine(first, position, Math.min(matchEnd, first.length)), ...rest.map((text) => cutLine(text))];
  const left = lines.length - MAX_LINES;
  return {
    line,
    lines: left > 0 ? [...lines.slice(0, MAX_LINES), `[... ${left} more lines of this match]`] : lines,
    column: (isAscii ? position : charactersIn(head)) + 1,
    before: context > 0 ? linesBefore(slice, offset, context) : [],
    after: context > 0 ? linesAfter(slice, offset + length + 1, context) : [],
  };
}

function linesBefore(slice: Slice, end: number, count: number): string[] {
  if (end === 0) return [];
  const start = Math.max(0, end - CONTEXT_BYTES);
  const lines = toLines(slice(start, end - 1)).map((text) => cutLine(text));
  // The first one may have begun before.
  return lines.slice(Math.max(start > 0 ? 1 : 0, lines.length - count));
}

function linesAfter(slice: Slice, start: number, count: number): string[] {
  const bytes = slice(start, start + CONTEXT_BYTES);
  if (bytes.length === 0) return [];
  const isWhole = bytes.length < CONTEXT_BYTES;
  const lines = toLines(isWhole && bytes.at(-1) === LINE_FEED ? bytes.subarray(0, -1) : bytes);
  return lines.slice(0, Math.min(count, isWhole ? lines.length : lines.length - 1)).map((text) => cutLine(text));
}

function toLines(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\n')
    .map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text));
}

function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function versionOf(file: OpenFile): string | undefined {
  if (file.size > MAX_VERSIONED) return undefined;
  const digest = createVersionDigest();
  for (let at = 0; at < file.size; at += SMALL_BYTES) digest.update(file.slice(at, at + SMALL_BYTES));
  return digest.digest();
}
