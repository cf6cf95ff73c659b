import { ToolError } from '../errors/index.ts';
import {
  type CharSet,
  character,
  charClass,
  intersection,
  LINE_BREAKS,
  perlSet,
  posixSet,
  propertySet,
  range,
  union,
} from './piece.ts';

const LOOK_AHEAD = 64;
const MAX_SHOWN = 500;

const SEARCH_A_LINE = 'lines are searched one by one: search for a part that is in one line';

/** A part of a pattern, and what to write instead. A function gets the texts before and after it. */
interface Rewriting {
  readonly at: number;
  readonly length: number;
  readonly write: string | ((before: string, after: string) => string);
}

/** Reads a pattern character by character, and makes errors that name a position. */
export class PatternReader {
  at = 0;
  readonly length: number;
  readonly #chars: readonly string[];
  readonly #suggestion: string;
  readonly #acrossSuggestion: string;

  constructor(pattern: string, suggestion: string, acrossSuggestion = SEARCH_A_LINE) {
    this.#chars = [...pattern];
    this.length = this.#chars.length;
    this.#suggestion = suggestion;
    this.#acrossSuggestion = acrossSuggestion;
  }

  get isAtEnd(): boolean {
    return this.at >= this.length;
  }

  next(): string {
    return this.#chars[this.at++] as string;
  }

  peek(offset = 0): string {
    return this.#chars[this.at + offset] ?? '';
  }

  take(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#chars[this.at + i] !== text[i]) return false;
    this.at += text.length;
    return true;
  }

  takeUpTo(count: number): string {
    const text = this.#chars.slice(this.at, this.at + count).join('');
    this.at += count;
    return text;
  }

  /** Reads up to `end` and past it. The result is without `end`. An error names the position `at`. */
  until(end: string, at: number): string {
    const found = this.#chars.indexOf(end, this.at);
    if (found < 0) throw this.wrong(`missing ${end}`, at);
    const text = this.takeUpTo(found - this.at);
    this.at++;
    return text;
  }

