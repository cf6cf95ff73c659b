const SLASH = 47;
/** With so many stars in one name, or double stars in all, a path that almost matches takes seconds as a regular expression. */
const MAX_STARS = 2;
const MAX_DOUBLE_STARS = 2;
const POSIX_CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the class of them
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** Takes one character, by its code; or any number of them: `star` within a name, `deep` across them, `directories` whole ones. */
type Token = ((code: number) => boolean) | 'star' | 'deep' | 'directories';

/** Whether a regular expression of a pattern of gitignore could take long, so that WildPattern should match it. */
export function isCostly(pattern: string): boolean {
  if (!pattern.includes('*')) return false;
  const doubleStars = pattern.split(/\*{2,}(?=.)/s).length - 1;
  return doubleStars > MAX_DOUBLE_STARS || pattern.split('/').some((name) => name.split(/\*+/).length - 1 > MAX_STARS);
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

/** A set in brackets; undefined when it is never closed. It never matches a slash. */
function parseSet(pattern: string, start: number): { readonly token: Token; readonly end: number } | undefined {
  let at = start + 1;
  const isNegated = pattern[at] === '!' || pattern[at] === '^';
  if (isNegated) at++;
  const members: ((code: number) => boolean)[] = [];
  for (const first = at; at === first || pattern[at] !== ']'; ) {
    const known = /^\[:(\w*):\]/.exec(pattern.slice(at, at + 16));
    if (known) {
      const matcher = POSIX_CLASSES[known[1] as string];
      if (!matcher) return undefined;
      members.push((code) => matcher.test(String.fromCharCode(code)));
      at += known[0].length;
      continue;
    }
    const low = readMember(pattern, at);
    if (!low) return undefined;
    const isRange = pattern[low.end] === '-' && pattern[low.end + 1] !== ']' && low.end + 1 < pattern.length;
    const high = isRange ? readMember(pattern, low.end + 1) : low;
    if (!high) return undefined;
    members.push((code) => low.code <= code && code <= high.code);
    at = high.end;
  }
  const token: Token = (code) => code !== SLASH && members.some((has) => has(code)) !== isNegated;
  return { token, end: at + 1 };
}

function readMember(pattern: string, at: number): { readonly code: number; readonly end: number } | undefined {
  const from = pattern[at] === '\\' ? at + 1 : at;
  return from < pattern.length ? { code: pattern.charCodeAt(from), end: from + 1 } : undefined;
}
