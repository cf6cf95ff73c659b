import { type CharSet, WORD } from './char-class.ts';

/** A part of a pattern, written for both engines. */
export interface Piece {
  readonly rust: string;
  readonly js: string;
  /** The number of pieces it expands to, with repetitions multiplied out. */
  readonly size: number;
  /** True if a repetition such as `*` may follow it. */
  readonly repeats: boolean;
  /** The value of `rust` for a look-ahead at the end of a pattern, and for a look-behind at its beginning. */
  readonly rustAtEnd?: string;
  readonly rustAtStart?: string;
}

/** Matches between characters only: V8 also tries negative assertions in the middle of a surrogate pair. */
export const AT_CHARACTER = '(?=[\\s\\S]|$)';
/** Matches everywhere but behind the last line end, and in an empty text. */
export const AT_LINE = '(?!$(?<![^\\n\\r]))';
const AT_WORD_START = `(?<!${WORD})(?=${WORD})`;
const AT_WORD_END = `(?<=${WORD})(?!${WORD})`;

export const EMPTY: Piece = { rust: '', js: '', size: 0, repeats: false };
export const LINE_BREAK: Piece = { rust: '(?:\\r?\\n)', js: '(?:\\r?\\n)', size: 1, repeats: true };
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
  return { rust, js, size: 1, repeats: true };
}

/**
 * Makes the pieces of a whole pattern from `rustAtEnd` at its edges: the text that a look-around sees must exist there,
 * too.
 */
export function atEdges(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece, i) => {
    const start = i === 0 ? piece.rustAtStart : undefined;
    const end = i === pieces.length - 1 ? piece.rustAtEnd : undefined;
    return { ...piece, rust: start ?? end ?? piece.rust };
  });
}

/** Joins pieces to a sequence. */
export function join(pieces: readonly Piece[]): Piece {
  return together(pieces, '');
}

/** Joins pieces to alternatives. */
export function either(pieces: readonly Piece[]): Piece {
  return together(pieces, '|');
}

function together(pieces: readonly Piece[], between: string): Piece {
  if (pieces.length === 1) return pieces[0] as Piece;
  return {
    rust: pieces.map(({ rust }) => rust).join(between),
    js: pieces.map(({ js }) => js).join(between),
    size: pieces.reduce((sum, { size }) => sum + size, 0),
    repeats: false,
  };
}

function assertion(rust: string, js: string): Piece {
  return { rust, js, size: 1, repeats: false };
}
