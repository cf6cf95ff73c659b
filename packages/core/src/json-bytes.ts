import { Buffer, isUtf8 } from 'node:buffer';

export const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
export const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Longer chunks are left to the reader that goes byte by byte. */
const MAX_LINE_BYTES = 4096;

/** Reports whether a byte is white space between tokens. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** Reports whether a byte ends a number or literal. Any other byte belongs to it, so that a wrong word like `True` is one fault. */
export function isPunctuation(byte: number): boolean {
  if (byte <= 0x20 || byte === QUOTE || byte === COMMA || byte === COLON) return true;
  return byte === OPEN_BRACKET || byte === CLOSE_BRACKET || byte === OPEN_BRACE || byte === CLOSE_BRACE;
}

/**
 * Reads a chunk that is one object, exactly as JSON.stringify writes it, with or without a newline: the form of most
 * requests. Returns undefined for any other chunk. Text that JSON.stringify writes otherwise may have a duplicate key or a
 * number that JavaScript cannot hold, and is left to the reader that goes byte by byte.
 */
export function readJsonLine(chunk: Uint8Array, maxDepth: number): object | undefined {
  const end = chunk[chunk.length - 1] === NEWLINE ? chunk.length - 1 : chunk.length;
  if (end > MAX_LINE_BYTES || chunk[0] !== OPEN_BRACE || chunk[end - 1] !== CLOSE_BRACE) return undefined;
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
