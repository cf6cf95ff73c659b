import { type CharSet, WORD } from './char-class.ts';

/** A part of a pattern, written for both engines. */
export interface Piece {
  readonly rust: string;
  readonly js: string;
  readonly size: number;
  readonly repeats: boolean;
  /** The least number of its characters that may be any byte that is not UTF-8; 2 if unknown, or only some may. */
  readonly foreign: number;
  /** `rust` for one byte, if it matches one character, which may be any that is not ASCII. */
  readonly rustByte?: string | undefined;
  /** `rust` for a look-ahead at the end of a pattern, and for a look-behind at its beginning. */
  readonly rustAtEnd?: string;
  readonly rustAtStart?: string;
}

/** Matches between characters only: V8 also tries negative assertions in the middle of a surrogate pair. */
export const AT_CHARACTER = '(?=[\\s\\S]|$)';
/** Matches everywhere but behind the last line end, and in an empty text. */
export const AT_LINE = '(?!$(?<![^\\n\\r]))';
const STRAY = '[\\udc80-\\udcbf]';
const wordUpTo = (last: string) => `[${WORD}&&[\\0-${last}]]`;
/** ripgrep reads four bytes backwards: bytes of no character after a word character seem to be a part of it. */
const WORD_BEFORE = `${WORD}|${wordUpTo('\\x7f')}${STRAY}{3}|${wordUpTo('\\u07ff')}${STRAY}{2}|${wordUpTo('\\uffff')}${STRAY}`;
const AT_WORD_START = `(?<!${WORD_BEFORE})(?=${WORD})`;
const AT_WORD_END = `(?<=${WORD_BEFORE})(?!${WORD})`;

/** Matches a byte that is not UTF-8, and perhaps one of a character. No user can write it. */
const FOREIGN_BYTE = '(?-u:[\\x80-\\xff])';
/** Stands before the characters of a set with the line feed. CR LF is one character, which is never cut in two. */
export const WHOLE_BREAK = '(?:\\r(?=\\n))?(?!\\r\\n)';
export const AT_BREAK = '(?<!\\r(?=\\n))';

export const EMPTY: Piece = { rust: '', js: '', size: 0, repeats: false, foreign: 0 };
export const LINE_BREAK: Piece = { ...EMPTY, rust: '(?:\\r?\\n)', js: `(?:${WHOLE_BREAK}\\n)`, size: 1, repeats: true };
export const LONE_RETURN: Piece = { ...LINE_BREAK, rust: '\\r', js: '(?:\\r(?!\\n))' };
export const TEXT_START = assertion('\\A', '^');
export const TEXT_END = assertion('\\z', '$');
/** The end of the text, and the place before a line end there. */
export const LAST_LINE_END = assertion('', '(?:$|(?<!\\r)(?=\\n$)|(?=\\r\\n$))');
/** A line ends before a line feed, a carriage return, or both, and never between the two. */
export const LINE_START = assertion('^', '(?:^|(?<=\\n)|(?<=\\r)(?!\\n))');
export const LINE_END = assertion('$', '(?:$|(?=\\r)|(?<!\\r)(?=\\n))');
export const WORD_BOUNDARY = assertion('\\b', `(?:${AT_WORD_START}|${AT_WORD_END})`);
export const NO_WORD_BOUNDARY = assertion('\\B', `${AT_CHARACTER}(?!${AT_WORD_START}|${AT_WORD_END})`);
export const WORD_START = assertion('\\b{start}', AT_WORD_START);
export const WORD_END = assertion('\\b{end}', AT_WORD_END);

/** Returns a pattern for ripgrep without the bytes that are not UTF-8. */
export function inUtf8(rust: string): string {
  return rust.replaceAll(`|${FOREIGN_BYTE}`, '').replaceAll('(?-u:[^', '(?:[^');
}

/** Makes the piece of a set of `charClass`, or of a character. */
export function oneOf({ rust, js, isFull = false }: CharSet, crossesLines: boolean): Piece {
  const one = { js, size: 1, repeats: true };
  if (!js.startsWith('[')) return { ...one, rust, foreign: 0 };
  const has = (char: string) => new RegExp(js, 'v').test(char);
  const [isForeign, hasBreak] = [has('\udc80'), crossesLines && has('\n')];
  const more = [...(hasBreak ? ['\\r\\n'] : []), rust, ...(isForeign ? [FOREIGN_BYTE] : [])];
  return {
    ...one,
    ...(hasBreak && { js: `(?:${WHOLE_BREAK}${js})` }),
    rust: more.length > 1 ? `(?:${more.join('|')})` : rust,
    foreign: !isForeign ? 0 : isFull ? 1 : 2,
    rustByte: isForeign && isFull ? `(?-u:${rust})` : undefined,
  };
}

/** The text that a look-around at the edge of a pattern sees must exist there, too. */
export function atEdges(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece, i) => {
    const start = i === 0 ? piece.rustAtStart : undefined;
    const end = i === pieces.length - 1 ? piece.rustAtEnd : undefined;
    return { ...piece, rust: start ?? end ?? piece.rust };
  });
}

export function join(pieces: readonly Piece[]): Piece {
  const foreign = pieces.reduce((sum, piece) => sum + piece.foreign, 0);
  return together(pieces, '', foreign);
}

export function either(pieces: readonly Piece[]): Piece {
  return together(pieces, '|', Math.max(...pieces.map(({ foreign }) => foreign)));
}

function together(pieces: readonly Piece[], between: string, foreign: number): Piece {
  if (pieces.length === 1) return pieces[0] as Piece;
  return {
    rust: pieces.map(({ rust }) => rust).join(between),
    js: pieces.map(({ js }) => js).join(between),
    size: pieces.reduce((sum, { size }) => sum + size, 0),
    repeats: false,
    foreign,
  };
}

function assertion(rust: string, js: string): Piece {
  return { rust, js, size: 1, repeats: false, foreign: 0 };
}
