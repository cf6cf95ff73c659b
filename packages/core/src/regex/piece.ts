export interface CharSet {
  readonly rust: string;
  /** Inside a class of JavaScript's `v` mode. */
  readonly js: string;
  readonly isOpen: boolean;
  readonly isAscii?: boolean;
  /** True if it has all characters that are not ASCII. */
  readonly isFull?: boolean;
}

/** The word characters of UTS #18, the same in both engines. */
const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

const SETS: Readonly<Record<string, CharSet>> = {
  d: { rust: '\\d', js: '\\p{Nd}', isOpen: false },
  D: { rust: '\\D', js: '\\P{Nd}', isOpen: true },
  w: { rust: '\\w', js: WORD, isOpen: false },
  W: { rust: '\\W', js: `[^${WORD.slice(1)}`, isOpen: true },
  s: { rust: '\\s', js: '\\p{White_Space}', isOpen: true },
  S: { rust: '\\S', js: '\\P{White_Space}', isOpen: false },
  h: { rust: '\\t\\p{Zs}', js: '\\t\\p{Zs}', isOpen: false },
  H: { rust: '[^\\t\\p{Zs}]', js: '[^\\t\\p{Zs}]', isOpen: true },
};

export const LINE_BREAKS: CharSet = {
  rust: '[\\n\\x0b\\x0c\\r\\x{85}\\x{2028}\\x{2029}]',
  js: '[\\n\\v\\f\\r\\x85\\u2028\\u2029]',
  isOpen: true,
};

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\x09\\x20',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\x09-\\x0d\\x20',
  upper: 'A-Z',
  word: '0-9A-Z\\x5fa-z',
  xdigit: '0-9A-Fa-f',
};

/** Returns the set for `\d`, `\w`, `\s`, `\h` and their complements. */
export function perlSet(letter: string): CharSet | undefined {
  return Object.hasOwn(SETS, letter) ? SETS[letter] : undefined;
}

/** Returns the set for `[:name:]`, or for `[:^name:]` if negated. */
export function posixSet(name: string, negated: boolean): CharSet | undefined {
  if (!Object.hasOwn(POSIX, name)) return undefined;
  const set = `[${negated ? '^' : ''}${POSIX[name]}]`;
  return { rust: set, js: set, isOpen: true, isAscii: !negated };
}

/** Returns the set for `\p{name}`: a general category, a script or a binary property. */
export function propertySet(name: string, negated: boolean): CharSet | undefined {
  const bare = name.replace(/^(?:Is(?=[A-Z])|(?:script|sc|general_category|gc)=)/i, '').replace(/^L&$/, 'LC');
  const title = bare.charAt(0).toUpperCase() + bare.slice(1).toLowerCase();
  for (const candidate of [name, bare, title].flatMap((one) => [one, `Script=${one}`])) {
    const set = `\\p{${candidate}}`;
    if (!isKnown(set)) continue;
    const rust = `\\${negated ? 'P' : 'p'}{${candidate.replace('Script=', '')}}`;
    const js = new RegExp(set, 'u').test('\udc80') ? `[${set}--\\p{Cs}]` : set;
    return { rust, js: negated ? `[^${js}]` : js, isOpen: true };
  }
  return posixSet(bare.toLowerCase(), negated);
}

function isKnown(property: string): boolean {
  try {
    new RegExp(property, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Returns one character as a set, valid inside a class and outside. */
export function character(codePoint: number): CharSet {
  const text = String.fromCodePoint(codePoint);
  const hex = codePoint.toString(16);
  const isPlain = /^[0-9A-Za-z]$/.test(text);
  return {
    rust: isPlain ? text : `\\x{${hex}}`,
    js: isPlain ? text : `\\u{${hex}}`,
    isOpen: text === '\n' || text === '\r',
    isAscii: codePoint < 128,
  };
}

export function range(from: number, to: number): CharSet {
  const [a, b] = [character(from), character(to)];
  const js = `${a.js}-${b.js}`;
  const isOpen = from <= 13 && to >= 10;
  return { rust: `${a.rust}-${b.rust}`, js: to < 0xd800 ? js : `[[${js}]--\\p{Cs}]`, isOpen, isAscii: to < 128 };
}

export function union(items: readonly CharSet[]): CharSet {
  return {
    rust: items.map((item) => item.rust).join(''),
    js: items.map((item) => item.js).join(''),
    isOpen: items.some((item) => item.isOpen),
    isAscii: items.every((item) => item.isAscii),
  };
}

export function intersection(sets: readonly CharSet[]): CharSet {
  return {
    rust: sets.map((set) => `[${set.rust}]`).join('&&'),
    // It becomes a class of its own: in JavaScript, `&&` cannot be combined with other members.
    js: `[${sets.map((set) => `[${set.js}]`).join('&&')}]`,
    isOpen: sets.every((set) => set.isOpen),
  };
}

/** Makes a class. A lone surrogate, a byte that is not UTF-8, is in every complement and in no other class. */
export function charClass(members: CharSet, negated: boolean, crossesLines: boolean): CharSet {
  const { rust, js, isOpen, isAscii = false } = members;
  if (negated) {
    return { rust: `[^${rust}]`, js: `[^${js}${crossesLines ? '' : '\\n\\r'}]`, isOpen: false, isFull: isAscii };
  }
  return { rust: `[${rust}]`, js: isOpen && !crossesLines ? `[[${js}]--[\\n\\r]]` : `[${js}]`, isOpen: false };
}

/** A part of a pattern, written for both engines. */
export interface Piece {
  readonly rust: string;
  readonly js: string;
  readonly size: number;
  readonly repeats: boolean;
  /** The least number of its characters that may be any byte that is not UTF-8. 2 if unknown, or only some may. */
  readonly foreign: number;
  /** `rust` for one byte, if it matches one character, which may be any that is not ASCII. */
  readonly rustByte?: string | undefined;
  /** `rust` for a look-ahead at the end of a pattern, and for a look-behind at its start. */
  readonly rustAtEnd?: string;
  readonly rustAtStart?: string;
}

/** Matches between characters only: V8 also tries negative assertions in the middle of a surrogate pair. */
export const AT_CHARACTER = '(?=[\\s\\S]|$)';
/** Matches everywhere but after the last line end, and in an empty text. */
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
