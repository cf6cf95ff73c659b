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
export const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

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