  ahead(regex: RegExp): RegExpExecArray | null {
    return regex.exec(this.#chars.slice(this.at, this.at + LOOK_AHEAD).join(''));
  }

  wrong(why: string, at: number | undefined = this.at, suggestion = this.#suggestion): ToolError {
    return new ToolError('invalid_regex', `invalid regex: ${why}, at character ${at + 1}`, { suggestion });
  }

  unsupported(why: string, { at, length, write }: Rewriting): ToolError {
    const [before, after] = [this.#chars.slice(0, at).join(''), this.#chars.slice(at + length).join('')];
    const whole = typeof write === 'string' ? before + write + after : write(before, after);
    const short = typeof write === 'string' ? `write ${write} instead of it` : undefined;
    return this.wrong(why, at, whole.length > MAX_SHOWN && short ? short : `write ${whole}`);
  }

  noLineEnd(at: number): ToolError {
    return this.wrong('a line end can only match across lines', at, this.#acrossSuggestion);
  }
}

/** `\b` is a backspace only in a class. */
const ESCAPED: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, e: 27, b: 8 };
const HEX = /^[0-9A-Fa-f]+$/;
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const LINE_ENDS = [10, 13];
const ONLY_LINE_ENDS = /^(?:\\x\{[ad]\})+$/;
const MAX_DEPTH = 20;

/**
 * Reads a class after its opening bracket, at `at`. As in RE2 and POSIX, a leading `]` is a plain character, and so is
 * a `[` that opens no named class. As in ripgrep, `&&` intersects.
 */
export function readClass(reader: PatternReader, crossesLines: boolean, at: number, depth = 1): CharSet {
  if (depth > MAX_DEPTH) throw reader.wrong(`classes are nested deeper than ${MAX_DEPTH}`, at);
  const isNegated = reader.take('^');
  const operand = () => readNested(reader, crossesLines, depth + 1) ?? readMembers(reader, at);
  const operands = [operand()];
  while (reader.take('&&')) operands.push(operand());
  if (!reader.take(']')) throw reader.wrong('missing ]', at);
  const [only] = operands;
  const members = operands.length === 1 && only ? only : intersection(operands);
  if (!crossesLines && !isNegated && ONLY_LINE_ENDS.test(members.rust)) throw reader.noLineEnd(at);
  return charClass(members, isNegated, crossesLines);
}

function readMembers(reader: PatternReader, at: number): CharSet {
  const items: CharSet[] = [];
  while (items.length === 0 || !(reader.peek() === ']' || isIntersection(reader))) {
    if (reader.isAtEnd) throw reader.wrong('missing ]', at);
    if (items.length > 0) refuseSubtraction(reader);
    items.push(readItem(reader));
  }
  return union(items);
}

/** Two ampersands at the very end of a class are plain characters. */
function isIntersection(reader: PatternReader): boolean {
  return reader.peek() === '&' && reader.peek(1) === '&' && reader.peek(2) !== ']' && reader.peek(2) !== '';
}

/** Returns undefined if a `[` is a plain character here. */
function readNested(reader: PatternReader, crossesLines: boolean, depth: number): CharSet | undefined {
  const { at } = reader;
  const isSecond = at >= 2 && reader.peek(-1) === '&' && reader.peek(-2) === '&';
  if (reader.peek() !== '[' || reader.ahead(/^\[:/)) return undefined;
  const end = endOfNested(reader);
  if (end === undefined) return undefined;
  const closes = reader.peek(end) === ']' && isSecond;
  if (!closes && !(reader.peek(end) === '&' && reader.peek(end + 1) === '&')) return undefined;
  reader.next();
  return readClass(reader, crossesLines, at, depth);
}

function endOfNested(reader: PatternReader): number | undefined {
  let offset = reader.peek(1) === '^' ? 2 : 1;
  if (reader.peek(offset) === ']') offset++;
  for (; reader.peek(offset) !== ''; offset++) {
    const char = reader.peek(offset);
    if (char === ']') return offset + 1;
    if (char === '\\') offset++;
    else if (char === '[' && reader.peek(offset + 1) === ':') {
      while (reader.peek(offset) !== '' && reader.peek(offset) !== ']') offset++;
    }
  }
  return undefined;
}

/** Reads an escape outside a class, from `char` after the backslash at `at`: a set, or the number of a character. */
export function readEscape(reader: PatternReader, crossesLines: boolean, char: string, at: number): CharSet | number {
  if (char === 'R' && !crossesLines) throw reader.noLineEnd(at);
  const set = char === 'R' ? LINE_BREAKS : readSet(reader, char, at);
  return set ? charClass(set, false, crossesLines) : readCode(reader, char, at);
}

/** Returns the set of one character. Refuses a line end if no match crosses lines. */
export function toCharacter(reader: PatternReader, crossesLines: boolean, codePoint: number, at: number): CharSet {
  if (LINE_ENDS.includes(codePoint) && !crossesLines) throw reader.noLineEnd(at);
  return toMember(reader, codePoint, at);
}

function toMember(reader: PatternReader, codePoint: number, at: number): CharSet {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) throw reader.wrong('half of a surrogate pair', at);
  return character(codePoint);
}

function readItem(reader: PatternReader): CharSet {
  const { at } = reader;
  const posix = readPosix(reader);
  if (posix) return posix;
  const from = readEnd(reader);
  if (typeof from !== 'number') return from;
  const isRange = reader.peek() === '-' && reader.peek(1) !== ']' && reader.peek(1) !== '';
  if (!isRange) return toMember(reader, from, at);
  reader.next();
  const dash = reader.at - 1;
  const to = readEnd(reader);
  if (typeof to !== 'number')
    throw reader.unsupported('a range ends in a class', { at: dash, length: 1, write: '\\-' });
  if (to < from) throw reader.wrong('a range is out of order', at, 'write the smaller one first');
  return from === to ? toMember(reader, from, at) : range(from, to);
}

function readPosix(reader: PatternReader): CharSet | undefined {
  const [whole, negation, name] = reader.ahead(/^\[:(\^?)([a-z]+):\]/) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  const set = posixSet(name, negation === '^');
  if (!set)
    throw reader.wrong(
      `unknown class ${whole}`,
      reader.at,
      'the classes are [:alnum:] [:alpha:] [:ascii:] [:blank:] [:cntrl:] [:digit:] [:graph:] [:lower:] [:print:] [:punct:] [:space:] [:upper:] [:word:] [:xdigit:]',
    );
  reader.takeUpTo(whole.length);
  return set;
}

function readEnd(reader: PatternReader): number | CharSet {
  const { at } = reader;
  const char = reader.next();
  if (char !== '\\') return char.codePointAt(0) as number;
  if (reader.isAtEnd) throw reader.wrong('it ends in a backslash', at);
  const escaped = reader.next();
  return readSet(reader, escaped, at) ?? readCode(reader, escaped, at);
}

function readSet(reader: PatternReader, char: string, at: number): CharSet | undefined {
  return char === 'p' || char === 'P' ? readProperty(reader, char === 'P', at) : perlSet(char);
}

function readProperty(reader: PatternReader, isNegated: boolean, at: number): CharSet {
  const name = reader.take('{') ? reader.until('}', at) : reader.takeUpTo(1);
  const isTurned = name.startsWith('^');
  const set = propertySet(isTurned ? name.slice(1) : name, isNegated !== isTurned);
  if (set) return set;
  const why = `unknown Unicode property ${JSON.stringify(name.slice(0, 40))}`;
  throw reader.wrong(
    why,
    at,
    'properties are categories, scripts and the like: \\p{L}, \\p{Lu}, \\p{Nd}, \\p{P}, \\p{Greek}',
  );
}

function readCode(reader: PatternReader, char: string, at: number): number {
  if (Object.hasOwn(ESCAPED, char)) return ESCAPED[char] as number;
  if (Object.hasOwn(HEX_DIGITS, char)) return readHex(reader, char, at);
  if (char === '0' && !/[0-9]/.test(reader.peek())) return 0;
  if (char === 'c' && /[A-Za-z]/.test(reader.peek())) return reader.next().charCodeAt(0) % 32;
  const write = /[0-9]/.test(char) ? `\\x{${char}}` : char;
  if (/[0-9A-Za-z]/.test(char)) throw reader.unsupported(`\\${char} has no meaning`, { at, length: 2, write });
  return char.codePointAt(0) as number;
}

function readHex(reader: PatternReader, char: string, at: number): number {
  const [pair] = reader.ahead(/^[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}/) ?? [];
  if (char === 'u' && pair) return JSON.parse(`"\\u${reader.takeUpTo(pair.length)}"`).codePointAt(0);
  const digits = reader.take('{') ? reader.until('}', at) : reader.takeUpTo(HEX_DIGITS[char] as number);
  const codePoint = HEX.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (codePoint < 0 || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
    const why = `\\${char} needs the number of a character in hexadecimal digits`;
    throw reader.wrong(why, at, `write it as in \\x41, \\x{1f600} or \\u0041`);
  }
  return codePoint;
}

const DEEPER = 'write out as many levels as there can be, such as \\((?:[^()]|\\([^()]*\\))*\\) for two';
const CASES = 'write both cases as alternatives, each with what it depends on: (?:a…|b…)';

/** Syntax of other dialects: how it starts, and the text that means the same here. */
const REWRITTEN: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/^\\G/, ''],
  [/^\\X/, '(?:\\P{M}\\p{M}*)'],
  [/^\\C/, '(?s:.)'],
  [/^\\V/, '.'],
  [/^\\y/, '\\b'],
  [/^\\Y/, '\\B'],
  [/^\\m/, '\\<'],
  [/^\\M/, '\\>'],
  [/^\\N\{U\+([0-9A-Fa-f]+)\}/, (digits) => fromDigits(digits, 16)],
  [/^\\o\{([0-7]+)\}/, (digits) => fromDigits(digits, 8)],
  [/^\\0([0-7]{1,2})/, (digits) => fromDigits(digits, 8)],
  [/^\[\[:<:\]\]/, '\\<'],
  [/^\[\[:>:\]\]/, '\\>'],
  [/^\[\^\](?![^\]]*\])/, '[\\s\\S]'],
  [/^(\[:\^?[a-z]+:\])/, (name) => `[${name}]`],
  [/^\(\?[>|]/, '(?:'],
  [/^\(\?i:(\w+)\)/, (word) => word.replace(/[a-z]/gi, (one) => `[${one.toLowerCase()}${one.toUpperCase()}]`)],
  [/^\(\*[A-Z][^)]*\)/, ''],
];
const ADVISED: readonly (readonly [RegExp, string])[] = [
  [/^\(\?(?:R|&\w+|P>\w+|[+-]?\d+)\)/, DEEPER],
  [/^\\g</, DEEPER],
  [/^\(\?\(/, CASES],
  [/^\(\?U\)/, 'write a question mark after each repetition that takes as little as it can: a+?'],
];

function fromDigits(digits: string, base: number): string {
  return `\\x{${Number.parseInt(digits, base).toString(16)}}`;
}

/** Throws if syntax of another dialect comes next. The error has the whole pattern in the syntax of this one. */
export function refuseOther(reader: PatternReader): void {
  const { at } = reader;
  if (!'\\(['.includes(reader.peek())) return;
  if (reader.ahead(/^\\K/)) {
    const write = (before: string, after: string) => `(?<=${before})${after}`;
    throw reader.unsupported('\\K is not supported', { at, length: 2, write });
  }
  for (const [opening, meaning] of REWRITTEN) {
    const [text, found = ''] = reader.ahead(opening) ?? [];
    if (text === undefined) continue;
    const write = typeof meaning === 'string' ? meaning : meaning(found);
    throw reader.unsupported(`${text} is not supported`, { at, length: text.length, write });
  }
  const [opening, advice] = ADVISED.find(([one]) => reader.ahead(one)) ?? [];
  if (opening) throw reader.wrong(`${reader.ahead(opening)?.[0]} is not supported`, at, advice);
}

function refuseSubtraction(reader: PatternReader): void {
  const [text, caret, members] = reader.ahead(/^--?\[(\^?)([^\]]*)\](?=\])/) ?? [];
  if (text === undefined) return;
  const write = `&&[${caret === '' ? '^' : ''}${members}]`;
  throw reader.unsupported('a class cannot be taken from another', { at: reader.at, length: text.length, write });
}
