import { ToolError } from '@jinn/core/errors';
import { isSurrogate, WideCode } from './wide.ts';

/** One of 256 code points for each byte that is no character: the last of the private ones, which texts do not have. */
const FIRST_BROKEN = 0x10ff00;
const REPLACEMENT = 0xfffd;
const MARK = Buffer.from('\ufeff');
const NEWLINE = 10;
/** The most bytes that a byte becomes, from UTF-8 and to it. */
const MOST_GROWTH = 4;
/** A large text is a string in parts only, since a string takes two bytes for each character. */
const PART_LENGTH = 65_536;
const WIDE = /^utf-?(16|32)-?(le|be)?$/;

/** A text for edits, and the way back to its bytes. */
export interface EditableContent {
  /** UTF-8. A byte that is no character is one private code point, so that every text has one form in bytes. */
  readonly text: Buffer;
  /** Returns the bytes of a text, with the byte order mark that the content had. Throws `invalid_args` for a character that the encoding lacks. */
  encode(text: Buffer): Buffer;
}

/** An encoding other than UTF-8. */
export interface Charset {
  readonly name: string;
  /** True for UTF-16 and UTF-32, in which a text has bytes of 0. */
  readonly isWide: boolean;
  /** Decodes to UTF-8, without a byte order mark. U+FFFD stands for each byte that is no character. */
  decode(bytes: Uint8Array): Buffer;
  /** Opens the content of `path` for edits. Throws `invalid_args` if it would not survive them. */
  open(bytes: Buffer, path: string): EditableContent;
}

/** A code that has the same bytes for a character in every place. */
interface Code {
  /** How many bytes the last character had, or are skipped if there is none. */
  length: number;
  /** Returns the character at an offset, or -1 if there is none, or, if `isExact`, one that has other bytes as well. */
  pointAt(bytes: Uint8Array, at: number, isExact: boolean): number;
  /** Returns the bytes of a character, or undefined if the code lacks it. */
  bytesOf(point: number): Uint8Array | undefined;
}

const opened = new Map<string, Charset>();

/** Opens an encoding by any of its names. Undefined for UTF-8. Throws `invalid_args` for an unknown one. */
export async function openCharset(asked: string): Promise<Charset | undefined> {
  const name = toLabel(asked);
  if (name === 'utf-8') return undefined;
  const known = opened.get(name) ?? (await create(name, asked));
  opened.set(name, known);
  return known;
}

const LABELS: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  utf8bom: 'utf-8',
  ascii: 'utf-8',
  latin1: 'iso-8859-1',
  iso2022jp: 'iso-2022-jp',
  cp932: 'shift_jis',
  sjis: 'shift_jis',
  shiftjis: 'shift_jis',
  gb2312: 'gbk',
  cp936: 'gbk',
  cp949: 'euc-kr',
  macroman: 'macintosh',
};

function toLabel(asked: string): string {
  const plain = asked.trim().toLowerCase();
  const bare = plain.replaceAll(/[^a-z0-9]/g, '');
  const [, width, order = 'le'] = WIDE.exec(plain.replaceAll('_', '-')) ?? [];
  if (width !== undefined) return `utf-${width}${order}`;
  const numbered = bare.replace(/^(?:win|windows|cp)(125\d)$/, 'windows-$1').replace(/^(?:cp|ibm)(\d{3})$/, 'ibm$1');
  return LABELS[bare] ?? (numbered === bare ? plain : numbered);
}

