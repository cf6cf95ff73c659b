import { type CharSet, WORD } from './char-class.ts';

/** A part of a pattern, written for both engines. */
export interface Piece {
  readonly rust: string;
  readonly js: string;
  /** The number of pieces it expands to, with repetitions multiplied out. */
  readonly size: number;
  /** True when a repetition such as `*` may follow it. */
  readonly repeats: boolean;
  /** The most ways in which it may match at one position. */
  readonly ways: Ways;
}

/** The number `factor * length ** degree`, where `length` is that of the text. */
export interface Ways {
  readonly degree: number;
  /** Infinity when the number grows faster than any power. */
  readonly factor: number;
}

const ONE_WAY: Ways = { degree: 0, factor: 1 };

/** Holds between characters only: V8 also tries negative assertions in the middle of a surrogate pair. */
export const AT_CHARACTER = '(?=[\\s\\S]|$)';
/** Holds everywhere but behind the last line end, and in an empty text. */
export const AT_LINE = '(?!$(?<![^\\n\\r]))';
const AT_WORD_START = `(?<!${WORD})(?=${WORD})`;
const AT_WORD_END = `(?<=${WORD})(?!${WORD})`;

export const EMPTY: Piece = { rust: '', js: '', size: 0, repeats: false, ways: ONE_WAY };
export const LINE_BREAK: Piece = { rust: '(?:\\r?\\n)', js: '(?:\\r?\\n)', size: 1, repeats: true, ways: ONE_WAY };
export const TEXT_START = assertion('\\A', '^');
export const TEXT_END = assertion('\\z', '$');
/** A line ends before a line feed, a carriage return, or both, and never between the two. */
export const LINE_START = assertion('^', '(?:^|(?<=\\n)|(?<=\\r)(?!\\n))');
export const LINE_END = assertion('$', '(?:$|(?=\\r)|(?<!\\r)(?=\\n))');
export const WORD_BOUNDARY = assertion('\\b', `(?:${AT_WORD_START}|${AT_WORD_END})`);
export const NO_WORD_BOUNDARY = assertion('\\B', `${AT_CHARACTER}(?!${AT_WORD_START}|${AT_WORD_END})`);
export const WORD_START = assertion('\\b{start}', AT_WORD_START);
export const WORD_END = assertion('\\b{end}', AT_WORD_END);

export function oneOf({ rust, js }: CharSet): Piece {
  return { rust, js, size: 1, repeats: true, ways: ONE_WAY };
}

/** Pieces in sequence. */
export function join(pieces: readonly Piece[]): Piece {
  if (pieces.length === 1) return pieces[0] as Piece;
  const ways = pieces.reduce(
    (all, piece) => ({ degree: all.degree + piece.ways.degree, factor: all.factor * piece.ways.factor }),
    ONE_WAY,
  );
  return { ...write(pieces, ''), repeats: false, ways };
}

/** Alternatives. */
export function either(pieces: readonly Piece[]): Piece {
  if (pieces.length === 1) return pieces[0] as Piece;
  const ways = {
    degree: Math.max(...pieces.map((piece) => piece.ways.degree)),
    factor: pieces.reduce((sum, piece) => sum + piece.ways.factor, 0),
  };
  return { ...write(pieces, '|'), repeats: false, ways };
}

function write(pieces: readonly Piece[], between: string) {
  return {
    rust: pieces.map(({ rust }) => rust).join(between),
    js: pieces.map(({ js }) => js).join(between),
    size: pieces.reduce((sum, { size }) => sum + size, 0),
  };
}

function assertion(rust: string, js: string): Piece {
  return { rust, js, size: 1, repeats: false, ways: ONE_WAY };
}

/** The ways of a piece that is repeated. */
export function repeatedWays({ degree, factor }: Ways, min: number, max: number | undefined): Ways {
  if (max === 0) return ONE_WAY;
  if (max === 1) return { degree, factor: factor + (min === 0 ? 1 : 0) };
  if (degree > 0 || factor > 1) return { degree, factor: Number.POSITIVE_INFINITY };
  return max === undefined ? { degree: 1, factor: 1 } : { degree: 0, factor: max - min + 1 };
}
