import { Buffer, isUtf8 } from 'node:buffer';
import { CLOSE_BRACE, NEWLINE, OPEN_BRACE, OPEN_BRACKET } from './json-bytes.ts';

const MAX_LINE_BYTES = 4096;

/**
 * Reads a chunk that is one object, exactly as JSON.stringify writes it, and a newline: the form of most requests.
 * Returns undefined for any other chunk. Text that JSON.stringify writes otherwise may have a duplicate key, and is left to
 * the reader that goes byte by byte.
 */
export function readJsonLine(chunk: Uint8Array, maxDepth: number): object | undefined {
  const end = chunk.length - 1;
  if (end > MAX_LINE_BYTES || chunk[0] !== OPEN_BRACE || chunk[end - 1] !== CLOSE_BRACE || chunk[end] !== NEWLINE)
    return undefined;
  if (!isUtf8(chunk) || countOpening(chunk) > maxDepth) return undefined;
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, end).toString();
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function countOpening(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === OPEN_BRACE || byte === OPEN_BRACKET) count += 1;
  return count;
}
