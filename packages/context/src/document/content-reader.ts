import { isUtf8 } from 'node:buffer';
import type { OpenFile } from '@jinn/workspace';
import { longestFence } from './longest-fence.ts';
import { isWesternText } from './western-text.ts';

/** How much of a file decides whether it is text; git reads as much. */
const PROBE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const PERCENT = 0x25;
const CHUNK_BYTES = 1024 * 1024;
/** The most control characters in text that is not UTF-8, as a share of its bytes. In compressed data it is an eighth. */
const MAX_CONTROL_SHARE = 1 / 32;

/** The encoding of a file; of an unknown one only ASCII is read, and U+FFFD replaces the rest. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'unknown';

/** The facts about a text file that must be known before any of it is printed. */
export interface Facts {
  readonly encoding: Encoding;
  /** The longest run of backticks at the beginning of a line, after blanks. */
  readonly longestFence: number;
  /**
   * True if there is a carriage return, which XML reads as a newline unless it is escaped. False if the reader was not
   * asked to look for it.
   */
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

  /**
   * Reports whether the first bytes of a file are those of text. A file with a NUL is binary, unless a mark says that
   * it is UTF-16.
   */
  isText(file: OpenFile): boolean {
    return isTextStart(this.#read(file, 0, PROBE_BYTES), file.size <= PROBE_BYTES);
  }

  /** Reads a whole text file. Returns undefined if it does not fit into a chunk, and 'binary' if it is not text. */
  readWhole(file: OpenFile): WholeText | 'binary' | undefined {
    return file.size > CHUNK_BYTES ? undefined : this.#toWhole(this.#read(file, 0, file.size));
  }

  /**
   * Reads a whole text with a function that fills a buffer. Returns undefined also if the function fills in nothing.
   */
  readWith(source: { readInto(target: Buffer): number | undefined }): WholeText | 'binary' | undefined {
    const size = source.readInto(this.#buffer) ?? 0;
    return size === 0 || size === CHUNK_BYTES ? undefined : this.#toWhole(this.#buffer.subarray(0, size));
  }

  /** Reads a text file of any size to find out its facts. */
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

  /**
   * Yields the content as UTF-8, split between lines, or between characters where a line is longer than a chunk. Of a
   * file that grows, it reads what was there when the file was opened.
   */
  *chunks(file: OpenFile, encoding: Encoding): Iterable<Buffer> {
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

/** Returns the end of the last whole line of a chunk, or of its last whole character if it has no line end. */
function lineEnd(chunk: Buffer): number {
  const newline = chunk.lastIndexOf(NEWLINE);
  return newline < 0 ? chunk.length - unfinished(chunk) : newline + 1;
}

/** Returns the end of the last whole pair of bytes. The decoder of UTF-16 keeps half of a surrogate pair itself. */
function evenEnd(chunk: Buffer): number {
  return chunk.length - (chunk.length % 2);
}

/** Counts the bytes at the end that belong to a character of the next chunk. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function markOf(bytes: Buffer): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function byteEncodingOf(bytes: Buffer): Encoding {
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

/** Reports whether bytes with a mark of UTF-16 are text: binary data would have NUL characters. */
function isUtf16(head: Buffer, mark: Encoding): boolean {
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
  readonly #encoding: Encoding;
  readonly #utf16: InstanceType<typeof TextDecoder> | undefined;

  constructor(encoding: Encoding) {
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
