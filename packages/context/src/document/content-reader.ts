import { isUtf8 } from 'node:buffer';
import { ToolError } from '@jinn/core/errors';
import type { OpenFile } from '@jinn/workspace';

/** How much of a file decides whether it is text. Git reads as much. */
const PROBE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const PERCENT = 0x25;
const CHUNK_BYTES = 1024 * 1024;
/** The most control characters in text that is not UTF-8, as a share of its bytes. In compressed data it is an eighth. */
const MAX_CONTROL_SHARE = 1 / 32;

/** The encoding of a file. Of an unknown one only ASCII is read, and U+FFFD replaces the rest. */
export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'unknown';

/** The facts about a text file that must be known before any of it is printed. */
export interface Facts {
  readonly encoding: TextEncodingName;
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

  /** Reports whether a file starts like text. A file with a NUL is binary, unless a mark says that it is UTF-16. */
  isText(file: OpenFile): boolean {
    return isTextStart(this.#read(file, 0, PROBE_BYTES), file.size <= PROBE_BYTES);
  }

  /** Reads a whole text file. Returns undefined if it does not fit into a chunk, and 'binary' if it is not text. */
  readWhole(file: OpenFile): WholeText | 'binary' | undefined {
    return file.size > CHUNK_BYTES ? undefined : this.#toWhole(this.#read(file, 0, file.size));
  }

  /** Does the same with a function that fills a buffer. Returns undefined also if it fills in nothing. */
  readWith(source: { readInto(target: Buffer): number | undefined }): WholeText | 'binary' | undefined {
    const size = source.readInto(this.#buffer) ?? 0;
    return size === 0 || size === CHUNK_BYTES ? undefined : this.#toWhole(this.#buffer.subarray(0, size));
  }

  inspect(file: OpenFile): Facts {
    const mark = markOf(this.#read(file, 0, 2));
    const encoding = mark ?? (this.#isUtf8(file) ? 'utf-8' : byteEncodingOf(this.#read(file, 0, CHUNK_BYTES)));
    let longest = 0;
    let hasReturn = false;
    for (const chunk of this.chunks(file, encoding)) {
      longest = Math.max(longest, longestFence(chunk));
      hasReturn ||= this.#findsReturns && chunk.includes(RETURN);
    }
    return { encoding, longestFence: longest, hasReturn };
  }

  *chunks(file: OpenFile, encoding: TextEncodingName): Iterable<Buffer> {
    const decoder = encoding === 'utf-8' ? undefined : new Decoder(encoding);
    for (let at = 0; at < file.size; ) {
      const raw = this.#read(file, at, CHUNK_BYTES);
      if (raw.length === 0) return;
      const isLast = at + raw.length >= file.size;
      const whole = isLast ? raw : raw.subarray(0, decoder ? evenEnd(raw) : lineEnd(raw));
      at += whole.length;
      yield decoder ? Buffer.from(decoder.decode(whole, isLast)) : whole;
    }
  }

  #isUtf8(file: OpenFile): boolean {
    for (let at = 0; at < file.size; ) {
      const raw = this.#read(file, at, CHUNK_BYTES);
      if (raw.length === 0) return true;
      const isLast = at + raw.length >= file.size;
      const whole = isLast ? raw : raw.subarray(0, raw.length - unfinished(raw));
      if (!isUtf8(whole)) return false;
      at += whole.length;
    }
    return true;
  }

  #toWhole(raw: Buffer): WholeText | 'binary' {
    const mark = markOf(raw);
    const isUnicode = mark === undefined && isUtf8(raw);
    const head = raw.length <= PROBE_BYTES ? raw : raw.subarray(0, PROBE_BYTES);
    if (isUnicode ? isData(head) : !isTextStart(head, head === raw)) return 'binary';
    const encoding = mark ?? (isUnicode ? 'utf-8' : byteEncodingOf(raw));
    const bytes = encoding === 'utf-8' ? raw : Buffer.from(new Decoder(encoding).decode(raw, true));
    const facts = {
      encoding,
      longestFence: longestFence(bytes),
      hasReturn: this.#findsReturns && bytes.includes(RETURN),
    };
    return { facts, bytes, size: raw.length };
  }

  #read(file: OpenFile, from: number, most: number): Buffer {
    const length = Math.min(most, CHUNK_BYTES, Math.max(0, file.size - from));
    return this.#buffer.subarray(0, file.read(this.#buffer.subarray(0, length), from));
  }
}

function lineEnd(chunk: Buffer): number {
  const newline = chunk.lastIndexOf(NEWLINE);
  return newline < 0 ? chunk.length - unfinished(chunk) : newline + 1;
}

/** Returns the end of the last whole pair of bytes. The decoder of UTF-16 keeps half of a surrogate pair itself. */
function evenEnd(chunk: Buffer): number {
  return chunk.length - (chunk.length % 2);
}

function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function markOf(bytes: Buffer): TextEncodingName | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function byteEncodingOf(bytes: Buffer): TextEncodingName {
  return isWesternText(bytes) ? 'windows-1252' : 'unknown';
}

function isTextStart(head: Buffer, isWhole: boolean): boolean {
  const mark = markOf(head);
  if (mark) return isUtf16(head, mark);
  if (isData(head)) return false;
  const whole = isWhole ? head : head.subarray(0, head.length - unfinished(head));
  return isUtf8(whole) || countControls(head) <= head.length * MAX_CONTROL_SHARE;
}

function isData(head: Buffer): boolean {
  return head.indexOf(0) >= 0 || (head[0] === PERCENT && head.toString('latin1', 0, 5) === '%PDF-');
}

function isUtf16(head: Buffer, mark: TextEncodingName): boolean {
  for (let i = 2; i + 1 < head.length; i += 2) {
    if ((mark === 'utf-16le' ? head.readUInt16LE(i) : head.readUInt16BE(i)) === 0) return false;
  }
  return true;
}

/** Counts control characters, but not tabs, line ends, backspaces and escapes, which logs of terminals have. */
function countControls(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f) count++;
  }
  return count;
}

