const SLASH = 47;
/** With more stars in one name, or double stars in all, a path that almost matches takes seconds as a regular expression. */
const MAX_STARS = 2;
const MAX_DOUBLE_STARS = 2;
/** The characters of a class, each two of them a range. */
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

/** Takes one character, by its code; or any number of them: `star` within a name, `deep` across them, `directories` whole ones. */
type Token = ((code: number) => boolean) | 'star' | 'deep' | 'directories';

/**
 * Whether a pattern of gitignore is for WildPattern and not for the library: as a regular expression it could take long,
 * or the library means something else than git by its double stars, those that are not all between two slashes.
 */
export function isForWildPattern(pattern: string): boolean {
  if (!pattern.includes('*')) return false;
  const names = pattern.split('/');
  const doubleStars = names.slice(0, -1).filter((name) => name === '**').length;
  return doubleStars > MAX_DOUBLE_STARS || names.some((name) => name !== '**' && isOdd(name));
}

/** A name of many stars, or with two side by side among others, or before an escaped slash. */
function isOdd(name: string): boolean {
  return name.includes('**') || name.split('*').length - 1 > MAX_STARS || (name.endsWith('\\') && name.includes('*'));
}

/**
 * A pattern of gitignore, matched as git's wildmatch does, all of its readings at once: whatever it is, that takes no more
 * steps than the product of its length and that of the path. Both are bytes (latin1) where it must match just what git
 * does, and may be text elsewhere.
 */
export class WildPattern {
  /** Undefined when the pattern can match nothing. */
  readonly #tokens: readonly Token[] | undefined;

  constructor(pattern: string) {
    this.#tokens = parse(pattern);
  }

  /** Whether it matches all of a path, which has no slash at its ends. */
  matches(path: string): boolean {
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

/** A state is twice the number of a token that comes next; one more inside of `directories`. */
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

/** git compares what stands before the first wildcard by itself: stars right behind it are at a beginning. */
function parse(pattern: string): Token[] | undefined {
  const first = pattern.search(/[*?[\\]/);
  const prefix = first < 0 ? pattern : pattern.slice(0, first);
  const tokens: Token[] = [...prefix].map(literal);
  for (let at = prefix.length; at < pattern.length; ) {
    const char = pattern[at] as string;
    if (char === '*') {
      const end = endOfStars(pattern, at);
      const [token, after] = starsBetween(pattern, at, end, prefix.length);
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

/** Two stars or more that are all between two slashes, or an end, mean directories; others one name. Gives where to go on. */
function starsBetween(pattern: string, start: number, end: number, beginning: number): [Token, number] {
  const isAlone = end - start >= 2 && (start === beginning || pattern[start - 1] === '/');
  if (isAlone && end === pattern.length) return ['deep', end];
  if (isAlone && pattern.startsWith('\\/', end)) return ['deep', end]; // Of an escaped slash none is left out.
  return isAlone && pattern[end] === '/' ? ['directories', end + 1] : ['star', end];
}

/** A set in brackets; undefined when it is never closed, or has a class that is none. It never matches a slash. */
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
  /** Each two characters are a range. */
  readonly ranges: string;
  readonly end: number;
}

/** `[:alpha:]`; one that is not known makes a set that is never closed. */
function parseClass(pattern: string, at: number): Member | undefined {
  const [whole = '', name = ''] = /^\[:(\w*):\]/.exec(pattern.slice(at, at + 16)) ?? [];
  if (whole === '') return undefined;
  const ranges = CLASSES[name];
  return ranges === undefined ? { ranges: '', end: pattern.length } : { ranges, end: at + whole.length };
}

/** A character, or two with a dash between them. */
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
