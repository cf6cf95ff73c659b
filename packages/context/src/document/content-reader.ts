import { isUtf8 } from 'node:buffer';
import { ToolError } from '@jinn/core/errors';
import type { OpenFile } from '@jinn/workspace';
import { wideEncoding } from '@jinn/workspace/wide';
import type { TextCharset } from './file-charsets.ts';

/** How much of a file decides whether it is text. Git reads as much. */
const PROBE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const PERCENT = 0x25;
/** How much of a file is read at once. */
export const CHUNK_BYTES = 1024 * 1024;
/** No encoding has a lower byte in a character of several bytes. */
const LOWEST_REST = 0x30;
const JIS_ESCAPE = Buffer.from('\x1b$');
/** The most control characters in text that is not UTF-8, as a share of its bytes. In compressed data it is an eighth. */
const MAX_CONTROL_SHARE = 1 / 32;

/** The facts about a text file that must be known before any of it is printed. */
export interface Facts {
  /** Undefined for UTF-8. */
  readonly charset: TextCharset | undefined;
  /** The longest run of backticks at the start of a line, after blanks. */
  readonly longestFence: number;
  /** XML reads a carriage return as a newline unless it is escaped. False if the reader does not look for it. */
  readonly hasReturn: boolean;
}

/** The whole content of a text file, as UTF-8. */
export interface WholeText {
  readonly facts: Facts;
  readonly bytes: Buffer;
  /** The bytes of the file, which may have another encoding. */
  readonly size: number;
}

/** What a file is: text in UTF-8, text in an encoding that must be found first, or neither. */
export type ContentKind = 'plain' | 'foreign' | 'binary';

/** Reads files as text in UTF-8, chunk by chunk. Every read overwrites what the one before returned. */
export class ContentReader {
  readonly #findsReturns: boolean;
  #own: Buffer | undefined;

  constructor({ findsReturns = false }: { readonly findsReturns?: boolean } = {}) {
    this.#findsReturns = findsReturns;
  }

  get #buffer(): Buffer {
    this.#own ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    return this.#own;
  }

  /** Reports whether a file starts like text. A file with a NUL is binary, unless it is UTF-16 or UTF-32. */
  isText(file: OpenFile): boolean {
    return kindOfStart(this.#read(file, 0, PROBE_BYTES), file.size) !== 'binary';
  }

  /** Looks at all of a file that may be UTF-8. */
  kindOf(file: OpenFile): ContentKind {
    const start = kindOfStart(this.#read(file, 0, PROBE_BYTES), file.size);
    if (start !== 'plain') return start;
    for (let at = 0; at < file.size; ) {
      const raw = this.#read(file, at, CHUNK_BYTES);
      if (raw.length === 0) break;
      const isLast = at + raw.length >= file.size;
      const whole = isLast ? raw : raw.subarray(0, raw.length - unfinished(raw));
      if (!isUtf8(whole) || whole.includes(JIS_ESCAPE)) return 'foreign';
      at += whole.length;
    }
    return 'plain';
  }

  /** Reads a whole text file in UTF-8. Returns undefined if it does not fit into a chunk. */
  readWhole(file: OpenFile): WholeText | 'foreign' | 'binary' | undefined {
    return file.size > CHUNK_BYTES ? undefined : this.#toWhole(this.#read(file, 0, file.size));
  }

  /** Does the same with a function that fills a buffer. Returns undefined also if it fills in nothing. */
  readWith(source: { readInto(target: Buffer): number | undefined }): WholeText | 'foreign' | 'binary' | undefined {
    const size = source.readInto(this.#buffer) ?? 0;
    return size === 0 || size === CHUNK_BYTES ? undefined : this.#toWhole(this.#buffer.subarray(0, size));
  }

  inspect(file: OpenFile, charset: TextCharset | undefined): Facts {
    let longest = 0;
    let hasReturn = false;
    for (const chunk of this.chunks(file, charset)) {
      longest = Math.max(longest, longestFence(chunk));
      hasReturn ||= this.#findsReturns && chunk.includes(RETURN);
    }
    return { charset, longestFence: longest, hasReturn };
  }

  *chunks(file: OpenFile, charset: TextCharset | undefined): Iterable<Buffer> {
    for (let at = 0; at < file.size; ) {
      const raw = this.#read(file, at, CHUNK_BYTES);
      if (raw.length === 0) return;
      const isLast = at + raw.length >= file.size;
      const whole = isLast ? raw : raw.subarray(0, wholeEnd(raw, charset));
      at += whole.length;
      yield charset ? charset.decode(whole) : whole;
    }
  }

  #toWhole(raw: Buffer): WholeText | 'foreign' | 'binary' {
    const head = raw.length <= PROBE_BYTES ? raw : raw.subarray(0, PROBE_BYTES);
    const isPlain = isUtf8(raw) && !isData(head);
    const kind = isPlain ? 'plain' : kindOfStart(head, raw.length);
    if (kind === 'binary') return kind;
    if (!isPlain || raw.includes(JIS_ESCAPE)) return 'foreign';
    const hasReturn = this.#findsReturns && raw.includes(RETURN);
    return { facts: { charset: undefined, longestFence: longestFence(raw), hasReturn }, bytes: raw, size: raw.length };
  }

  #read(file: OpenFile, from: number, most: number): Buffer {
    const length = Math.min(most, CHUNK_BYTES, Math.max(0, file.size - from));
    return this.#buffer.subarray(0, file.read(this.#buffer.subarray(0, length), from));
  }
}

