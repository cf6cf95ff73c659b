import { Buffer, isUtf8 } from 'node:buffer';
import { countLineFeeds } from '../counted.ts';

const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const BOM = Buffer.from('\ufeff');
const MIB = 1024 * 1024;
const MAX_DEPTH = 64;
/** How deep the JSON of a user's files and programs may nest. */
const MAX_STRICT_DEPTH = 1_000;
export const MAX_JSON_BYTES = 64 * MIB;
/** The most values in one value, at all depths: each takes a hundred bytes and more, however short it is written. */
export const MAX_VALUES = 120_000;
const MAX_TOKEN_BYTES = 1024;
const TOKEN_FORM = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const WRITE_JSON = 'let a JSON library write the request';
const SEND_LESS = 'send less in one request';
const FEWER = 'send fewer of them in one request';

export interface JsonLimits {
  readonly maxDepth?: number;
  /** With more than 128 MiB, V8 may refuse to hold the keys of a value. */
  readonly maxBytes?: number;
  readonly line?: number;
}

export type Incoming =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The text of each member that is a number which JavaScript writes otherwise, by its key. */
      readonly numbers?: ReadonlyMap<string, string>;
    }
  | {
      readonly ok: false;
      readonly message: string;
      readonly suggestion: string;
      /** True if the text ends inside an object, a list or a string. */
      readonly isUnfinished?: boolean;
    };

/** Reads the only value of these bytes. Refuses what is not JSON (RFC 8259), repeated keys, and what is too large. */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = {}): Incoming {
  try {
    return new JsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), limits).read();
  } catch (error) {
    if (!(error instanceof JsonRefusal)) throw error;
    return { ok: false, message: `invalid JSON: ${error.message}`, ...error.facts };
  }
}

export function refuseLarge(maxBytes: number): Incoming {
  return { ok: false, message: `invalid JSON: ${describeLarge(maxBytes)}`, suggestion: SEND_LESS };
}