async function create(name: string, asked: string): Promise<Charset> {
  if (WIDE.test(name)) return new CodeCharset(name, new WideCode(name));
  const { default: iconv } = await import('iconv-lite');
  const table = name === 'iso-2022-jp' ? 'euc-jp' : name;
  const ascii = Buffer.from(Array.from({ length: 128 }, (_, i) => i));
  if (!iconv.encodingExists(table) || iconv.decode(ascii, table) !== ascii.toString('latin1')) {
    throw new ToolError('invalid_args', `unknown encoding: ${asked}`, {
      suggestion: 'use a name such as windows-1252, iso-8859-2, koi8-r, shift_jis, euc-jp, gb18030, big5 or utf-16le',
    });
  }
  const code = new TableCode({
    decode: (bytes) => iconv.decode(Buffer.from(bytes), table),
    encode: (text) => iconv.encode(text, table),
  });
  return name === table ? new CodeCharset(name, code) : new StatefulCharset(name, code);
}

class CodeCharset implements Charset {
  readonly name: string;
  readonly isWide: boolean;
  readonly #code: Code;

  constructor(name: string, code: Code) {
    this.name = name;
    this.isWide = code instanceof WideCode;
    this.#code = code;
  }

  decode(bytes: Uint8Array): Buffer {
    const text = decodeBy(this.#code, bytes, false);
    return startsWithMark(text) ? text.subarray(MARK.length) : text;
  }

  open(bytes: Buffer): EditableContent {
    const text = decodeBy(this.#code, bytes, true);
    const hasMark = startsWithMark(text);
    const encode = (after: Buffer) => {
      const output = new Output(MARK.length + after.length);
      if (hasMark && !startsWithMark(after)) this.#encode(MARK, output);
      this.#encode(after, output);
      return output.bytes();
    };
    return { text, encode };
  }

  #encode(text: Buffer, output: Output): void {
    let line = 1;
    for (const point of pointsOf(text)) {
      const bytes = point >= FIRST_BROKEN ? Uint8Array.of(point - FIRST_BROKEN) : this.#code.bytesOf(point);
      if (bytes === undefined) throw lacks(this.name, point, line);
      output.add(bytes);
      if (point === NEWLINE) line++;
    }
  }
}

function startsWithMark(text: Buffer): boolean {
  return text.subarray(0, MARK.length).equals(MARK);
}

function decodeBy(code: Code, bytes: Uint8Array, isExact: boolean): Buffer {
  const output = new Output(bytes.length);
  const units = new Uint16Array(Math.min(2 * bytes.length, PART_LENGTH));
  let count = 0;
  const flush = () => {
    output.add(Buffer.from(Buffer.from(units.buffer, 0, 2 * count).toString('utf16le')));
    count = 0;
  };
  const add = (point: number) => {
    if (count + 2 > units.length) flush();
    if (point > 0xffff) {
      units[count++] = 0xd7c0 + (point >> 10);
      units[count++] = 0xdc00 + (point & 0x3ff);
    } else units[count++] = point;
  };
  for (let at = 0; at < bytes.length; at += code.length) {
    const point = code.pointAt(bytes, at, isExact);
    if (point >= 0 && point < FIRST_BROKEN) add(point);
    else if (!isExact) add(REPLACEMENT);
    else for (let i = 0; i < code.length; i++) add(FIRST_BROKEN + (bytes[at + i] as number));
  }
  flush();
  return output.bytes();
}

/** What a text of a length in bytes becomes. Only as much of its space is taken as is written. */
class Output {
  readonly #buffer: Buffer;
  #length = 0;

  constructor(length: number) {
    this.#buffer = Buffer.allocUnsafeSlow(MOST_GROWTH * length);
  }

  add(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

function* pointsOf(text: Buffer): Generator<number> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(text.length, at + PART_LENGTH);
    // A character stays whole.
    for (let i = 0; i < 3 && ((text[end] ?? 0) & 0xc0) === 0x80; i++) end--;
    for (const character of text.toString('utf8', at, end)) yield character.codePointAt(0) as number;
  }
}

function lacks(name: string, point: number, line: number): ToolError {
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  return new ToolError('invalid_args', `${name} lacks ${String.fromCodePoint(point)} (${code}) in line ${line}`, {
    suggestion:
      'write it with characters that the encoding has, such as an escape, or make the file UTF-8: write_file with all of its text and encoding "utf-8" (nothing was changed)',
  });
}

interface Table {
  decode(bytes: Uint8Array): string;
  encode(text: string): Uint8Array;
}

/** A code of one to four bytes, in which bytes below 0x80 are ASCII. It asks the table once for each character. */
class TableCode implements Code {
  length = 1;
  readonly #table: Table;
  readonly #read = new Map<number, { readonly point: number; readonly isExact: boolean }>();
  readonly #written = new Map<number, Uint8Array | undefined>();

