import { Buffer, isUtf8 } from 'node:buffer';
import { type Incoming, type JsonLimits, MAX_VALUES } from './parse-json.ts';

export type { JsonLimits } from './parse-json.ts';

export const [NEWLINE, QUOTE, COMMA, COLON] = [0x0a, 0x22, 0x2c, 0x3a];
const BACKSLASH = 0x5c;
export const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

// The states of a scanner. Between tokens, a state is named for what is expected next; within one, for the token.
const [A_VALUE, FIRST_ELEMENT, FIRST_KEY, A_KEY, A_COLON, AFTER_ELEMENT, AFTER_MEMBER] = [0, 1, 2, 3, 4, 5, 6];
const [STRING, ESCAPE, TOKEN] = [7, 8, 9];
/** The first number for the further states of a subclass. */
export const MORE_STATES = 10;

const EXPECTED = [
  'a value',
  'a value or "]"',
  'a key in double quotes or "}"',
  'a key in double quotes',
  'a colon after a key',
  'a comma or "]" after an element',
  'a comma or "}" after a member',
];

export const MIB = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_BYTES = 64 * MIB;
const MAX_TOKEN_BYTES = 1024;
const MAX_LISTED_KEYS = 16;
const TOKEN_FORM = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
/** Longer texts are left to the scanner, which goes byte by byte. */
const MAX_LINE_BYTES = 4096;
const WRITE_JSON = 'let a JSON library write the request';
const FEWER = 'send fewer of them in one request';

/** The place of a byte: its line and column, both from 1. Columns are UTF-16 code units. */
interface Position {
  line: number;
  column: number;
}

interface Report {
  /** The offset of the fault; absent if it has no place. */
  readonly at?: number;
  readonly suggestion?: string | undefined;
}

/**
 * Reads JSON (RFC 8259) byte by byte, and explains why a text is not JSON. It can stop after any byte and go on when
 * `bytes` has more. A value is answered once; a subclass decides how to go on after a fault.
 */
export class JsonScanner {
  readonly maxDepth: number;
  readonly maxBytes: number;
  protected readonly answers: Incoming[] = [];
  protected bytes: Buffer = Buffer.alloc(0);
  /** Offsets in `bytes`: where the value begins, and the largest end of it. */
  protected start = 0;
  protected limit = 0;
  /** Where the value's last string or token begins. */
  protected item = 0;
  /** The position of the first byte of the value. */
  protected readonly position: Position = { line: 1, column: 1 };
  protected state = A_VALUE;
  protected depth = 0;
  /** True between values, and while the rest of a value with an answer is read. */
  protected answered = true;
  /** True if the content of a string or token was refused, but not the form of the value. */
  protected isFlawed = false;
  #values = 0;
  /** By depth: the state after a value in that object or array, and where the keys of the object begin. */
  readonly #after: number[] = [];
  readonly #firstKey: number[] = [];
  readonly #keys: string[] = [];
  /** By depth: the keys of an object that has many. */
  readonly #keySets: (Set<string> | undefined)[] = [];
  #lastKey = '';
  /** The numbers right in the value that JavaScript writes otherwise. */
  #numbers: Map<string, string> | undefined;
  #afterString = A_VALUE;
  #escaped = false;
  #hexDigits = 0;

  constructor({ maxDepth = MAX_DEPTH, maxBytes = MAX_BYTES }: JsonLimits = {}) {
    this.maxDepth = maxDepth;
    this.maxBytes = maxBytes;
  }

  protected begin(i: number): void {
    this.answered = false;
    this.isFlawed = false;
    this.start = i;
    this.#values = 0;
    this.limit = Math.min(this.bytes.length, i + this.maxBytes);
    this.state = A_VALUE;
  }

