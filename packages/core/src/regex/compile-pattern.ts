import type { ToolError } from '../errors/index.ts';
import { PatternReader, readClass, readEscape, refuseOther, toCharacter } from './pattern-reader.ts';
import {
  AT_BREAK,
  AT_CHARACTER,
  AT_LINE,
  atEdges,
  type CharSet,
  character,
  charClass,
  EMPTY,
  either,
  inUtf8,
  join,
  LAST_LINE_END,
  LINE_BREAK,
  LINE_END,
  LINE_START,
  LONE_RETURN,
  NO_WORD_BOUNDARY,
  oneOf,
  type Piece,
  TEXT_END,
  TEXT_START,
  union,
  WORD_BOUNDARY,
  WORD_END,
  WORD_START,
} from './piece.ts';

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 100;
const MAX_REPEAT = 1_000;
const MAX_EXPANSION = 100_000;

const FEWER = `write fewer repetitions; + and {${MAX_REPEAT},} have no upper limit`;
const SMALLER = 'write the smaller one first';

const NAME = /^[A-Za-z_][0-9A-Za-z_]*$/;
const LOOKAROUND = ['?=', '?!', '?<=', '?<!'];
const DOT = charClass(union([character(10), character(13)]), true, true);
const ANY: CharSet = { rust: '(?s:.)', js: '[\\s\\S]', isOpen: false, isFull: true };
/** It starts with a character, and so matches no empty text and starts at no line end. */
const PLAIN_START = /^[0-9A-Za-z][^|]*$/;

export type Lines =
  /** `^` and `$` match at every line, and no match crosses a line end. */
  | 'single'
  /** `^` and `$` match at every line. A match may cross lines. */
  | 'across'
  /** `^` and `$` match only at the ends of the text. */
  | 'none';

export interface PatternOptions {
  readonly pattern: string;
  readonly literal?: boolean;
  readonly caseInsensitive: boolean;
  readonly lines: Lines;
  readonly suggestion: string;
  readonly acrossSuggestion?: string;
}

export interface Pattern {
  readonly rust: string;
  /** True if ripgrep finds the same matches. Otherwise `rust` finds every file with a match, and perhaps more. */
  readonly isExact: boolean;
  /** The pattern with which ripgrep finds the same matches in UTF-8, or undefined if `rust` does or none does. */
  readonly rustUtf8: string | undefined;
  readonly js: string;
  readonly flags: string;
  readonly groups: readonly (string | undefined)[];
  readonly caseInsensitive: boolean;
}

/**
 * Compiles a pattern of the dialect of docs/searching.md for both engines, which treat `\w`, `\d`, `\s`, `\b` and case
 * as Unicode does. Throws `invalid_regex` with the position of the mistake.
 */
export function compilePattern(options: PatternOptions): Pattern {
  const parsed = new Parser(options).parse();
  return { ...parsed, flags: parsed.caseInsensitive ? 'iv' : 'v' };
}

interface Flags {
  readonly dotAll: boolean;
  readonly lineAnchors: boolean;
}

type Counts = readonly [min: number, max: number | undefined];

function withoutComments(pattern: string): string {
  return pattern.replace(/(\\[\s\S]|\[(?:\\.|[^\]\\])*\])|\s+|#.*/g, (_, kept = '') => kept);
}

/** Rewrites a pattern, so that no engine sees syntax that it reads differently. RE2's syntax, look-around, back-references. */
class Parser {
  readonly #options: PatternOptions;
  readonly #reader: PatternReader;
  readonly #crossesLines: boolean;
  readonly #groups: (string | undefined)[] = [];
  readonly #references: { readonly to: number | string; readonly at: number }[] = [];
  #depth = 0;
  #caseInsensitive: boolean;
  #isExact = true;
  #looksAround = false;
  readonly #anchors = new Set<Piece>();

  constructor(options: PatternOptions) {
    this.#options = options;
    this.#reader = new PatternReader(options.pattern, options.suggestion, options.acrossSuggestion);
    this.#crossesLines = options.lines !== 'single';
    this.#caseInsensitive = options.caseInsensitive;
  }

