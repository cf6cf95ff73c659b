import { isUtf8 } from 'node:buffer';
import type { OpenFile } from '@jinn/core';
import { longestFence } from './longest-fence.ts';

/** What is text is decided on so much of a file, as git does. */
const PROBE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const PERCENT = 0x25;
const CHUNK_BYTES = 1024 * 1024;
/** In text that is not UTF-8, one byte of so many may be a control character; in compressed data one of eight is. */
const MAX_CONTROL_SHARE = 1 / 32;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** What must be known of a text file before its first byte is printed. */
export interface Facts {
  readonly encoding: Encoding;
  /** The longest run of backticks that begins a line, blanks aside. */
  readonly longestFence: number;
}

/** A text that was read at once, as UTF-8. */
export interface Whole {
  readonly facts: Facts;
  readonly bytes: Buffer;
  /** Bytes in the file, which may be of another encoding. */
  readonly size: number;
}

/** Reads a file in chunks of text as UTF-8 bytes; what is given is overwritten by the next read. */
export class ContentReader {
  #own: Buffer | undefined;

  get #buffer(): Buffer {
    this.#own ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    return this.#own;
  }

  /** True for what is text, by the bytes at its beginning: a NUL there, and it is binary, unless a mark says UTF-16. */
  isText(file: OpenFile): boolean {
    return isTextStart(this.#read(file, 0, PROBE_BYTES), file.size <= PROBE_BYTES);
  }

  /**
   * Gives the whole of a text file at once, when it fits a chunk; undefined for one that does not, 'binary' for one
   * that is no text.
   */
  readWhole(file: OpenFile): Whole | 'binary' | undefined {
    return file.size > CHUNK_BYTES ? undefined : toWhole(this.#read(file, 0, file.size));
  }

  /** The same of what puts itself into a buffer; undefined also when there is nothing, or it cannot. */
  readWith(source: { readInto?: ((target: Buffer) => number) | undefined }): Whole | 'binary' | undefined {
    const size = source.readInto?.(this.#buffer) ?? 0;
    return size === 0 || size === CHUNK_BYTES ? undefined : toWhole(this.#buffer.subarray(0, size));
  }

  /** Reads a text file of any size for what must be known of it. */
  inspect(file: OpenFile): Facts {
    const encoding = markOf(this.#read(file, 0, 2)) ?? (this.#isUtf8(file) ? 'utf-8' : 'windows-1252');
    let longest = 0;
    for (const chunk of this.chunks(file, encoding)) longest = Math.max(longest, longestFence(chunk));
    return { encoding, longestFence: longest };
  }

  /** The content as UTF-8, cut between lines, or characters where a line is longer. A file that grows meanwhile is read to where it ended. */
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

  #read(file: OpenFile, from: number, most: number): Buffer {
    const length = Math.min(most, CHUNK_BYTES, Math.max(0, file.size - from));
    return this.#buffer.subarray(0, file.read(this.#buffer.subarray(0, length), from));
  }
}

function toWhole(raw: Buffer): Whole | 'binary' {
  const mark = markOf(raw);
  const isUnicode = mark === undefined && isUtf8(raw);
  const head = raw.length <= PROBE_BYTES ? raw : raw.subarray(0, PROBE_BYTES);
  if (isUnicode ? isData(head) : !isTextStart(head, head === raw)) return 'binary';
  const encoding = mark ?? (isUnicode ? 'utf-8' : 'windows-1252');
  const bytes = encoding === 'utf-8' ? raw : Buffer.from(new Decoder(encoding).decode(raw, true));
  return { facts: { encoding, longestFence: longestFence(bytes) }, bytes, size: raw.length };
}

/** Where the last whole line of a chunk ends; its last whole character, when there is none. */
function lineEnd(chunk: Buffer): number {
  const newline = chunk.lastIndexOf(NEWLINE);
  return newline < 0 ? chunk.length - unfinished(chunk) : newline + 1;
}

/** UTF-16 has pairs of bytes; its decoder keeps what is unfinished besides. */
function evenEnd(chunk: Buffer): number {
  return chunk.length - (chunk.length % 2);
}

/** How many bytes at the end begin a character that goes on in the next chunk. */
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

/** What begins like UTF-16 but is data has characters that no text has. */
function isUtf16(head: Buffer, mark: Encoding): boolean {
  for (let i = 2; i + 1 < head.length; i += 2) {
    if ((mark === 'utf-16le' ? head.readUInt16LE(i) : head.readUInt16BE(i)) === 0) return false;
  }
  return true;
}

/** Control characters but for tab, line ends, backspace and escape, which terminals' output has. */
function countControls(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f) count++;
  }
  return count;
}

/** What CP1252 has where Latin-1 has control characters that no text uses; the gaps are those characters. */
const CP1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Turns chunks of bytes into text. Node's own decoder of windows-1252 is Latin-1 in some versions. */
class Decoder {
  readonly #utf16: InstanceType<typeof TextDecoder> | undefined;

  constructor(encoding: Encoding) {
    if (encoding !== 'windows-1252') this.#utf16 = new TextDecoder(encoding);
  }

  decode(bytes: Buffer, isLast: boolean): string {
    if (this.#utf16) return this.#utf16.decode(bytes, { stream: !isLast });
    return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (char) => CP1252[char.charCodeAt(0) - 0x80] ?? char);
  }
}
