/** A set of characters, written for both engines. */
export interface CharSet {
  readonly rust: string;
  /** The text inside a class of JavaScript's `v` mode. */
  readonly js: string;
  /** True if it may contain a line end or a lone surrogate. */
  readonly isOpen: boolean;
}

/** The word characters of UTS #18, the same in both engines. */
export const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

const SETS: Readonly<Record<string, CharSet>> = {
  d: { rust: '\\d', js: '\\p{Nd}', isOpen: false },
  D: { rust: '\\D', js: '\\P{Nd}', isOpen: true },
  w: { rust: '\\w', js: WORD, isOpen: false },
  W: { rust: '\\W', js: `[^${WORD.slice(1)}`, isOpen: true },
  s: { rust: '\\s', js: '\\p{White_Space}', isOpen: true },
  S: { rust: '\\S', js: '\\P{White_Space}', isOpen: true },
};

/** The ASCII classes of POSIX, as ranges that both engines read in the same way. */
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

/** Returns the set for `\d`, `\w`, `\s` and their complements; undefined for any other letter. */
export function perlSet(letter: string): CharSet | undefined {
  return Object.hasOwn(SETS, letter) ? SETS[letter] : undefined;
}

/** Returns the set for `[:name:]`, or for `[:^name:]` if negated; undefined for an unknown name. */
export function posixSet(name: string, negated: boolean): CharSet | undefined {
  if (!Object.hasOwn(POSIX, name)) return undefined;
  const set = `[${negated ? '^' : ''}${POSIX[name]}]`;
  return { rust: set, js: set, isOpen: true };
}

/** Returns the set for `\p{name}`: a general category, a script or a binary property; undefined for an unknown name. */
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

/** Returns one character as a set, valid inside a class and outside. */
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

/** Joins the members of a class into a union. */
export function union(items: readonly CharSet[]): CharSet {
  return {
    rust: items.map((item) => item.rust).join(''),
    js: items.map((item) => item.js).join(''),
    isOpen: items.some((item) => item.isOpen),
  };
}

/** Returns the set of the characters that are in all of the sets. */
export function intersection(sets: readonly CharSet[]): CharSet {
  return {
    rust: sets.map((set) => `[${set.rust}]`).join('&&'),
    // It becomes a class of its own: in JavaScript, `&&` cannot stand beside other members.
    js: `[${sets.map((set) => `[${set.js}]`).join('&&')}]`,
    isOpen: sets.every((set) => set.isOpen),
  };
}

/**
 * Makes a class with these members. No class matches a lone surrogate, which stands for a byte that is not UTF-8, as in
 * ripgrep. When no match crosses lines, no class matches a line end.
 */
export function charClass({ rust, js, isOpen }: CharSet, negated: boolean, crossesLines: boolean): CharSet {
  const never = crossesLines ? '\\p{Cs}' : '\\p{Cs}\\n\\r';
  if (negated) return { rust: `[^${rust}]`, js: `[^${js}${never}]`, isOpen: false };
  return { rust: `[${rust}]`, js: isOpen ? `[[${js}]--[${never}]]` : `[${js}]`, isOpen: false };
}