  /** Reads on from index `i` and returns the next index. It consumes bytes, changes the state, or both. */
  protected scan(i: number): number {
    if (i >= this.limit) return this.#pastLimit(i);
    if (this.state === STRING) return this.#inString(i);
    if (this.state === TOKEN) return this.#inToken(i);
    return this.state === ESCAPE ? this.#inEscape(i) : this.#structure(i);
  }

  /** Ends a value at the end of all bytes. */
  protected endAt(at: number): void {
    if (this.state === TOKEN && this.depth === 0) this.#endToken(at);
    else this.report(`the text ends inside ${this.#surroundings()}`, { at });
  }

  /** Gives up the text. */
  protected fault(i: number, problem: string): number {
    this.report(problem, { at: i });
    this.depth = 0;
    return i;
  }

  protected tooDeep(i: number): number {
    this.report(`nested deeper than ${this.maxDepth} levels`, {
      suggestion: `send it with at most ${this.maxDepth} levels`,
    });
    return i;
  }

  /** Answers for the value at once. */
  protected report(problem: string, { at, suggestion = WRITE_JSON }: Report): void {
    if (this.answered) return;
    const where = at === undefined ? '' : this.#describePosition(at);
    this.answer({ ok: false, message: `invalid JSON: ${problem}${where}`, suggestion });
  }

  protected answer(incoming: Incoming): void {
    this.answers.push(incoming);
    this.answered = true;
    this.limit = this.bytes.length;
    if (this.#numbers) this.#numbers = undefined;
    if (this.#keys.length > 0) this.#keys.length = 0;
    if (this.#keySets.length > 0) this.#keySets.length = 0;
  }

  /** Skips a string, after which the scanner is in this state. */
  protected startString(i: number, afterString: number): number {
    this.item = i;
    this.#afterString = afterString;
    this.#escaped = false;
    return this.#proceed(i, STRING);
  }

  protected endValue(i: number): number {
    if (this.depth > 0) this.state = this.#after[this.depth] as number;
    else if (!this.answered) this.#accept(this.bytes.subarray(this.start, i));
    return i;
  }

  #surroundings(): string {
    if (this.state === STRING || this.state === ESCAPE) return 'a string';
    if (this.depth === 0) return 'a byte order mark';
    return this.#after[this.depth] === AFTER_MEMBER ? 'an object' : 'an array';
  }

  #proceed(i: number, state: number): number {
    this.state = state;
    return i + 1;
  }

  #structure(i: number): number {
    const byte = this.bytes[i] as number;
    const { state } = this;
    if (isSpace(byte)) return i + 1;
    if (byte === COMMA && state === AFTER_MEMBER) return this.#proceed(i, A_KEY);
    if (byte === COMMA && state === AFTER_ELEMENT) return this.#proceed(i, A_VALUE);
    if (byte === COLON && state === A_COLON) return this.#proceed(i, A_VALUE);
    if (byte === QUOTE && (state === A_KEY || state === FIRST_KEY)) return this.startString(i, A_COLON);
    if (byte === CLOSE_BRACE && (state === AFTER_MEMBER || state === FIRST_KEY)) return this.#close(i);
    if (byte === CLOSE_BRACKET && (state === AFTER_ELEMENT || state === FIRST_ELEMENT)) return this.#close(i);
    if (state === A_VALUE || state === FIRST_ELEMENT) return this.#startValue(i, byte);
    return this.#misplaced(i, byte);
  }

  #startValue(i: number, byte: number): number {
    this.#values += 1;
    if (this.#values > MAX_VALUES) this.report(`it has more than ${MAX_VALUES} values`, { suggestion: FEWER });
    if (byte === QUOTE) return this.startString(i, A_VALUE);
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#open(i, byte);
    this.item = i;
    return isPunctuation(byte) ? this.#misplaced(i, byte) : this.#proceed(i, TOKEN);
  }

