import { ToolError } from '@jinn/core/errors';
import { createVersionDigest, type OpenFile } from '@jinn/workspace';
import {
  CHUNK_BYTES,
  countNewlines,
  encodingOf,
  lineStarts,
  NEWLINE,
  newlineCounter,
  utf16ToUtf8,
} from './text-content.ts';

export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Below this, a buffer of our own is cheaper than the vector counter. */
const SMALL_BYTES = 65_536;

/** The lines of a file, and the identity of its content. Offsets and bytes of a UTF-16 file are those of its text in UTF-8. */
export interface LineScan {
  readonly lines: number;
  /** True if the last line ends without a newline. */
  readonly endsOpen: boolean;
  /** The number of bytes when the file was scanned. */
  readonly size: number;
  readonly isUtf16: boolean;
  readonly version: string;
  readonly sha256?: string;
  /** The content of the file, if it is small. */
  readonly content?: Buffer;
  /** Returns the byte offset of line `line` (from 1); one line past the last gives `size`. */
  offsetOf(line: number): number;
  slice(start: number, end: number): Buffer;
}

export interface ScanOptions {
  readonly checksum?: boolean;
  readonly maxBytes?: number;
}

/** Reads a file once, from front to end, and holds at most a chunk of it (all of it if it is small, or UTF-16). */
export function scanLines(file: OpenFile, { checksum = false, maxBytes = MAX_FILE_BYTES }: ScanOptions = {}): LineScan {
  rejectTooLarge(file.size, maxBytes);
  const version = createVersionDigest();
  const hash = checksum ? process.getBuiltinModule('node:crypto').createHash('sha256') : undefined;
  const held = readSmall(file);
  const newlines: number[] = [0];
  let size = 0;
  let last = NEWLINE;
  for (const { bytes, count } of held ? [{ bytes: held, count: countNewlines(held) }] : countChunks(file, maxBytes)) {
    version.update(bytes);
    hash?.update(bytes);
    newlines.push((newlines.at(-1) ?? 0) + count);
    size += bytes.length;
    last = bytes.at(-1) ?? last;
  }
  const slice = (start: number, end: number) => {
    if (!held) return file.slice(start, Math.min(end, size));
    return start === 0 && end >= size ? held : held.subarray(start, end);
  };
  const total = newlines.at(-1) ?? 0;
  const lines = last === NEWLINE ? total : total + 1;
  const identity = {
    version: version.digest(),
    ...(hash && { sha256: hash.digest('hex') }),
    ...(held && { content: held }),
  };
  const encoding = encodingOf(held ?? slice(0, 2));
  const text = encoding === 'bytes' ? undefined : utf16ToUtf8(slice(0, size), encoding);
  if (text) return { ...scanBuffer(text), ...identity, isUtf16: true };
  return {
    lines,
    endsOpen: last !== NEWLINE,
    size,
    isUtf16: false,
    ...identity,
    offsetOf: (line) => (line > lines ? size : findLine(line, newlines, slice)),
    slice,
  };
}

/** Finds the lines of a text in memory. */
export function scanBuffer(text: Buffer): Pick<LineScan, 'lines' | 'endsOpen' | 'size' | 'offsetOf' | 'slice'> {
  const starts = lineStarts({ content: text, start: 0, end: text.length });
  return {
    lines: starts.length - 1,
    endsOpen: text.length > 0 && text.at(-1) !== NEWLINE,
    size: text.length,
    offsetOf: (line) => starts[line - 1] ?? text.length,
    slice: (start, end) => text.subarray(start, end),
  };
}

/** Refuses a file over the limit, also one that grows beyond it while it is read. */
function rejectTooLarge(size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new ToolError('file_too_large', `file too large: ${toMb(size)} MB (max ${toMb(maxBytes)} MB)`, {
    suggestion: 'cut out the part that you need with a command',
  });
}

function toMb(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

function readSmall(file: OpenFile): Buffer | undefined {
  if (file.size > SMALL_BYTES) return undefined;
  const target = Buffer.allocUnsafe(file.size + 1);
  const held = target.subarray(0, file.read(target, 0));
  return held.length <= file.size ? held : undefined;
}

function* countChunks(file: OpenFile, maxBytes: number): Generator<{ bytes: Buffer; count: number }> {
  const { chunk, count } = newlineCounter();
  for (let at = 0; ; at += CHUNK_BYTES) {
    const length = file.read(chunk, at);
    rejectTooLarge(at + length, maxBytes);
    yield { bytes: chunk.subarray(0, length), count: count(length) };
    if (length < CHUNK_BYTES) return;
  }
}

function findLine(line: number, newlines: readonly number[], slice: LineScan['slice']): number {
  const wanted = line - 1;
  if (wanted === 0) return 0;
  const index = newlines.findIndex((before) => before >= wanted) - 1;
  const start = index * CHUNK_BYTES;
  const bytes = newlines.length === 2 ? slice(0, Infinity) : slice(start, start + CHUNK_BYTES);
  let at = -1;
  for (let left = wanted - (newlines[index] ?? 0); left > 0; left--) at = bytes.indexOf(NEWLINE, at + 1);
  return start + at + 1;
}
