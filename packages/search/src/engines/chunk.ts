import { ToolError } from '@jinn/core/errors';
import { decodeWithForeign } from '@jinn/core/thread/foreign-bytes';
import type { OpenFile } from '@jinn/workspace';
import { SAMPLE_BYTES } from '../query/limits.ts';
import type { Hit, SearchQuery } from '../query/search-query.ts';
import { mayHoldNul } from './is-binary.ts';
import { contentOf } from './searched-content.ts';

const CHUNK_BYTES = 1024 * 1024;
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const LINE_FEED = 10;

/** A position in a file, in bytes from 0 and in lines from 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
}

/** Whole lines of a file, as text. */
export interface Chunk extends Position {
  readonly path: string;
  readonly text: string;
  /** The beginning of the next chunk; undefined after the last one. */
  readonly next: Position | undefined;
}

export const FILE_START: Position = { offset: 0, line: 1 };

/**
 * Reads whole lines of a file, about a megabyte of them, or all of the file. Returns undefined if a NUL among them makes
 * the file binary. Throws `file_too_large` for a line that is too long.
 */
export function readChunk(
  file: OpenFile,
  path: string,
  { offset, line }: Position,
  query: SearchQuery,
): Chunk | undefined {
  const content = contentOf(file);
  const isWhole = query.crossesLines || content.isConverted;
  const isText = mayHoldNul(query, path, content);
  const isBinary = () => !isText && bytes.includes(0);
  let bytes = content.slice(offset, isWhole ? content.size : offset + CHUNK_BYTES);
  for (let length = CHUNK_BYTES; !isBinary() && offset + bytes.length < content.size; ) {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      bytes = bytes.subarray(0, end);
      break;
    }
    length *= 2;
    if (length > MAX_LINE_BYTES) throw new ToolError('file_too_large', `${path} has a line over 32 MiB`);
    bytes = content.slice(offset, offset + length);
  }
  if (isBinary()) return undefined;
  const text = decodeWithForeign(bytes);
  const end = offset + bytes.length;
  const next = end < content.size && bytes.length > 0 ? { offset: end, line: line + countLines(text) } : undefined;
  return { path, text, offset, line, next };
}

/** Turns matches in a chunk into hits. The matches must come in order: each part of the text is looked at once. */
export class ChunkHits {
  readonly #chunk: Chunk;
  #at = 0;
  #position: Position;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
    this.#position = chunk;
  }

  /** Makes the hit of a match that begins at `start`, on lines of which the last one ends at `lineEnd`. */
  toHit(start: number, lineEnd: number): Hit {
    const { path, text } = this.#chunk;
    const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    const to = lineEnd > from && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
    this.#moveTo(from);
    const head = bytesIn(text.slice(from, start));
    return {
      path,
      ...this.#position,
      length: head + bytesIn(text.slice(start, to)),
      start: head,
      sample: sampleOf(text.slice(start, Math.min(to, start + SAMPLE_BYTES / 4))),
    };
  }

  #moveTo(at: number): void {
    const { text } = this.#chunk;
    const passed = text.slice(this.#at, at);
    const { offset, line } = this.#position;
    this.#position = { offset: offset + bytesIn(passed), line: line + countLines(passed) };
    this.#at = at;
  }
}

/** Returns the number of bytes that a text stands for, in which a lone surrogate is one byte that is not UTF-8. */
function bytesIn(text: string): number {
  // Buffer.byteLength counts three bytes for a lone surrogate.
  const halves = text.isWellFormed() ? 0 : (text.match(/\p{Cs}/gu)?.length ?? 0);
  return Buffer.byteLength(text) - 2 * halves;
}

/** Returns the bytes of a text up to the first line end, or to the first half of a surrogate pair. */
function sampleOf(text: string): Buffer {
  return Buffer.from(text.replace(/[\r\n\p{Cs}].*$/su, ''));
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