  #misplaced(i: number, byte: number): number {
    return this.fault(i, `expected ${EXPECTED[this.state]}, found ${describe(byte)}`);
  }

  #open(i: number, byte: number): number {
    if (this.depth === this.maxDepth) return this.tooDeep(i);
    this.depth += 1;
    this.#firstKey[this.depth] = this.#keys.length;
    this.#after[this.depth] = byte === OPEN_BRACE ? AFTER_MEMBER : AFTER_ELEMENT;
    return this.#proceed(i, byte === OPEN_BRACE ? FIRST_KEY : FIRST_ELEMENT);
  }

  #close(i: number): number {
    const firstKey = this.#firstKey[this.depth] as number;
    if (this.#keys.length > firstKey) this.#keys.length = firstKey;
    if (this.#keySets.length > this.depth) this.#keySets.length = this.depth;
    this.depth -= 1;
    return this.endValue(i + 1);
  }

  #inString(i: number): number {
    const { bytes, limit } = this;
    let at = i;
    let byte = 0;
    for (; at < limit; at += 1) {
      byte = bytes[at] as number;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) break;
    }
    if (at === limit) return at;
    if (byte === QUOTE) return this.#endString(at);
    if (byte !== BACKSLASH) return this.fault(at, `expected an escape or the end of a string, found ${describe(byte)}`);
    this.#escaped = true;
    return this.#proceed(at, ESCAPE);
  }

  /** Hands a byte that cannot follow a backslash back to the string: it may be its end, or a line break. */
  #inEscape(i: number): number {
    const byte = this.bytes[i] as number;
    const character = String.fromCharCode(byte);
    const inHex = this.#hexDigits > 0;
    if ((inHex ? '0123456789abcdefABCDEF' : '"\\/bfnrtu').includes(character)) {
      this.#hexDigits = inHex ? this.#hexDigits - 1 : character === 'u' ? 4 : 0;
      return this.#proceed(i, this.#hexDigits > 0 ? ESCAPE : STRING);
    }
    const expected = inHex ? 'four hexadecimal digits after \\u' : 'one of " \\ / b f n r t u after a backslash';
    this.#hexDigits = 0;
    this.state = STRING;
    this.#flaw(i, `expected ${expected}, found ${describe(byte)}`);
    return i;
  }

  #endString(i: number): number {
    if (this.#afterString === A_VALUE) return this.endValue(i + 1);
    if (this.#afterString === A_COLON && !this.answered) {
      this.#checkKey(this.bytes.toString('utf8', this.item + 1, i));
    }
    return this.#proceed(i, this.#afterString);
  }

  #checkKey(text: string): void {
    const key = this.#escaped ? (JSON.parse(`"${text}"`) as string) : text;
    this.#lastKey = key;
    if (!this.#isRepeated(key)) return;
    this.report(`duplicate key ${quote(key, 40)}`, { suggestion: 'give each key of an object once' });
  }

  #isRepeated(key: string): boolean {
    const many = this.#keySets[this.depth];
    if (many) return many.has(key) || !many.add(key);
    const first = this.#firstKey[this.depth] as number;
    if (this.#keys.includes(key, first)) return true;
    this.#keys.push(key);
    if (this.#keys.length - first > MAX_LISTED_KEYS) this.#keySets[this.depth] = new Set(this.#keys.slice(first));
    return false;
  }

  #inToken(i: number): number {
    const { bytes, limit } = this;
    let at = i;
    while (at < limit && !isPunctuation(bytes[at] as number)) at += 1;
    if (at - this.item > MAX_TOKEN_BYTES) {
      this.#flaw(this.item, 'expected a value, found a word or number longer than 1 KiB');
    }
    return at < limit ? this.#endToken(at) : at;
  }

  #endToken(i: number): number {
    if (!this.answered) {
      const text = this.bytes.toString('utf8', this.item, i);
      if (!TOKEN_FORM.test(text)) this.#flaw(this.item, `expected a value, found ${quote(text, 20)}`);
      else if (this.depth === 1 && this.#after[1] === AFTER_MEMBER) this.#keepNumber(text);
    }
    return this.endValue(i);
  }

  /** Keeps the text of a number or literal, by the last key, if JavaScript would write it otherwise. */
  #keepNumber(text: string): void {
    if (text === String(JSON.parse(text))) return;
    this.#numbers ??= new Map();
    this.#numbers.set(this.#lastKey, text);
  }

  #accept(text: Buffer): void {
    const decoded = text.toString();
    if (isUtf8(text)) {
      this.answer({ ok: true, value: JSON.parse(decoded), ...(this.#numbers && { numbers: this.#numbers }) });
      return;
    }
    const encoded = Buffer.from(decoded);
    let sound = 0;
    while (encoded[sound] === text[sound]) sound += 1;
    this.#flaw(this.start + sound, 'found a byte that is not UTF-8', 'encode the request as UTF-8');
  }

  /** Refuses the value for the content of a string or token. The rest of it is read as if it were valid. */
  #flaw(at: number, problem: string, suggestion?: string): void {
    if (this.answered) return;
    this.report(problem, { at, suggestion });
    this.isFlawed = true;
  }

  #pastLimit(i: number): number {
    const { maxBytes } = this;
    if (this.state === TOKEN && isPunctuation(this.bytes[i] as number)) return this.#endToken(i);
    const limit = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`;
    this.report(`a value is larger than ${limit}`, { suggestion: 'send less in one request' });
    return i;
  }

  #describePosition(at: number): string {
    const position = { ...this.position };
    advance(position, this.bytes.subarray(this.start, at));
    return ` (line ${position.line}, column ${position.column})`;
  }
}

/** Moves a position past some bytes, which may begin or end within a character. */
export function advance(position: Position, bytes: Buffer): void {
  let lineStart = -1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    position.line += 1;
    lineStart = at;
  }
  if (lineStart >= 0) position.column = 1;
  for (let at = lineStart + 1; at < bytes.length; at += 1) position.column += widthAt(bytes[at] as number);
}

/** Returns the number of code units of the character that begins with a byte; 0 for a byte within a character. */
function widthAt(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}

/** Reports whether a byte is white space between tokens. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** Reports whether a byte ends a number or literal. Any other byte belongs to it, so that a wrong word like `True` is one fault. */
function isPunctuation(byte: number): boolean {
  if (byte <= 0x20 || byte === QUOTE || byte === COMMA || byte === COLON) return true;
  return byte === OPEN_BRACKET || byte === CLOSE_BRACKET || byte === OPEN_BRACE || byte === CLOSE_BRACE;
}

/** Describes a byte in words, without echoing a control character to a terminal. */
function describe(byte: number): string {
  if (byte === NEWLINE) return 'a line break';
  if (byte === 0x09) return 'a tab';
  if (byte >= 0x80) return 'a character outside ASCII';
  if (byte < 0x20 || byte === 0x7f) return `the control character 0x${byte.toString(16).padStart(2, '0')}`;
  return byte === QUOTE ? `'"'` : `"${String.fromCharCode(byte)}"`;
}

/** Quotes the start of a text as JSON, which leaves no control character. */
function quote(text: string, length: number): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text.slice(0, length)).replace(/[\x7f-\x9f\u2028\u2029]/g, toEscape);
}

/**
 * Reads a text that is one object, exactly as JSON.stringify writes it, with or without a newline: the form of most
 * requests. Returns undefined for any other text. A text that JSON.stringify would write otherwise may have a duplicate
 * key or a number that JavaScript cannot hold, and is left to the scanner.
 */
export function readJsonLine(bytes: Uint8Array, maxDepth: number): object | undefined {
  const end = bytes[bytes.length - 1] === NEWLINE ? bytes.length - 1 : bytes.length;
  if (end > MAX_LINE_BYTES || bytes[0] !== OPEN_BRACE || bytes[end - 1] !== CLOSE_BRACE) return undefined;
  if (!isUtf8(bytes) || countOpening(bytes) > maxDepth) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString();
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
