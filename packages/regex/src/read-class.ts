import {
  type CharSet,
  character,
  charClass,
  intersection,
  perlSet,
  posixSet,
  propertySet,
  range,
  union,
} from './char-class.ts';
import type { PatternReader } from './pattern-reader.ts';

const ESCAPED: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7 };
const HEX = /^[0-9A-Fa-f]+$/;
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const LINE_ENDS = [10, 13];
const MAX_DEPTH = 20;

/**
 * Reads a class whose opening bracket, at `at`, was just read. As in RE2 and POSIX, a leading `]` is a plain character,
 * and so is a `[` that opens no named class. As in ripgrep, `&&` intersects; its operands may be classes.
 */
export function readClass(reader: PatternReader, crossesLines: boolean, at: number, depth = 1): CharSet {
  if (depth > MAX_DEPTH) throw reader.wrong(`classes are nested deeper than ${MAX_DEPTH}`, at);
  const isNegated = reader.take('^');
  const operand = () => readNested(reader, crossesLines, depth + 1) ?? readMembers(reader, crossesLines, at);
  const operands = [operand()];
  while (reader.take('&&')) operands.push(operand());
  if (!reader.take(']')) throw reader.wrong('missing ]', at);
  const [only] = operands;
  return charClass(operands.length === 1 && only ? only : intersection(operands), isNegated, crossesLines);
}

/** Reads the members of a class up to its end or to `&&`. */
function readMembers(reader: PatternReader, crossesLines: boolean, at: number): CharSet {
  const items: CharSet[] = [];
  while (items.length === 0 || !(reader.peek() === ']' || isIntersection(reader))) {
    if (reader.isAtEnd) throw reader.wrong('missing ]', at);
    items.push(readItem(reader, crossesLines));
  }
  return union(items);
}

/** Reports whether `&&` comes next as an operator. Two ampersands at the very end of a class are plain characters. */
function isIntersection(reader: PatternReader): boolean {
  return reader.peek() === '&' && reader.peek(1) === '&' && reader.peek(2) !== ']' && reader.peek(2) !== '';
}

/** Reads a class that is an operand of `&&`; undefined if a `[` is a plain character here. */
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

/**
 * Returns the offset after the class that begins here, by brackets and backslashes alone; undefined if it never ends.
 */
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

/** Reads the escape of a backslash, at `at`, and `char`, outside a class. */
export function readEscape(reader: PatternReader, crossesLines: boolean, char: string, at: number): CharSet {
  const set = readSet(reader, char, at);
  if (set) return charClass(set, false, crossesLines);
  return toCharacter(reader, crossesLines, readCode(reader, char, at), at);
}

/** Returns the set of a character that matches itself. Refuses a line end if no match crosses lines. */
export function toCharacter(reader: PatternReader, crossesLines: boolean, codePoint: number, at: number): CharSet {
  if (LINE_ENDS.includes(codePoint) && !crossesLines) throw reader.noLineEnd(at);
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) throw reader.wrong('half of a surrogate pair', at);
  return character(codePoint);
}

function readItem(reader: PatternReader, crossesLines: boolean): CharSet {
  const { at } = reader;
  const posix = readPosix(reader);
  if (posix) return posix;
  const from = readEnd(reader);
  if (typeof from !== 'number') return from;
  const isRange = reader.peek() === '-' && reader.peek(1) !== ']' && reader.peek(1) !== '';
  if (!isRange) return toCharacter(reader, crossesLines, from, at);
  reader.next();
  const to = readEnd(reader);
  if (typeof to !== 'number') throw reader.wrong('a range ends in a class', at);
  if (to < from) throw reader.wrong('a range is out of order', at);
  return from === to ? toCharacter(reader, crossesLines, from, at) : range(from, to);
}

function readPosix(reader: PatternReader): CharSet | undefined {
  const [whole, negation, name] = reader.ahead(/^\[:(\^?)([a-z]+):\]/) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  const set = posixSet(name, negation === '^');
  if (!set) throw reader.wrong(`unknown class ${whole}`);
  reader.takeUpTo(whole.length);
  return set;
}

/** Reads one end of a range as a code point, or a set such as \d. */
function readEnd(reader: PatternReader): number | CharSet {
  const { at } = reader;
  const char = reader.next();
  if (char !== '\\') return char.codePointAt(0) as number;
  if (reader.isAtEnd) throw reader.wrong('a backslash stands at the end', at);
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
  if (!set) throw reader.wrong(`unknown Unicode property ${JSON.stringify(name.slice(0, 40))}`, at);
  return set;
}

function readCode(reader: PatternReader, char: string, at: number): number {
  if (Object.hasOwn(ESCAPED, char)) return ESCAPED[char] as number;
  if (Object.hasOwn(HEX_DIGITS, char)) return readHex(reader, char, at);
  if (char === '0' && !/[0-9]/.test(reader.peek())) return 0;
  if (/[0-9A-Za-z]/.test(char)) throw reader.wrong(`\\${char} has no meaning`, at);
  return char.codePointAt(0) as number;
}

function readHex(reader: PatternReader, char: string, at: number): number {
  const digits = reader.take('{') ? reader.until('}', at) : reader.takeUpTo(HEX_DIGITS[char] as number);
  const codePoint = HEX.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (codePoint < 0 || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
    throw reader.wrong(`\\${char} needs the number of a character in hexadecimal digits`, at);
  }
  return codePoint;
}