function describeLarge(maxBytes: number): string {
  return `a value is larger than ${maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`}`;
}

/** Parses JSON like `parseJson`, but deeper. Throws SyntaxError, whose message starts with `invalid JSON`. */
export function parseStrictJson(text: string | Uint8Array): unknown {
  const read = parseJson(typeof text === 'string' ? Buffer.from(text) : text, { maxDepth: MAX_STRICT_DEPTH });
  if (read.ok) return read.value;
  throw new SyntaxError(read.message);
}

interface RefusalFacts {
  readonly suggestion?: string;
  readonly isUnfinished?: boolean;
}

class JsonRefusal extends Error {
  readonly facts: RefusalFacts & { readonly suggestion: string };

  constructor(message: string, suggestion: string, facts?: RefusalFacts) {
    super(message);
    this.facts = { suggestion, ...facts };
  }
}

/** Walks a text before JSON.parse makes its value, which keeps neither repeated keys nor the digits of a number. */
class JsonText {
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  readonly #maxBytes: number;
  readonly #firstLine: number;
  /** Where the text starts, and the largest end of its value. */
  readonly #first: number;
  #limit = 0;
  #at: number;
  #depth = 0;
  #values = 0;
  #inside = '';
  #escaped = false;
  readonly #numbers = new Map<string, string>();

  constructor(bytes: Buffer, { maxDepth = MAX_DEPTH, maxBytes = MAX_JSON_BYTES, line = 1 }: JsonLimits) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
    this.#maxBytes = maxBytes;
    this.#firstLine = line;
    this.#first = bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    this.#at = this.#first;
  }

  read(): Incoming {
    const bytes = this.#bytes;
    this.#limit = bytes.length;
    this.#skipSpace();
    const start = this.#at;
    if (start === bytes.length) throw new JsonRefusal('there is no value', 'send one value');
    this.#limit = Math.min(bytes.length, start + this.#maxBytes);
    this.#value('a value');
    const value = this.#decode(start);
    this.#limit = bytes.length;
    this.#skipSpace();
    if (this.#at < bytes.length) throw new JsonRefusal('there is more than one value', 'send one value on each line');
    const numbers = this.#numbers;
    return { ok: true, value: JSON.parse(value), ...(numbers.size > 0 && { numbers }) };
  }

  #decode(start: number): string {
    const text = this.#bytes.subarray(start, this.#at);
    const decoded = text.toString();
    if (isUtf8(text)) return decoded;
    const encoded = Buffer.from(decoded);
    let sound = 0;
    while (encoded[sound] === text[sound]) sound++;
    throw this.#refusal('found a byte that is not UTF-8', start + sound, { suggestion: 'encode the request as UTF-8' });
  }

  /** `key` is given for a member of the outermost object. */
  #value(expected: string, key?: string): void {
    const byte = this.#next();
    if (++this.#values > MAX_VALUES) throw new JsonRefusal(`it has more than ${MAX_VALUES} values`, FEWER);
    if (byte === QUOTE) this.#string();
    else if (byte === OPEN_BRACE) this.#nested('an object', () => this.#members());
    else if (byte === OPEN_BRACKET) this.#nested('an array', () => this.#elements());
    else if (isPunctuation(byte)) throw this.#misplaced(expected);
    else this.#token(key);
  }

  #nested(inside: string, read: () => void): void {
    const max = this.#maxDepth;
    if (this.#depth === max) {
      throw new JsonRefusal(`nested deeper than ${max} levels`, `send it with at most ${max} levels`);
    }
    const outside = this.#inside;
    this.#inside = inside;
    this.#depth++;
    this.#at++;
    read();
    this.#at++;
    this.#depth--;
    this.#inside = outside;
  }

  #members(): void {
    if (this.#next() === CLOSE_BRACE) return;
    const keys = new Set<string>();
    for (let expected = 'a key in double quotes or "}"'; ; expected = 'a key in double quotes') {
      if (this.#next() !== QUOTE) throw this.#misplaced(expected);
      const key = this.#key();
      if (keys.size === keys.add(key).size)
        throw new JsonRefusal(`duplicate key ${quote(key, 40)}`, 'give each key of an object once');
      if (this.#next() !== COLON) throw this.#misplaced('a colon after a key');
      this.#at++;
      this.#value('a value', this.#depth === 1 ? key : undefined);
      const byte = this.#next();
      if (byte === CLOSE_BRACE) return;
      if (byte !== COMMA) throw this.#misplaced('a comma or "}" after a member');
      this.#at++;
    }
  }

  #elements(): void {
    if (this.#next() === CLOSE_BRACKET) return;
    for (let expected = 'a value or "]"'; ; expected = 'a value') {
      this.#value(expected);
      const byte = this.#next();
      if (byte === CLOSE_BRACKET) return;
      if (byte !== COMMA) throw this.#misplaced('a comma or "]" after an element');
      this.#at++;
    }
  }

  #key(): string {
    const start = this.#at + 1;
    this.#string();
    const text = this.#bytes.toString('utf8', start, this.#at - 1);
    return this.#escaped ? (JSON.parse(`"${text}"`) as string) : text;
  }

  #string(): void {
    const bytes = this.#bytes;
    this.#escaped = false;
    this.#at++;
    for (;;) {
      let at = this.#at;
      let byte = 0x20;
      for (; at < this.#limit; at++) {
        byte = bytes[at] as number;
        if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) break;
      }
      this.#at = at;
      if (at === this.#limit) throw this.#cut('a string');
      if (byte < 0x20) throw this.#misplaced('an escape or the end of a string');
      this.#at++;
      if (byte === QUOTE) return;
      this.#escape();
    }
  }

  #escape(): void {
    this.#escaped = true;
    const letter = this.#expect('"\\/bfnrtu', 'one of " \\ / b f n r t u after a backslash');
    for (let left = letter === 'u' ? 4 : 0; left > 0; left--) {
      this.#expect('0123456789abcdefABCDEF', 'four hexadecimal digits after \\u');
    }
  }

  #expect(characters: string, expected: string): string {
    if (this.#at === this.#limit) throw this.#cut('a string');
    const character = String.fromCharCode(this.#bytes[this.#at] as number);
    if (!characters.includes(character)) throw this.#misplaced(expected);
    this.#at++;
    return character;
  }

  #token(key: string | undefined): void {
    const bytes = this.#bytes;
    const start = this.#at;
    while (this.#at < this.#limit && !isPunctuation(bytes[this.#at] as number)) this.#at++;
    if (this.#at - start > MAX_TOKEN_BYTES) {
      throw this.#refusal('expected a value, found a word or number longer than 1 KiB', start);
    }
    const isCut = this.#at < bytes.length ? !isPunctuation(bytes[this.#at] as number) : this.#depth > 0;
    if (isCut) throw this.#cut(this.#inside);
    const text = bytes.toString('utf8', start, this.#at);
    if (!TOKEN_FORM.test(text)) throw this.#refusal(`expected a value, found ${quote(text, 20)}`, start);
    if (key !== undefined && text !== String(JSON.parse(text))) this.#numbers.set(key, text);
  }

  #next(): number {
    this.#skipSpace();
    if (this.#at === this.#limit) throw this.#cut(this.#inside);
    return this.#bytes[this.#at] as number;
  }

  #skipSpace(): void {
    while (this.#at < this.#limit && isSpace(this.#bytes[this.#at] as number)) this.#at++;
  }

  #misplaced(expected: string): JsonRefusal {
    return this.#refusal(`expected ${expected}, found ${describe(this.#bytes[this.#at] as number)}`);
  }

  #cut(inside: string): JsonRefusal {
    if (this.#limit < this.#bytes.length) return new JsonRefusal(describeLarge(this.#maxBytes), SEND_LESS);
    return this.#refusal(`the text ends inside ${inside}`, this.#at, { isUnfinished: true });
  }

  /** Names the line and the column of a byte, from 1. Columns are UTF-16 code units. */
  #refusal(problem: string, at = this.#at, facts?: RefusalFacts): JsonRefusal {
    const before = this.#bytes.subarray(this.#first, at);
    const line = this.#firstLine + countLineFeeds(before);
    let column = 1;
    for (const byte of before.subarray(before.lastIndexOf(NEWLINE) + 1)) column += widthAt(byte);
    return new JsonRefusal(`${problem} (line ${line}, column ${column})`, WRITE_JSON, facts);
  }
}

function widthAt(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** Any byte but these belongs to a number or literal, so that a wrong word such as `True` is one fault. */
function isPunctuation(byte: number): boolean {
  if (byte <= 0x20 || byte === QUOTE || byte === COMMA || byte === COLON) return true;
  return byte === OPEN_BRACKET || byte === CLOSE_BRACKET || byte === OPEN_BRACE || byte === CLOSE_BRACE;
}

/** Security: no control character is echoed to a terminal. */
function describe(byte: number): string {
  if (byte === NEWLINE) return 'a line break';
  if (byte === 0x09) return 'a tab';
  if (byte >= 0x80) return 'a character outside ASCII';
  if (byte < 0x20 || byte === 0x7f) return `the control character 0x${byte.toString(16).padStart(2, '0')}`;
  return byte === QUOTE ? `'"'` : `"${String.fromCharCode(byte)}"`;
}

function quote(text: string, length: number): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text.slice(0, length)).replace(/[\x7f-\x9f\u2028\u2029]/g, toEscape);
}

/** Reports whether a value of JSON is an object. A list is none. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
