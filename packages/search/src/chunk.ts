import { ToolError, type Workspace } from '@jinn/core';
import { bytesIn, decode } from './decode.ts';
import { SAMPLE_BYTES } from './limits.ts';
import type { Hit } from './search-query.ts';
import { contentOf } from './searched-content.ts';

const CHUNK_BYTES = 1024 * 1024;
/** JavaScript holds no longer text. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const LINE_FEED = 10;

/** Where a chunk begins: in bytes, and in lines from 1. */
export interface Place {
  readonly offset: number;
  readonly line: number;
}

/** Whole lines of a file, as text. */
export interface Chunk extends Place {
  readonly path: string;
  readonly text: string;
  /** Where the next one begins; undefined when there is none. */
  readonly next: Place | undefined;
  readonly holdsNul: boolean;
}

/**
 * Reads whole lines from a place on, about a megabyte of them, or all. Throws ToolError when the file cannot be read,
 * and `file_too_large` for a line that is.
 */
export function readChunk(workspace: Workspace, path: string, { offset, line }: Place, readsAll: boolean): Chunk {
  return workspace.withFile(`./${path}`, (file) => {
    const content = contentOf(file);
    const isWhole = readsAll || content.isConverted;
    let bytes = content.slice(offset, isWhole ? content.size : offset + CHUNK_BYTES);
    for (let length = CHUNK_BYTES; offset + bytes.length < content.size; ) {
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) {
        bytes = bytes.subarray(0, end);
        break;
      }
      length *= 2;
      if (length > MAX_LINE_BYTES) throw new ToolError('file_too_large', 'it has a line over 256 MiB');
      bytes = content.slice(offset, offset + length);
    }
    const text = decode(bytes);
    const end = offset + bytes.length;
    const next = end < content.size && bytes.length > 0 ? { offset: end, line: line + countLines(text) } : undefined;
    return { path, text, offset, line, next, holdsNul: bytes.includes(0) };
  });
}

/** Makes hits of spans that are given in order, going through the text once. */
export class ChunkHits {
  readonly #chunk: Chunk;
  #at = 0;
  #place: Place;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
    this.#place = chunk;
  }

  /** The hit of a match, or of several on the same lines. */
  toHit(start: number, end: number): Hit {
    const { path, text } = this.#chunk;
    const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    const found = text.indexOf('\n', Math.max(start, end - 1));
    const to = found < 0 ? text.length : found;
    this.#moveTo(from);
    return {
      path,
      ...this.#place,
      length: bytesIn(text.slice(from, to)),
      start: bytesIn(text.slice(from, start)),
      end: bytesIn(text.slice(from, end)),
      sample: Buffer.from(text.slice(start, Math.min(end, start + SAMPLE_BYTES / 4)).replace(/\p{Cs}.*$/su, '')),
    };
  }

  #moveTo(at: number): void {
    const { text } = this.#chunk;
    const passed = text.slice(this.#at, at);
    const { offset, line } = this.#place;
    this.#place = { offset: offset + bytesIn(passed), line: line + countLines(passed) };
    this.#at = at;
  }
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