/** The characters 0x80 to 0x9f of CP1252. Codes that it does not define are the control characters of Latin-1. */
const CP1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Decodes chunks of bytes. Some versions of Node decode windows-1252 as Latin-1. */
class Decoder {
  readonly #encoding: TextEncodingName;
  readonly #utf16: InstanceType<typeof TextDecoder> | undefined;

  constructor(encoding: TextEncodingName) {
    this.#encoding = encoding;
    if (encoding.startsWith('utf-16')) this.#utf16 = new TextDecoder(encoding);
  }

  decode(bytes: Buffer, isLast: boolean): string {
    if (this.#utf16) return this.#utf16.decode(bytes, { stream: !isLast });
    const text = bytes.toString('latin1');
    if (this.#encoding === 'unknown') return text.replace(/[\x80-\xff]+/g, '\ufffd');
    return text.replace(/[\x80-\x9f]/g, (char) => CP1252[char.charCodeAt(0) - 0x80] ?? char);
  }
}

/** Codes of CP1252 that texts rarely have: undefined codes, `ƒ`, daggers, and marks that are letters elsewhere. */
const RARE = new Set([0x81, 0x82, 0x83, 0x86, 0x87, 0x88, 0x89, 0x8d, 0x8f, 0x90, 0x98, 0x9d]);
const RUN = /[A-Za-z]?([\x80-\xff]+)(?=([A-Za-z]?))/g;
/** Codes above 0x7f in a row that are no word of Western Europe: three, or two without another letter next to them. */
const ODD =
  /[\x80-\xff]{3,}|(?<![A-Za-z\x80-\xff])(?:[\x80-\xff][\xc0-\xff]|[\xc0-\xff][\x80-\xff])(?![A-Za-z\x80-\xff])/;

/** Reports whether bytes that are not UTF-8 may be CP1252 or Latin-1, which have few codes above 0x7f in a row. */
export function isWesternText(bytes: Buffer): boolean {
  let [high, odd] = [0, 0];
  for (const [before, run = '', next] of bytes.toString('latin1').matchAll(RUN)) {
    high += run.length;
    const isOdd = new Set(run).size > 1 && ODD.test(before + next);
    odd += isOdd ? run.length : [...run].filter((char) => RARE.has(char.charCodeAt(0))).length;
  }
  return odd <= (high * 2) / 3;
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
