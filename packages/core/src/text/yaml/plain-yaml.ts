type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

const ONLY_PLAIN = /^[\n -~]*$/;
const PAIR = /^([A-Za-z_$][\w$./-]*):(?: +(.+))?$/;
const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/;
const WORDS = /^(?:[A-Za-z_/^]|\.\.?\/)/;
const LIST_ITEM = /^(?:"[^"\\]*"|'[^']*'|[A-Za-z_/][\w./-]*)$/;
const INTEGER = /^(?:0|[1-9]\d{0,14})$/;
/** Words that YAML may read as something other than a text. */
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const MAX_DEPTH = 32;

/** Thrown at a text that is not simple, so that the library must read it. */
class NotPlain extends Error {}

/**
 * Reads simple YAML as people write it: keys with a scalar, with a list, or with keys below them. The result is that of
 * the library. Returns undefined for anything else. The library takes six times as long for a few lines: half of the
 * first list with many custom tools, or of the first look at a user's notes.
 */
export function readPlainYaml(text: string, onlyTexts: boolean): { readonly [key: string]: Plain } | undefined {
  if (!ONLY_PLAIN.test(text)) return undefined;
  const lines = text
    .split('\n')
    .map(toLine)
    .filter(({ text }) => text !== '');
  try {
    const reader = new BlockReader(lines, onlyTexts);
    const block = reader.pairs(0, 0);
    return reader.isAtEnd && lines.length > 0 ? block : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

interface Line {
  readonly indent: number;
  /** The line without its indent, its comment and the blanks at its end. */
  readonly text: string;
}

/** Makes a line. ` #` within quotation marks begins a comment too; the rest is then not a scalar. */
function toLine(line: string): Line {
  const indent = Math.max(0, line.search(/[^ ]/));
  const comment = ` ${line}`.indexOf(' #');
  return { indent, text: line.slice(indent, comment < 0 ? undefined : comment).trimEnd() };
}

/**
 * Reads a block. It stops at a line that belongs nowhere, such as one that continues a text; then the text is not read
 * to its end.
 */
class BlockReader {
  readonly #lines: readonly Line[];
  readonly #onlyTexts: boolean;
  #at = 0;

  constructor(lines: readonly Line[], onlyTexts: boolean) {
    this.#lines = lines;
    this.#onlyTexts = onlyTexts;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** Reads the pairs with this indent. */
  pairs(indent: number, depth: number): { readonly [key: string]: Plain } {
    const block: Record<string, Plain> = {};
    while (this.#indent === indent) {
      const [, key = '', scalar] = PAIR.exec(this.#text) ?? fail();
      if (SPECIAL.test(key) || key === '__proto__' || Object.hasOwn(block, key)) fail();
      this.#at++;
      block[key] = scalar === undefined ? this.#below(indent, depth + 1) : this.#value(scalar);
    }
    return block;
  }

  /** Reads the value below a key without a scalar. */
  #below(indent: number, depth: number): Plain {
    const inner = this.#indent;
    if (inner >= indent && this.#text.startsWith('- ')) return this.#items(inner);
    return inner > indent && depth <= MAX_DEPTH ? this.pairs(inner, depth) : fail();
  }

  #items(indent: number): Plain[] {
    const items: Plain[] = [];
    for (; this.#indent === indent && this.#text.startsWith('- '); this.#at++) {
      items.push(this.#value(this.#text.slice(2).trimStart()));
    }
    return items;
  }

  #value(text: string): Plain {
    if (text === '{}') return {};
    if (!text.startsWith('[')) return this.#scalar(text);
    // A comma within quotation marks makes two items of one, neither of which is simple.
    const items = /^\[ *\]$/.test(text) ? [] : text.slice(1, -1).split(',');
    if (!text.endsWith(']')) fail();
    return items.map((item) => (LIST_ITEM.test(item.trim()) ? this.#scalar(item.trim()) : fail()));
  }

  #scalar(text: string): Plain {
    if (QUOTED.test(text)) return text.slice(1, -1);
    if (INTEGER.test(text)) return this.#onlyTexts ? text : Number(text);
    if (text === 'true' || text === 'false') return this.#onlyTexts ? text : text === 'true';
    if (!WORDS.test(text) || SPECIAL.test(text) || /:(?: |$)/.test(text)) fail();
    return text;
  }

  get #text(): string {
    return this.#lines[this.#at]?.text ?? '';
  }

  /** The indent of the next line, and -1 at the end. */
  get #indent(): number {
    return this.#lines[this.#at]?.indent ?? -1;
  }
}

function fail(): never {
  throw new NotPlain();
}
