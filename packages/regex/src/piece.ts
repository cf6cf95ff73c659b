import { type CharSet, WORD } from './char-class.ts';

/** A piece of a pattern, written for both engines. */
export interface Piece {
  readonly rust: string;
  readonly js: string;
  /** How many pieces it stands for, repetitions multiplied. */
  readonly size: number;
  /** True when a repetition may follow. */
  readonly repeats: boolean;
}

/** V8 tries negative assertions in the middle of surrogate pairs too, where nothing begins. */
export const AT_CHARACTER = '(?=[\\s\\S]|$)';
const AT_WORD_START = `(?<!${WORD})(?=${WORD})`;
const AT_WORD_END = `(?<=${WORD})(?!${WORD})`;

export const EMPTY: Piece = { rust: '', js: '', size: 0, repeats: false };
export const LINE_BREAK = assertion('\\r?\\n', '\\r?\\n');
export const TEXT_START = assertion('\\A', '^');
export const TEXT_END = assertion('\\z', '$');
/** A line ends before a line feed, a carriage return, or both, never between the two. */
export const LINE_START = assertion('^', '(?:^|(?<=\\n)|(?<=\\r)(?!\\n))');
export const LINE_END = assertion('$', '(?:$|(?=\\r)|(?<!\\r)(?=\\n))');
export const WORD_BOUNDARY = assertion('\\b', `(?:${AT_WORD_START}|${AT_WORD_END})`);
export const NO_WORD_BOUNDARY = assertion('\\B', `${AT_CHARACTER}(?!${AT_WORD_START}|${AT_WORD_END})`);
export const WORD_START = assertion('\\b{start}', AT_WORD_START);
export const WORD_END = assertion('\\b{end}', AT_WORD_END);

export function oneOf({ rust, js }: CharSet): Piece {
  return { rust, js, size: 1, repeats: true };
}

/** Pieces one behind the other. */
export function join(pieces: readonly Piece[]): Piece {
  if (pieces.length === 1) return pieces[0] as Piece;
  return { ...write(pieces, ''), repeats: false };
}

/** Pieces one of which matches. */
export function either(pieces: readonly Piece[]): Piece {
  return { ...write(pieces, '|'), repeats: false };
}

function write(pieces: readonly Piece[], between: string) {
  return {
    rust: pieces.map(({ rust }) => rust).join(between),
    js: pieces.map(({ js }) => js).join(between),
    size: pieces.reduce((sum, { size }) => sum + size, 0),
  };
}

function assertion(rust: string, js: string): Piece {
  return { rust, js, size: 1, repeats: false };
}
