import { ToolError } from '@jinn/core/errors';
import type { OpenFile } from '@jinn/workspace';
import { MAX_WHOLE_FILE } from '../query/limits.ts';

const SNIFF_BYTES = 3;

/**
 * The searched content of a file: its bytes without a byte order mark, converted to UTF-8 if the mark is one of UTF-16.
 */
export interface SearchedContent {
  /** The size in bytes. */
  readonly size: number;
  /** True if the bytes are not those of the file. */
  readonly isConverted: boolean;
  slice(start: number, end: number): Buffer;
}

/** Reads the content of a file. Throws `file_too_large` for a large file in UTF-16. */
export function contentOf(file: OpenFile): SearchedContent {
  const head = file.slice(0, SNIFF_BYTES);
  const encoding = utf16Of(head);
  if (encoding) return fromUtf16(file, encoding);
  const start = head.equals(Buffer.from([0xef, 0xbb, 0xbf])) ? head.length : 0;
  // Allocating the part of a range that lies behind the end would cost more than all else about a small file.
  const end = head.length === 0 ? 0 : file.size || Number.POSITIVE_INFINITY; // A file of /proc has content and no size.
  const slice = (from: number, to: number) => file.slice(from + start, Math.min(to + start, end));
  return { size: file.size - start, isConverted: false, slice };
}

function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

function fromUtf16(file: OpenFile, encoding: string): SearchedContent {
  if (file.size > MAX_WHOLE_FILE)
    throw new ToolError('file_too_large', `${file.path} is in UTF-16 and larger than 32 MiB`);
  const bytes = Buffer.from(new TextDecoder(encoding).decode(file.slice(0, file.size)));
  return { size: bytes.length, isConverted: true, slice: (from, to) => bytes.subarray(from, to) };
}
