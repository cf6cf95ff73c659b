import { isUtf8 } from 'node:buffer';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { contentOf } from '@jinn/search/engines/searched-content';
import type { Hit } from '@jinn/search/query/search-query';
import { isStillThere } from '@jinn/search/show/read-shown';
import type { OpenFile } from '@jinn/workspace';
import { outputPath } from '../buffers/large-result.ts';

const CHUNK_BYTES = 1024 * 1024;

/** A longer line, as in minified code, is shown around the match. */
const MAX_LINE_BYTES = 4_096;
const BYTES_BEFORE = 512;
const BYTES_BEHIND = 2_048;

export interface PatternMatch {
  /** The absolute path, or a buffer reference. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The whole line without its line end. Dots stand for what is cut from a very long one. */
  readonly content: string;
}

/**
 * Reads the lines of hits from the files themselves, through the guard. `notText` are files that are not UTF-8.
 *
 * Security: an engine that is given paths may be led out of the workspace while it runs. Its answer only says where to
 * look. A hit that is not in the file is not shown.
 */
export async function readMatches(ctx: ToolContext, hits: readonly Hit[]) {
  const matches: PatternMatch[] = [];
  const notText: string[] = [];
  for (let at = 0; at < hits.length; ) {
    await ctx.checkpoint();
    const { path } = hits[at] as Hit;
    let end = at + 1;
    while (hits[end]?.path === path) end++;
    const group = hits.slice(at, end);
    const read = readFileMatches(ctx, path, group);
    if (read === 'not text') notText.push(path);
    else matches.push(...read);
    at = end;
  }
  return { matches, notText };
}

function readFileMatches(ctx: ToolContext, path: string, hits: readonly Hit[]): PatternMatch[] | 'not text' {
  try {
    return ctx.workspace.withFile(`./${path}`, (file) => {
      if (!isUtf8File(file)) return 'not text';
      return matchesIn(file, outputPath(ctx.workspace, path), hits);
    });
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  }
}

function matchesIn(file: OpenFile, shown: string, hits: readonly Hit[]): PatternMatch[] {
  const content = contentOf(file);
  const slice = (start: number, end: number) => content.slice(start, end);
  return hits.flatMap((hit) =>
    isStillThere(slice, hit) ? [{ file: shown, line: hit.line, content: lineOf(slice, hit) }] : [],
  );
}

function lineOf(slice: (start: number, end: number) => Buffer, { offset, length, start }: Hit): string {
  if (length <= MAX_LINE_BYTES)
    return slice(offset, offset + length)
      .toString()
      .replace(/\r$/, '');
  const from = Math.max(0, start - BYTES_BEFORE);
  const to = Math.min(length, start + BYTES_BEHIND);
  // A character that is cut at an edge becomes a replacement character, which is omitted.
  const text = slice(offset + from, offset + to)
    .toString()
    .replace(/^\ufffd+|\ufffd+$/g, '');
  return `${from > 0 ? '…' : ''}${text}${to < length ? '…' : ''}`;
}

function isUtf8File(file: OpenFile): boolean {
  for (let at = 0; at < file.size; ) {
    const chunk = file.slice(at, at + CHUNK_BYTES);
    if (chunk.length === 0) return true;
    const isLast = at + chunk.length >= file.size;
    const whole = isLast ? chunk : chunk.subarray(0, endOfCharacters(chunk));
    if (whole.length === 0 || !isUtf8(whole)) return false;
    at += whole.length;
  }
  return true;
}

function endOfCharacters(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) return at;
  }
  return bytes.length;
}
