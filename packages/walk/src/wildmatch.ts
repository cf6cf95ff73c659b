const SLASH = 47;
/** With more stars in one name, or double stars in all, a regular expression takes seconds on a path that almost matches. */
const MAX_STARS = 2;
const MAX_DOUBLE_STARS = 2;
/** Two stars alone match paths of any depth. With slashes around them, the library matches only the first level. */
const DOUBLE_STAR = /^\*{2,}$/;
/** The characters of each class: pairs that begin and end a range. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  blank: '\t\t  ',
  cntrl: '\0\x1f\x7f\x7f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '\t\r  ',
  upper: 'AZ',
  xdigit: '09AFaf',
};

/**
 * A function takes one character, by its code. The others take any number: `star` within a name, `deep` across names,
 * `directories` whole names with their slashes.
 */
type Token = ((code: number) => boolean) | 'star' | 'deep' | 'directories';

/**
 * Says whether a pattern of an ignore file is for Wildmatch instead of the library `ignore`: because it would take long
 * as a regular expression, because the library reads its double stars otherwise than git, which it does where they are
 * not alone between two slashes, or because it has only stars and literals in one name, which are quickly compared.
 */
export function isForWildmatch(pattern: string): boolean {
  if (!pattern.includes('*')) return false;
  if (hasOnlyStars(pattern) || DOUBLE_STAR.test(pattern)) return true;
  const names = pattern.split('/');
  const doubleStars = names.slice(0, -1).filter((name) => name === '**').length;
  return doubleStars > MAX_DOUBLE_STARS || names.some((name) => name !== '**' && isOdd(name));
}

