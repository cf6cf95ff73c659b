const SLASH = 47;
/** Tokens above the bytes that stand for themselves. */
const ANY = 256;
const STAR = 257;
/** `**` at the end: whatever is left. */
const REST = 258;
/** A `**` with its slash: nothing, or whole directories. */
const DIRECTORIES = 259;
/** The same with the slash escaped, which git takes for one directory at least. */
const SOME_DIRECTORIES = 260;

type Token = number | Uint8Array;

const POSIX_CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what the class holds.
  ['cntrl', /[\0-\x1f\x7f]/],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[ \t\n\r]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
]);

/**
 * A pattern of a `.gitignore` line, matched as git's wildmatch matches it: byte by byte, so pattern and text are
 * strings of bytes (latin1). A failed match goes back to the last star of a name and to the last `**` alone, since an
 * earlier one can reach nothing more: a hostile pattern costs its length times the text's, not a power of it.
 */
export class Glob {
  readonly #tokens: readonly Token[];
  readonly #least: number;

  private constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#least = tokens.filter((token) => typeof token !== 'number' || token <= ANY).length;
  }

  /** Undefined for a pattern that can match nothing, as one with an open bracket. */
  static parse(pattern: string): Glob | undefined {
    const tokens = tokenise(pattern);
    return tokens && new Glob(tokens);
  }

  /** True when the whole text matches. */
  matches(text: string): boolean {
    if (text.length < this.#least) return false;
    const here = new Position();
    for (;;) {
      const token = this.#tokens[here.next];
      if (token === undefined ? here.at === text.length : token === REST) return true;
      if (!step(token, text, here) && !here.retreat(text)) return false;
    }
  }
}

/** Where a match stands, and where it may go back to. */
class Position {
  /** The next byte of the text, and the next token. */
  at = 0;
  next = 0;
  /** The token behind the last star, and where that star ends so far. */
  star = -1;
  starEnd = 0;
  /** The same of the last `**`. */
  deep = -1;
  deepEnd = 0;

  /** Lets the last star, or else the last `**`, take more; false when neither can. */
  retreat(text: string): boolean {
    if (this.star >= 0 && this.starEnd < text.length && text.charCodeAt(this.starEnd) !== SLASH) {
      this.at = ++this.starEnd;
      this.next = this.star;
      return true;
    }
    const slash = this.deep < 0 ? -1 : text.indexOf('/', this.deepEnd);
    if (slash < 0) return false;
    this.star = -1;
    this.deepEnd = slash + 1;
    this.at = this.deepEnd;
    this.next = this.deep;
    return true;
  }
}

/** Takes one token; false when it does not fit. */
function step(token: Token | undefined, text: string, here: Position): boolean {
  if (token === undefined) return false;
  if (token === STAR) {
    here.star = ++here.next;
    here.starEnd = here.at;
    return true;
  }
  if (token === DIRECTORIES || token === SOME_DIRECTORIES) {
    here.star = -1;
    here.deep = ++here.next;
    here.deepEnd = here.at;
    return token === DIRECTORIES;
  }
  if (!accepts(token, text.charCodeAt(here.at))) return false;
  here.next++;
  here.at++;
  return true;
}

/** `byte` is NaN past the end of the text, which nothing accepts. */
function accepts(token: Token, byte: number): boolean {
  if (typeof token !== 'number') return token[byte] === 1;
  return token === ANY ? byte !== SLASH && byte >= 0 : token === byte;
}

function tokenise(pattern: string): Token[] | undefined {
  const tokens: Token[] = [];
  // git cuts off the literal beginning first, so that stars right after it stand at a beginning too.
  const literal = pattern.search(/[*?[\\]/);
  for (let at = 0; at < pattern.length; ) {
    const isStart = at === literal || pattern[at - 1] === '/';
    const read = readToken(pattern, at, isStart);
    if (!read) return undefined;
    tokens.push(read.token);
    at = read.end;
  }
  return tokens;
}

interface ReadToken {
  readonly token: Token;
  readonly end: number;
}

function readToken(pattern: string, at: number, isStart: boolean): ReadToken | undefined {
  switch (pattern[at]) {
    case '*': {
      let end = at + 1;
      while (pattern[end] === '*') end++;
      return (isStart && end - at > 1 && readDeep(pattern, end)) || { token: STAR, end };
    }
    case '?':
      return { token: ANY, end: at + 1 };
    case '[':
      return readBracket(pattern, at + 1);
    case '\\':
      return at + 1 === pattern.length ? undefined : { token: pattern.charCodeAt(at + 1), end: at + 2 };
    default:
      return { token: pattern.charCodeAt(at), end: at + 1 };
  }
}

/** What two stars or more stand for, by what follows them; undefined when they are no more than one. */
function readDeep(pattern: string, end: number): ReadToken | undefined {
  if (end === pattern.length) return { token: REST, end };
  if (pattern[end] === '/') return { token: DIRECTORIES, end: end + 1 };
  return pattern.startsWith('\\/', end) ? { token: SOME_DIRECTORIES, end: end + 2 } : undefined;
}

/** Reads a bracket expression from behind its `[`. Undefined where git gives up: no end, or an unknown class. */
function readBracket(pattern: string, start: number): ReadToken | undefined {
  const table = new Uint8Array(256);
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const first = negated ? start + 1 : start;
  let before = -1;
  let at = first;
  while (at === first || pattern[at] !== ']') {
    const name = readClassName(pattern, at);
    if (name !== undefined) {
      const members = POSIX_CLASSES.get(name);
      if (!members) return undefined;
      fill(table, 0, 255, members);
      at += name.length + 4;
      before = -1;
      continue;
    }
    const isRange = before >= 0 && /^-[^\]]/s.test(pattern.slice(at, at + 2));
    const shown = at + Number(isRange);
    const member = shown + Number(pattern[shown] === '\\');
    if (member >= pattern.length) return undefined;
    const byte = pattern.charCodeAt(member);
    at = member + 1;
    fill(table, isRange ? before : byte, byte);
    before = isRange ? -1 : byte;
  }
  const token = negated ? table.map((taken) => 1 - taken) : table;
  token[SLASH] = 0;
  return { token, end: at + 1 };
}

/** The name in `[:name:]`, when that stands here. */
function readClassName(pattern: string, at: number): string | undefined {
  if (!pattern.startsWith('[:', at)) return undefined;
  const end = pattern.indexOf(']', at + 2);
  return end > at + 2 && pattern[end - 1] === ':' ? pattern.slice(at + 2, end - 1) : undefined;
}

function fill(table: Uint8Array, first: number, last: number, members?: RegExp): void {
  for (let byte = first; byte <= last; byte++) {
    if (!members || members.test(String.fromCharCode(byte))) table[byte] = 1;
  }
}
