/** A set of characters, written for both engines. */
export interface CharSet {
  readonly rust: string;
  /** May stand in a class of JavaScript's `v` mode. */
  readonly js: string;
  /** True when it may hold what ends a line, or what is no character. */
  readonly isOpen: boolean;
}

/** What makes up words (UTS #18): the same set in both engines. */
export const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

const SETS: Readonly<Record<string, CharSet>> = {
  d: { rust: '\\d', js: '\\p{Nd}', isOpen: false },
  D: { rust: '\\D', js: '\\P{Nd}', isOpen: true },
  w: { rust: '\\w', js: WORD, isOpen: false },
  W: { rust: '\\W', js: `[^${WORD.slice(1)}`, isOpen: true },
  s: { rust: '\\s', js: '\\p{White_Space}', isOpen: true },
  S: { rust: '\\S', js: '\\P{White_Space}', isOpen: true },
};

/** The ASCII classes of POSIX, as ranges that both engines read alike. */
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

/** What `\d`, `\W` and their kin stand for. */
export function perlSet(letter: string): CharSet | undefined {
  return Object.hasOwn(SETS, letter) ? SETS[letter] : undefined;
}

/** `[:name:]` or `[:^name:]`. */
export function posixSet(name: string, negated: boolean): CharSet | undefined {
  if (!Object.hasOwn(POSIX, name)) return undefined;
  const set = `[${negated ? '^' : ''}${POSIX[name]}]`;
  return { rust: set, js: set, isOpen: true };
}

/** `\p{name}`: a general category, a script or a property that is true or false. */
export function propertySet(name: string, negated: boolean): CharSet | undefined {
  for (const candidate of [name, `Script=${name}`]) {
    const set = `\\p{${candidate}}`;
    if (!isKnown(set)) continue;
    const rust = `\\${negated ? 'P' : 'p'}{${name}}`;
    return { rust, js: negated ? `[^${set}]` : set, isOpen: true };
  }
  return undefined;
}

function isKnown(property: string): boolean {
  try {
    new RegExp(property, 'u');
    return true;
  } catch {
    return false;
  }
}

/** One character, as both engines take it, in a class or outside. */
export function character(codePoint: number): CharSet {
  const text = String.fromCodePoint(codePoint);
  const hex = codePoint.toString(16);
  const isPlain = /^[0-9A-Za-z]$/.test(text);
  return {
    rust: isPlain ? text : `\\x{${hex}}`,
    js: isPlain ? text : `\\u{${hex}}`,
    isOpen: text === '\n' || text === '\r',
  };
}

export function range(from: number, to: number): CharSet {
  const [a, b] = [character(from), character(to)];
  return { rust: `${a.rust}-${b.rust}`, js: `${a.js}-${b.js}`, isOpen: (from <= 13 && to >= 10) || to >= 0xd800 };
}

/**
 * A whole class. No class holds what stands for a byte that is no UTF-8 (a lone surrogate), as ripgrep sees it, nor,
 * where no match crosses a line, what ends one.
 */
export function charClass(items: readonly CharSet[], negated: boolean, crossesLines: boolean): CharSet {
  const never = crossesLines ? '\\p{Cs}' : '\\p{Cs}\\n\\r';
  const rust = items.map((item) => item.rust).join('');
  const js = items.map((item) => item.js).join('');
  if (negated) return { rust: `[^${rust}]`, js: `[^${js}${never}]`, isOpen: false };
  const isOpen = items.some((item) => item.isOpen);
  return { rust: `[${rust}]`, js: isOpen ? `[[${js}]--[${never}]]` : `[${js}]`, isOpen: false };
}
