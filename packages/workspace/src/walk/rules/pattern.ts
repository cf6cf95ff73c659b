/** Pairs that start and end a range. */
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

/** A character by its code, any number of characters, any one character, or one of a set. */
type Token = number | { readonly ranges: string; readonly isNegated: boolean };
const STAR = -1;
const OTHER_WILDCARD = /[?[\\]/;
const ONE = -2;

/** A directory in the view of a list of rules. */
export interface RuleContext {
  readonly directory: readonly string[];
  readonly depth: number;
}

/** The part of a pattern between two slashes. */
export class NamePattern {
  static readonly ANY = new NamePattern('', [STAR], '');
  /** The start and the end of every name that matches. */
  readonly first: string;
  readonly last: string;
  /** The tokens between the two. Empty in a pattern without wildcards. */
  readonly #middle: readonly Token[];
  readonly #isStar: boolean;
  /** The longest text in the middle, which is looked for first: most names do not have it. */
  readonly #inside: string;

  private constructor(first: string, middle: readonly Token[], last: string) {
    this.first = first;
    this.#middle = middle;
    this.last = last;
    this.#isStar = middle.length === 1 && middle[0] === STAR;
    this.#inside = middle.length > 1 ? longestText(middle) : '';
  }

  static of(tokens: readonly Token[]): NamePattern {
    const start = tokens.findIndex((token) => !isLiteral(token));
    if (start < 0) return new NamePattern(toText(tokens), [], '');
    const end = tokens.findLastIndex((token) => !isLiteral(token)) + 1;
    return new NamePattern(toText(tokens.slice(0, start)), tokens.slice(start, end), toText(tokens.slice(end)));
  }

  /** Most parts have no other wildcard than one star. Returns undefined for any other. */
  static ofStar(text: string): NamePattern | undefined {
    const star = text.indexOf('*');
    if (OTHER_WILDCARD.test(text) || star !== text.lastIndexOf('*')) return undefined;
    return star < 0
      ? new NamePattern(text, [], '')
      : new NamePattern(text.slice(0, star), [STAR], text.slice(star + 1));
  }

  get isLiteral(): boolean {
    return this.#middle.length === 0;
  }

  get isAny(): boolean {
    return this.first === '' && this.last === '' && this.#isStar;
  }

  get isEnding(): boolean {
    return this.first === '' && this.#isStar;
  }

  matches(name: string): boolean {
    if (this.#middle.length === 0) return name === this.first;
    const { first, last } = this;
    const room = name.length - first.length - last.length;
    if (room < 0 || !name.startsWith(first) || !name.endsWith(last)) return false;
    if (this.#isStar) return true;
    if (this.#inside !== '' && !name.includes(this.#inside)) return false;
    return matchAll(this.#middle, STAR, room, (token, i) => accepts(token, name.charCodeAt(first.length + i)));
  }
}

const DEEP = '**';

/**
 * A pattern for names and paths, as in ignore files and globs. No pattern takes more steps than the product of its
 * length and that of the path. Pattern and path may be text, or bytes (latin1) if the result must be git's.
 */
export class GlobPattern {
  /** The parts before the last slash. */
  readonly parents: readonly (NamePattern | typeof DEEP)[];
  readonly name: NamePattern;

  private constructor(segments: readonly (NamePattern | typeof DEEP)[]) {
    const last = segments.at(-1) as NamePattern | typeof DEEP;
    this.parents = last === DEEP ? segments : segments.slice(0, -1);
    this.name = last === DEEP ? NamePattern.ANY : last;
  }

  /** Returns undefined if it is malformed: a set without an end, or a backslash at the end. */
  static parse(text: string): GlobPattern | undefined {
    const simple = text.includes('/') ? undefined : NamePattern.ofStar(text);
    if (simple) return new GlobPattern([simple]);
    const segments: (NamePattern | typeof DEEP)[] = [];
    let tokens: Token[] = [];
    let start = 0;
    for (let at = 0; at <= text.length; ) {
      const skipped = text[at] === '\\' ? 1 : 0;
      const char = text[at + skipped];
      if (char === '/' || at === text.length) {
        const isDeep = text.slice(start, at) === DEEP;
        // The stars before an escaped slash do not match it too: they match at least a directory.
        if (isDeep && skipped > 0) segments.push(NamePattern.ANY);
        segments.push(isDeep ? DEEP : NamePattern.of(tokens));
        tokens = [];
        at += skipped + 1;
        start = at;
        continue;
      }
      const read = readToken(text, at);
      if (!read) return undefined;
      if (read.token !== STAR || tokens.at(-1) !== STAR) tokens.push(read.token);
      at = read.end;
    }
    return new GlobPattern(segments);
  }

  matches({ directory, depth }: RuleContext, name: string): boolean {
    if (!this.name.matches(name)) return false;
    const { parents } = this;
    if (parents.length === 0) return directory.length === depth;
    return matchAll(parents, DEEP, directory.length - depth, (parent, i) => {
      return (parent as NamePattern).matches(directory[depth + i] as string);
    });
  }

  /** Names each of the directories that the pattern names in `named`, numbered from 0. `*` alone and `**` name none. */
  couldMatchBelow({ directory, depth }: RuleContext, named: readonly number[]): boolean {
    let states = this.#enter([0]);
    for (let i = depth; i < directory.length; i++) {
      const next: number[] = [];
      for (const at of states) {
        const parent = this.parents[at];
        if (parent === undefined) continue;
        const isVague = parent === DEEP || parent.isAny;
        if (isVague && named.includes(i)) continue;
        if (parent === DEEP) next.push(at);
        else if (parent.matches(directory[i] as string)) next.push(at + 1);
      }
      states = this.#enter(next);
    }
    return states.size > 0;
  }

  /** `**` also matches no directory at all. */
  #enter(states: readonly number[]): ReadonlySet<number> {
    const entered = new Set<number>();
    for (const state of states) {
      entered.add(state);
      for (let at = state; this.parents[at] === DEEP; at++) entered.add(at + 1);
    }
    return entered;
  }
}

/** A later star can take everything that an earlier one could, so only the last one is ever tried again. */
function matchAll<T>(
  pattern: readonly T[],
  star: T,
  count: number,
  isMatch: (part: T, at: number) => boolean,
): boolean {
  let part = 0;
  let at = 0;
  let lastStar = -1;
  let resume = 0;
  while (at < count) {
    if (part < pattern.length && pattern[part] === star) {
      lastStar = part++;
      resume = at;
    } else if (part < pattern.length && isMatch(pattern[part] as T, at)) {
      part++;
      at++;
    } else if (lastStar >= 0) {
      part = lastStar + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[part] === star) part++;
  return part === pattern.length;
}

function accepts(token: Token, code: number): boolean {
  if (typeof token === 'number') return token === code || token === ONE;
  for (let i = 0; i < token.ranges.length; i += 2) {
    if (token.ranges.charCodeAt(i) <= code && code <= token.ranges.charCodeAt(i + 1)) return !token.isNegated;
  }
  return token.isNegated;
}

function isLiteral(token: Token): boolean {
  return typeof token === 'number' && token >= 0;
}

function longestText(tokens: readonly Token[]): string {
  let [longest, start]: [readonly Token[], number] = [[], 0];
  for (let end = 0; end <= tokens.length; end++) {
    const token = tokens[end];
    if (token !== undefined && isLiteral(token)) continue;
    if (end - start > longest.length) longest = tokens.slice(start, end);
    start = end + 1;
  }
  return toText(longest);
}

function toText(literals: readonly Token[]): string {
  return literals.map((code) => String.fromCharCode(code as number)).join('');
}

interface ReadToken {
  readonly token: Token;
  readonly end: number;
}

function readToken(text: string, at: number): ReadToken | undefined {
  const char = text[at] as string;
  if (char === '[') return readSet(text, at);
  if (char === '*') return { token: STAR, end: at + 1 };
  if (char === '?') return { token: ONE, end: at + 1 };
  if (char !== '\\') return { token: char.charCodeAt(0), end: at + 1 };
  return at + 1 < text.length ? { token: text.charCodeAt(at + 1), end: at + 2 } : undefined;
}

/** Undefined if the set is never closed or names an unknown class. */
function readSet(text: string, start: number): ReadToken | undefined {
  const isNegated = text[start + 1] === '!' || text[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  let ranges = '';
  let at = first;
  while (at === first || text[at] !== ']') {
    const member = readClass(text, at) ?? readRange(text, at);
    if (!member) return undefined;
    ranges += member.ranges;
    at = member.end;
  }
  return { token: { ranges, isNegated }, end: at + 1 };
}

interface SetMember {
  readonly ranges: string;
  readonly end: number;
}

/** An unknown class leaves the set without an end. */
function readClass(text: string, at: number): SetMember | undefined {
  const [whole = '', name = ''] = /^\[:(\w*):\]/.exec(text.slice(at, at + 16)) ?? [];
  if (whole === '') return undefined;
  const ranges = CLASSES[name];
  return ranges === undefined ? { ranges: '', end: text.length } : { ranges, end: at + whole.length };
}

function readRange(text: string, at: number): SetMember | undefined {
  const low = skipBackslash(text, at);
  const hasDash = text[low + 1] === '-' && text[low + 2] !== ']' && low + 2 < text.length;
  const high = hasDash ? skipBackslash(text, low + 2) : low;
  return high < text.length ? { ranges: `${text[low]}${text[high]}`, end: high + 1 } : undefined;
}

function skipBackslash(text: string, at: number): number {
  return text[at] === '\\' ? at + 1 : at;
}