  constructor(table: Table) {
    this.#table = table;
  }

  pointAt(bytes: Uint8Array, at: number, isExact: boolean): number {
    const first = bytes[at] as number;
    this.length = 1;
    if (first < 0x80) return first;
    let key = 0;
    for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
      key = key * 256 + (bytes[at + length - 1] as number);
      const found = length < 3 ? this.#find(key, bytes, at, length) : this.#look(bytes.subarray(at, at + length));
      if (found.point < 0) continue;
      if (isExact && !found.isExact) return -1;
      this.length = length;
      return found.point;
    }
    return -1;
  }

  bytesOf(point: number): Uint8Array | undefined {
    if (this.#written.has(point)) return this.#written.get(point);
    const character = String.fromCodePoint(point);
    const bytes = this.#table.encode(character);
    const found = this.#table.decode(bytes) === character ? bytes : undefined;
    this.#written.set(point, found);
    return found;
  }

  #find(key: number, bytes: Uint8Array, at: number, length: number) {
    const known = this.#read.get(key) ?? this.#look(bytes.subarray(at, at + length));
    this.#read.set(key, known);
    return known;
  }

  #look(bytes: Uint8Array) {
    const text = this.#table.decode(bytes);
    const point = text.codePointAt(0) ?? REPLACEMENT;
    const isOne = text === String.fromCodePoint(point) && point !== REPLACEMENT && !isSurrogate(point);
    if (!isOne) return { point: -1, isExact: false };
    return { point, isExact: Buffer.from(bytes).equals(this.bytesOf(point) ?? Buffer.alloc(0)) };
  }
}

const TO_ASCII = Buffer.from('\x1b(B');
const TO_JIS = Buffer.from('\x1b$B');

/** ISO-2022-JP, in which the meaning of a byte depends on the bytes before it: it is written as a whole. */
class StatefulCharset implements Charset {
  readonly name: string;
  readonly isWide = false;
  readonly #code: TableCode;

  constructor(name: string, eucJp: TableCode) {
    this.name = name;
    this.#code = eucJp;
  }

  decode(bytes: Uint8Array): Buffer {
    return Buffer.from(new TextDecoder(this.name).decode(bytes));
  }

  open(bytes: Buffer, path: string): EditableContent {
    const text = this.decode(bytes);
    const encode = (after: Buffer) => this.#encode(after);
    if (!text.includes('\ufffd') && encode(text).equals(bytes)) return { text, encode };
    throw new ToolError('invalid_args', `${path} is ISO-2022-JP in a form that an edit would change elsewhere too`, {
      suggestion: 'replace all of it with write_file, or convert it with a command: iconv -f iso-2022-jp -t utf-8',
    });
  }

  #encode(text: Buffer): Buffer {
    const output = new Output(text.length);
    let isJis = false;
    let line = 1;
    for (const point of pointsOf(text)) {
      const bytes = this.#code.bytesOf(point);
      const needsJis = point >= 0x80;
      if (bytes === undefined || (needsJis && (bytes.length !== 2 || bytes[0] === 0x8e))) {
        throw lacks(this.name, point, line);
      }
      if (needsJis !== isJis) output.add(needsJis ? TO_JIS : TO_ASCII);
      isJis = needsJis;
      output.add(needsJis ? bytes.map((byte) => byte & 0x7f) : bytes);
      if (point === NEWLINE) line++;
    }
    if (isJis) output.add(TO_ASCII);
    return output.bytes();
  }
}