/** True for a pattern for names without sets, question marks and backslashes. */
function hasOnlyStars(pattern: string): boolean {
  return pattern.includes('*') && !/[?[\\/]/.test(pattern) && !DOUBLE_STAR.test(pattern);
}

/** True for a name with many stars, with two stars side by side among others, or with a star before an escaped slash. */
function isOdd(name: string): boolean {
  return name.includes('**') || name.split('*').length - 1 > MAX_STARS || (name.endsWith('\\') && name.includes('*'));
}

/**
 * A pattern of an ignore file, matched as git's wildmatch does. It follows all readings of the pattern at once, so no
 * pattern takes more steps than the product of its length and that of the path. Pattern and path are bytes (latin1)
 * where the result must be git's, and may be text elsewhere.
 */
export class Wildmatch {
  /** The literals around the stars, where there is nothing else. */
  readonly #literals: Literals | undefined;
  /** The tokens where there is something else; undefined also for a pattern that matches nothing. */
  readonly #tokens: readonly Token[] | undefined;

  constructor(pattern: string) {
    if (hasOnlyStars(pattern)) this.#literals = splitAtStars(pattern);
    else this.#tokens = parse(pattern);
  }

  /** Says whether the pattern matches the whole of a name, or of a path, which has no slash at its ends. */
  matches(path: string): boolean {
    if (this.#literals) return matchesLiterals(this.#literals, path);
    const tokens = this.#tokens;
    if (!tokens) return false;
    let states = new Set<number>();
    enter(tokens, states, 0);
    for (let i = 0; i < path.length && states.size > 0; i++) {
      const next = new Set<number>();
      for (const state of states) step(tokens, next, state, path.charCodeAt(i));
      states = next;
    }
    return states.has(2 * tokens.length);
  }
}

interface Literals {
  readonly first: string;
  readonly middle: readonly string[];
  readonly last: string;
}

function splitAtStars(pattern: string): Literals {
  const literals = pattern.split(/\*+/);
  return { first: literals[0] ?? '', middle: literals.slice(1, -1), last: literals.at(-1) ?? '' };
}

/**
 * Whether a path is one name that has these literals in their order, the first at its beginning and the last at its end.
 * Taking each as early as possible leaves the most for the others, so nothing is tried twice.
 */
function matchesLiterals({ first, middle, last }: Literals, name: string): boolean {
  const end = name.length - last.length;
  let at = first.length;
  if (at > end || !name.startsWith(first) || !name.endsWith(last)) return false;
  for (const literal of middle) {
    const found = name.indexOf(literal, at);
    if (found < 0 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return !name.includes('/');
}

/** A state is twice the number of the token that comes next, plus one inside of `directories`. */
function enter(tokens: readonly Token[], states: Set<number>, at: number): void {
  if (states.has(2 * at)) return;
  states.add(2 * at);
  if (typeof tokens[at] === 'string') enter(tokens, states, at + 1);
}

function step(tokens: readonly Token[], next: Set<number>, state: number, code: number): void {
  const at = state >> 1;
  const token = tokens[at];
  if (token === undefined) return;
  if (typeof token === 'function') {
    if (token(code)) enter(tokens, next, at + 1);
  } else if (token === 'directories') {
    next.add(2 * at + 1);
    if (code === SLASH) enter(tokens, next, at + 1);
  } else if (token === 'deep' || code !== SLASH) enter(tokens, next, at);
}

/** Git compares what comes before the first wildcard separately, so stars right after it are at a beginning. */
function parse(pattern: string): Token[] | undefined {
  const first = pattern.search(/[*?[\\]/);
  const prefix = first < 0 ? pattern : pattern.slice(0, first);
  const tokens: Token[] = [...prefix].map(literal);
  for (let at = prefix.length; at < pattern.length; ) {
    const char = pattern[at] as string;
    if (char === '*') {
      const end = endOfStars(pattern, at);
      const [token, after] = parseStars(pattern, at, end, prefix.length);
      tokens.push(token);
      at = after;
    } else if (char === '[') {
      const set = parseSet(pattern, at);
      if (!set) return undefined;
      tokens.push(set.token);
      at = set.end;
    } else if (char === '\\') {
      if (at + 1 === pattern.length) return undefined;
      tokens.push(literal(pattern[at + 1] as string));
      at += 2;
    } else {
      tokens.push(char === '?' ? (code) => code !== SLASH : literal(char));
      at++;
    }
  }
  return tokens;
}

function literal(char: string): Token {
  const wanted = char.charCodeAt(0);
  return (code) => code === wanted;
}

function endOfStars(pattern: string, at: number): number {
  let end = at;
  while (pattern[end] === '*') end++;
  return end;
}

/**
 * Parses a run of stars; returns its token and where the pattern goes on. Two or more that stand alone between slashes,
 * or at an end, mean directories; all others mean any part of a name. `**` takes the slash after it along, so that it
 * can match no directory; an escaped slash stays.
 */
function parseStars(pattern: string, start: number, end: number, beginning: number): [Token, number] {
  const isAlone = end - start >= 2 && (start === beginning || pattern[start - 1] === '/');
  if (isAlone && (end === pattern.length || pattern.startsWith('\\/', end))) return ['deep', end];
  return isAlone && pattern[end] === '/' ? ['directories', end + 1] : ['star', end];
}

/** Parses a set in brackets; undefined when it is never closed or names an unknown class. A set never matches a slash. */
function parseSet(pattern: string, start: number): { readonly token: Token; readonly end: number } | undefined {
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  let ranges = '';
  let at = first;
  while (at === first || pattern[at] !== ']') {
    const member = parseClass(pattern, at) ?? parseRange(pattern, at);
    if (!member) return undefined;
    ranges += member.ranges;
    at = member.end;
  }
  return { token: (code) => code !== SLASH && isIn(ranges, code) !== isNegated, end: at + 1 };
}

interface Member {
  /** Pairs of characters that begin and end a range. */
  readonly ranges: string;
  readonly end: number;
}

/** Parses `[:alpha:]`. An unknown class leaves the set without an end. */
function parseClass(pattern: string, at: number): Member | undefined {
  const [whole = '', name = ''] = /^\[:(\w*):\]/.exec(pattern.slice(at, at + 16)) ?? [];
  if (whole === '') return undefined;
  const ranges = CLASSES[name];
  return ranges === undefined ? { ranges: '', end: pattern.length } : { ranges, end: at + whole.length };
}

/** Parses one character, or two with a dash between them. */
function parseRange(pattern: string, at: number): Member | undefined {
  const low = skipBackslash(pattern, at);
  const hasDash = pattern[low + 1] === '-' && pattern[low + 2] !== ']' && low + 2 < pattern.length;
  const high = hasDash ? skipBackslash(pattern, low + 2) : low;
  return high < pattern.length ? { ranges: `${pattern[low]}${pattern[high]}`, end: high + 1 } : undefined;
}

function skipBackslash(pattern: string, at: number): number {
  return pattern[at] === '\\' ? at + 1 : at;
}

function isIn(ranges: string, code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges.charCodeAt(i) <= code && code <= ranges.charCodeAt(i + 1)) return true;
  }
  return false;
}