/** Returns the kind of a file of `size` bytes by its start. It is plain if the start is UTF-8. */
function kindOfStart(head: Buffer, size: number): ContentKind {
  if (wideEncoding(head, size) !== undefined) return 'foreign';
  if (isData(head)) return 'binary';
  const whole = head.length === size ? head : head.subarray(0, head.length - unfinished(head));
  if (isUtf8(whole)) return 'plain';
  return hasManyControls(head) ? 'binary' : 'foreign';
}

/** Returns the end of the last line or, without one, of the last character that is whole. */
function wholeEnd(chunk: Buffer, charset: TextCharset | undefined): number {
  if (charset?.isWide) return wideEnd(chunk, charset.name);
  const newline = chunk.lastIndexOf(NEWLINE);
  if (newline >= 0) return newline + 1;
  if (!charset) return chunk.length - unfinished(chunk);
  return chunk.findLastIndex((byte) => byte < LOWEST_REST) + 1 || chunk.length;
}

function wideEnd(chunk: Buffer, name: string): number {
  const end = chunk.length - (chunk.length % 4);
  const high = chunk[end - (name.endsWith('le') ? 1 : 2)] ?? 0;
  const isHalf = name.startsWith('utf-16') && (high & 0xfc) === 0xd8;
  return isHalf ? end - 2 : end;
}

function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function isData(head: Buffer): boolean {
  return head.indexOf(0) >= 0 || (head[0] === PERCENT && head.toString('latin1', 0, 5) === '%PDF-');
}

/** Counts control characters, but not tabs, line ends, backspaces and escapes, which logs of terminals have. */
function hasManyControls(bytes: Buffer): boolean {
  let count = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f) count++;
  }
  return count > bytes.length * MAX_CONTROL_SHARE;
}

const BACKTICK = 0x60;
const SPACE = 0x20;
const TAB = 0x09;

/** Returns the length of the longest run of three or more backticks at the start of a line, after blanks, or 0 if none. */
export function longestFence(text: Buffer): number {
  let longest = 0;
  for (let at = text.indexOf('```'); at >= 0; ) {
    let end = at + 3;
    while (text[end] === BACKTICK) end++;
    if (end - at > longest && beginsLine(text, at)) longest = end - at;
    at = text.indexOf('```', end);
  }
  return longest;
}

function beginsLine(text: Buffer, at: number): boolean {
  let before = at - 1;
  while (text[before] === SPACE || text[before] === TAB) before--;
  return before < 0 || text[before] === NEWLINE || text[before] === RETURN;
}

/** Returns the reason why a file was omitted, as a text that follows the file's path. */
export function describeReadError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ToolError) return `${error.message.split(':')[0]}, skipped`;
  switch (code) {
    case 'ENOENT':
      return 'vanished, skipped';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied, skipped';
    case 'ELOOP':
      return 'became a symbolic link, skipped';
    default:
      return 'could not be read, skipped';
  }
}