  parse(): Omit<Pattern, 'flags'> {
    const { literal, lines } = this.#options;
    const reader = this.#reader;
    if (reader.length > MAX_LENGTH) throw reader.wrong(`it is longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
    const whole = literal ? this.#literal() : this.#alternatives({ dotAll: false, lineAnchors: lines !== 'none' });
    if (!reader.isAtEnd) throw reader.wrong('unmatched )');
    for (const { to, at } of this.#references) this.#checkReference(to, at);
    const js = this.#begins(whole.js);
    const { rust } = whole;
    const isExact = this.#isExact && whole.foreign < 2;
    const rustUtf8 = this.#isExact && !isExact ? inUtf8(rust) : undefined;
    return { rust, isExact, rustUtf8, js, groups: this.#groups, caseInsensitive: this.#caseInsensitive };
  }

  /** Restricts where a match may start: after the last line end there is no line, and only `\z` may match. */
  #begins(js: string): string {
    const anchors = this.#anchors;
    const isOfLines = (anchors.has(LINE_START) || anchors.has(LINE_END)) && !anchors.has(TEXT_END);
    const atBreak = this.#crossesLines && !PLAIN_START.test(js) ? AT_BREAK : '';
    const begin = `${atBreak}${this.#looksAround ? AT_CHARACTER : ''}${isOfLines ? AT_LINE : ''}`;
    return begin === '' ? js : `${begin}(?:${js})`;
  }

  #literal(): Piece {
    const pieces: Piece[] = [];
    while (!this.#reader.isAtEnd) pieces.push(this.#plain(/^\n/));
    return join(pieces);
  }

  #alternatives(flags: Flags): Piece {
    if (++this.#depth > MAX_DEPTH) throw this.#reader.wrong(`groups are nested deeper than ${MAX_DEPTH}`);
    const alternatives: Piece[] = [];
    let current = flags;
    do {
      const pieces: Piece[] = [];
      while (!this.#reader.isAtEnd && !'|)'.includes(this.#reader.peek())) {
        refuseOther(this.#reader);
        const changed = this.#flags(current);
        if (changed) current = changed;
        else pieces.push(this.#repeated(this.#atom(current)));
      }
      alternatives.push(join(this.#depth === 1 ? atEdges(pieces) : pieces));
    } while (this.#reader.take('|'));
    this.#depth--;
    return either(alternatives);
  }

  #repeated(piece: Piece): Piece {
    const reader = this.#reader;
    const { at } = reader;
    const counts = this.#counts();
    if (!counts) return piece;
    if (!piece.repeats) throw reader.wrong('nothing to repeat', at);
    const lazy = reader.take('?') ? '?' : '';
    if (reader.peek() === '+') {
      throw reader.unsupported('possessive repetition is not supported', { at: reader.at, length: 1, write: '' });
    }
    const [min, max] = counts;
    const size = Math.max(1, max ?? min) * piece.size;
    if (size > MAX_EXPANSION) throw reader.wrong('repetitions multiply to too much', at, FEWER);
    const suffix = `{${min},${max ?? ''}}${lazy}`;
    const isOnce = max !== undefined && max <= 1;
    const foreign = piece.rustByte !== undefined ? min : isOnce ? piece.foreign : 2 * piece.foreign;
    // Any number of characters is any number of bytes.
    const rust = max === undefined ? (piece.rustByte ?? piece.rust) : piece.rust;
    return { rust: `(?:${rust})${suffix}`, js: `(?:${piece.js})${suffix}`, size, repeats: false, foreign };
  }

  #counts(): Counts | undefined {
    const reader = this.#reader;
    const { at } = reader;
    if (reader.take('*')) return [0, undefined];
    if (reader.take('+')) return [1, undefined];
    if (reader.take('?')) return [0, 1];
    const counted = this.#counted();
    if (!counted) return undefined;
    const [min, max = min] = counted.counts;
    if (Math.max(min, max) > MAX_REPEAT) throw reader.wrong(`repeats more than ${MAX_REPEAT} times`, at, FEWER);
    if (max < min) throw reader.wrong('the counts of a repetition are out of order', at, SMALLER);
    reader.takeUpTo(counted.length);
    return counted.counts;
  }

  /** Any brace that is no count is a plain character. */
  #counted(): { counts: Counts; length: number } | undefined {
    const [whole, min, comma, max] = this.#reader.ahead(/^\{(\d{1,9})(,?)(\d{0,9})\}/) ?? [];
    if (whole === undefined || (comma === '' && max !== '')) return undefined;
    const upper = comma === '' ? Number(min) : max === '' ? undefined : Number(max);
    return { counts: [Number(min), upper], length: whole.length };
  }

  #atom(flags: Flags): Piece {
    const reader = this.#reader;
    const { at } = reader;
    if ('*+?'.includes(reader.peek()) || this.#counted()) throw reader.wrong('nothing to repeat');
    if (reader.take('(')) return this.#group(flags, at);
    if (reader.take('[')) return this.#one(readClass(reader, this.#crossesLines, at));
    if (reader.take('\\N')) return this.#one(DOT);
    if (reader.take('\\')) return this.#escape(at);
    if (reader.take('.')) return this.#one(flags.dotAll && this.#crossesLines ? ANY : DOT);
    if (reader.take('^')) return this.#anchor(flags.lineAnchors ? LINE_START : TEXT_START);
    if (reader.take('$')) return this.#anchor(flags.lineAnchors ? LINE_END : TEXT_END);
    return this.#plain();
  }

  #plain(feed?: RegExp): Piece {
    const { at } = this.#reader;
    return this.#character(this.#reader.next().codePointAt(0) as number, at, feed);
  }

  /** The line ends of Unix and of Windows are the same. `feed` matches a line feed. */
  #character(codePoint: number, at: number, feed = /^(?:\n|\\n|\\x0[Aa])/): Piece {
    const reader = this.#reader;
    const isLineEnd = this.#crossesLines && (codePoint === 10 || codePoint === 13);
    if (!isLineEnd) return this.#one(toCharacter(reader, this.#crossesLines, codePoint, at));
    const rest = codePoint === 10 ? '' : reader.ahead(feed)?.[0];
    reader.takeUpTo(rest?.length ?? 0);
    return rest === undefined ? LONE_RETURN : LINE_BREAK;
  }

  #one(set: CharSet): Piece {
    // Without regard to case, [^k] has no Kelvin sign, which is not ASCII.
    const isFull = set.isFull === true && (set === DOT || !this.#caseInsensitive);
    return oneOf({ ...set, isFull }, this.#crossesLines);
  }

  #flags(flags: Flags): Flags | undefined {
    const match = this.#reader.ahead(/^\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/);
    return match ? this.#changed(flags, match) : undefined;
  }

  /** `i` is accepted for the whole pattern only: Node 20 has no flag groups. */
  #changed(flags: Flags, [whole, on = '', off = '']: RegExpExecArray): Flags {
    const reader = this.#reader;
    let changed = flags;
    for (const flag of on + off) {
      const isOn = on.includes(flag);
      if (flag === 's') changed = { ...changed, dotAll: isOn };
      else if (flag === 'm') changed = { ...changed, lineAnchors: isOn || !this.#crossesLines };
      else if (flag === 'i' && isOn && this.#isAtStart() && whole.endsWith(')')) this.#caseInsensitive = true;
      else if (!(flag === 'u' && isOn) && (flag !== 'i' || isOn || this.#caseInsensitive))
        throw this.#badFlag(flag, whole);
    }
    reader.takeUpTo(whole.length);
    return changed;
  }

  #isAtStart(): boolean {
    return /^(?:\(\?[a-z]+\)|\^|\\A)*$/.test([...this.#options.pattern].slice(0, this.#reader.at).join(''));
  }

  #badFlag(flag: string, opening: string): ToolError {
    const reader = this.#reader;
    const at = reader.peek() === '(' ? reader.at : reader.at - 1;
    const isCase = flag === 'i';
    const why = isCase ? '(?i) is only taken at the start, for the whole pattern' : `the flag ${flag} is not supported`;
    const length = at < reader.at ? opening.length + 1 : opening.length;
    const rest = `(${opening.replace(/^\(/, '').replace(flag, '').replace('-)', ')')}`.replace('(?)', '');
    const start = isCase && !opening.includes('-') ? '(?i)' : '';
    return reader.unsupported(why, {
      at,
      length,
      write: (before, after) => start + before + rest + (flag === 'x' ? withoutComments(after) : after),
    });
  }

  #group(flags: Flags, at: number): Piece {
    const reader = this.#reader;
    const look = LOOKAROUND.find((opening) => reader.take(opening));
    if (look) {
      this.#looksAround = true;
      const piece = { ...this.#closed(flags, at, look), repeats: false };
      if (look === '?=') return this.#inexact({ ...piece, rustAtEnd: piece.rust }, '');
      if (look === '?<=') return this.#inexact({ ...piece, rustAtStart: piece.rust }, '');
      return this.#inexact(piece, '');
    }
    if (reader.take('?P<') || reader.take('?<')) return this.#named('>', flags, at);
    if (reader.take("?'")) return this.#named("'", flags, at);
    if (reader.take('?P=')) return this.#reference(this.#name(')'), at);
    if (reader.take('?#')) {
      reader.until(')', at);
      return EMPTY;
    }
    const flagged = reader.ahead(/^\?([a-zA-Z]*)(?:-([a-zA-Z]+))?:/);
    if (flagged) return this.#closed(this.#changed(flags, flagged), at, '?:');
    if (reader.peek() === '?') throw reader.wrong('this kind of group is not supported', at);
    this.#groups.push(undefined);
    return this.#closed(flags, at, '');
  }

  #named(end: string, flags: Flags, at: number): Piece {
    const name = this.#name(end);
    if (this.#groups.includes(name))
      throw this.#reader.wrong(`two groups are named ${name}`, at, 'give each its own name');
    this.#groups.push(name);
    return this.#closed(flags, at, `?<${name}>`);
  }

  #closed(flags: Flags, at: number, opening: string): Piece {
    const { rust, js, size, foreign, rustByte } = this.#alternatives(flags);
    if (!this.#reader.take(')')) throw this.#reader.wrong('missing )', at);
    return { rust: `(?:${rust})`, js: `(${opening}${js})`, size: size + 1, repeats: true, foreign, rustByte };
  }

  #escape(at: number): Piece {
    const reader = this.#reader;
    if (reader.isAtEnd) throw reader.wrong('it ends in a backslash', at);
    const char = reader.next();
    const assertion = this.#assertion(char);
    if (assertion) return assertion;
    if (char === 'Q') return this.#quoted();
    if (char === 'E') return EMPTY;
    if (char === 'k' || char === 'g') return this.#namedReference(at);
    if (/[1-9]/.test(char)) return this.#reference(this.#number(char), at);
    const one = readEscape(reader, this.#crossesLines, char, at);
    return typeof one === 'number' ? this.#character(one, at) : this.#one(one);
  }

  #namedReference(at: number): Piece {
    const [whole, name] =
      this.#reader.ahead(/^(?:<(\w+)>|'(\w+)'|\{(\w+)\}|(\d{1,2}))/)?.filter((part) => part !== undefined) ?? [];
    if (whole === undefined || name === undefined)
      throw this.#reader.wrong('the name of a group must follow', at, 'write \\1, or \\k<name>');
    this.#reader.takeUpTo(whole.length);
    return this.#reference(/^\d/.test(name) ? Number(name) : name, at);
  }

  #assertion(char: string): Piece | undefined {
    switch (char) {
      case 'A':
        return this.#behind(this.#crossesLines ? TEXT_START : LINE_START);
      case 'z':
        return this.#anchor(this.#crossesLines ? TEXT_END : LINE_END);
      case 'Z':
        return this.#crossesLines ? this.#inexact(LAST_LINE_END, '') : this.#anchor(LINE_END);
      case 'b':
        if (this.#reader.take('{start}')) return this.#behind(WORD_START);
        if (this.#reader.take('{end}')) return this.#behind(WORD_END);
        if (this.#reader.peek() !== '{') return this.#behind(WORD_BOUNDARY);
        throw this.#reader.unsupported('\\b{ is not supported', { at: this.#reader.at, length: 1, write: '[{]' });
      case 'B':
        // ripgrep matches neither this nor \b next to bytes that are not UTF-8.
        return this.#inexact(NO_WORD_BOUNDARY, '');
      case '<':
        return this.#behind(WORD_START);
      case '>':
        return this.#behind(WORD_END);
      default:
        return undefined;
    }
  }

  #anchor(piece: Piece): Piece {
    this.#anchors.add(piece);
    return piece === TEXT_END ? piece : this.#behind(piece);
  }

  /** If matches may cross lines, ripgrep resumes after a match without a view of the text before it. */
  #behind(assertion: Piece): Piece {
    return this.#crossesLines ? this.#inexact(assertion, '') : assertion;
  }

  #inexact(piece: Piece, rust: string): Piece {
    this.#isExact = false;
    return { ...piece, rust };
  }

  /** A repetition after \E applies to the last character. */
  #quoted(): Piece {
    const pieces: Piece[] = [];
    while (!this.#reader.isAtEnd && !this.#reader.take('\\E')) pieces.push(this.#plain(/^\n/));
    const last = pieces.pop();
    return last ? join([...pieces, this.#repeated(last)]) : EMPTY;
  }

  #reference(to: number | string, at: number): Piece {
    this.#references.push({ to, at });
    const js = typeof to === 'number' ? `(?:\\${to})` : `\\k<${to}>`;
    return this.#inexact({ rust: '', js, size: 1, repeats: true, foreign: 0 }, '(?s-u:.)*');
  }

  #checkReference(to: number | string, at: number): void {
    if (typeof to === 'number' ? to <= this.#groups.length : this.#groups.includes(to)) return;
    const isOctal = /^[0-3]?[0-7]{2}$/.test(`${to}`);
    const character = `\\x{${Number.parseInt(`${to}`, 8).toString(16)}}`;
    const advice = `put ( )${typeof to === 'string' ? `, or (?<${to}> ),` : ''} around the part of the pattern that it repeats`;
    throw this.#reader.wrong(`there is no group ${to}`, at, isOctal ? `write ${character} for the character` : advice);
  }

  #number(first: string): number {
    const digits = this.#reader.ahead(/^\d{0,2}/)?.[0] ?? '';
    this.#reader.takeUpTo(digits.length);
    return Number(first + digits);
  }

  #name(end: string): string {
    const { at } = this.#reader;
    const name = this.#reader.until(end, at);
    if (!NAME.test(name))
      throw this.#reader.wrong('the name of a group is made of letters, digits and _', at, 'as in (?<name>a)');
    return name;
  }
}
