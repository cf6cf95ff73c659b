/** A token of a one-liner. Comments and blanks are not tokens. */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'regex' | 'sign' | 'line';
  /** The token as written; for a text, what stands between the quotes. */
  readonly text: string;
  /** True for a text with escapes, whose value is another than its characters. */
  readonly escaped?: boolean;
}

/** What a reader of one-liners found in code that does no harm. */
export interface Harmless {
  /** `caution` if the code runs parts of the project or of packages, as an import does. */
  readonly risk: 'safe' | 'caution';
  /** The files that the code reads. */
  readonly reads: readonly string[];
}

/** Thrown by a tokenizer at what it does not know. */
export class Unknown extends Error {}

const MAX_CODE = 4_000;
const ASCII = /^[\x20-\x7e\n\t]*$/;
const NAME = /[A-Za-z_$][\w$]*/y;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)[nj]?/y;

/** A position in the code of a one-liner. */
export class Cursor {
  readonly code: string;
  pos = 0;

  constructor(code: string) {
    if (code.length > MAX_CODE || !ASCII.test(code)) throw new Unknown();
    this.code = code;
  }

  get char(): string {
    return this.code[this.pos] ?? '';
  }

  /** Moves past the match of a sticky pattern and returns it. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.pos;
    const text = pattern.exec(this.code)?.[0];
    if (text !== undefined) this.pos += text.length;
    return text;
  }

  name(): Token | undefined {
    const text = this.take(NAME);
    return text === undefined ? undefined : { kind: 'name', text };
  }

  number(): Token | undefined {
    const text = this.take(NUMBER);
    return text === undefined ? undefined : { kind: 'number', text };
  }

  /** Reads a text up to its closing quote, from behind the opening one. A backslash escapes the next character. */
  quoted(closing: string): Token {
    const start = this.pos;
    let escaped = false;
    while (this.pos < this.code.length && !this.code.startsWith(closing, this.pos)) {
      if (this.char === '\\') {
        escaped = true;
        this.pos++;
      } else if (this.char === '\n' && closing.length === 1 && closing !== '`') throw new Unknown();
      this.pos++;
    }
    if (this.pos >= this.code.length) throw new Unknown();
    const text = this.code.slice(start, this.pos);
    this.pos += closing.length;
    return { kind: 'text', text, escaped };
  }
}

export interface Names {
  has(name: string): boolean;
}

/** Returns the words of a list, which is split when it is first asked: most commands need none of them. */
export function names(list: string): Names {
  let words: ReadonlySet<string> | undefined;
  return {
    has(name) {
      words ??= new Set(list.split(' '));
      return words.has(name);
    },
  };
}
