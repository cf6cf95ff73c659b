type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

const ONLY_PLAIN = /^[\n -~]*$/;
const NOTHING = /^ *(?:#.*)?$/;
const END = '(?: +#.*)? *$';
const QUOTED = `"[^"\\\\]*"|'[^']*'`;
/** A word, or several with single blanks between them. */
const WORDS = '[A-Za-z_/][\\w./-]*(?: [\\w./(][\\w./,()-]*)*';
const LIST = '\\[[^\\[\\]]*\\]';
const SCALAR = `${QUOTED}|${WORDS}|0|[1-9]\\d{0,14}|\\{\\}|${LIST}`;
const PAIR = new RegExp(`^( *)([A-Za-z_$][\\w$-]*):(?: +(${SCALAR}))?${END}`);
const ITEM = new RegExp(`^( *)- +(${SCALAR})${END}`);
const LIST_ITEM = new RegExp(`^(?:${QUOTED}|[A-Za-z_/][\\w./-]*)$`);
/** Words that may mean something else than themselves. */
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const MAX_DEPTH = 32;

/** A text that is not simple, so that the library must read it. */
class NotPlain extends Error {}

/**
 * Reads simple YAML as people write it in front matter: keys with a scalar, with a list, or with keys below them. The result
 * is what the library would read. Returns undefined for anything else. Two hundred definitions are read in the time in
 * which the library reads twenty.
 */
export function readPlainYaml(text: string): { readonly [key: string]: Plain } | undefined {
  if (!ONLY_PLAIN.test(text)) return undefined;
  const lines = text.split('\n').filter((line) => !NOTHING.test(line));
  try {
    const reader = new BlockReader(lines);
    const block = reader.pairs(0, 0);
    return reader.isAtEnd && lines.length > 0 ? block : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class BlockReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** Reads the pairs with this indent. */
  pairs(indent: number, depth: number): { readonly [key: string]: Plain } {
    const block: Record<string, Plain> = {};
    while (this.#indent() === indent) {
      const [, , key = '', scalar] = PAIR.exec(this.#lines[this.#at] ?? '') ?? fail();
      if (SPECIAL.test(key) || key === '__proto__' || Object.hasOwn(block, key)) fail();
      this.#at++;
      block[key] = scalar === undefined ? this.#below(indent, depth + 1) : toScalar(scalar);
    }
    // A deeper line would continue the text of the last one.
    if (this.#indent() > indent) fail();
    return block;
  }

  /** Reads what stands below a key without a scalar. */
  #below(indent: number, depth: number): Plain {
    const inner = this.#indent();
    if (depth > MAX_DEPTH) fail();
    if (inner >= indent && /^ *- /.test(this.#lines[this.#at] ?? '')) return this.#items(inner);
    return inner > indent ? this.pairs(inner, depth) : fail();
  }

  #items(indent: number): Plain[] {
    const items: Plain[] = [];
    while (this.#indent() === indent) {
      const found = ITEM.exec(this.#lines[this.#at] ?? '');
      if (!found) break;
      items.push(toScalar(found[2] ?? ''));
      this.#at++;
    }
    if (this.#indent() > indent || /^ *-( |$)/.test(this.#lines[this.#at] ?? '')) fail();
    return items;
  }

  /** Returns the indent of the next line, and -1 at the end. */
  #indent(): number {
    return this.#lines[this.#at]?.search(/\S/) ?? -1;
  }
}

function toScalar(text: string): Plain {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === '{}') return {};
  if (text.startsWith('[')) return toItems(text.slice(1, -1));
  if (/^\d/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return SPECIAL.test(text) ? fail() : text;
}

/** A comma within quotation marks makes two items of one, neither of which is simple. */
function toItems(text: string): Plain[] {
  if (text.trim() === '') return [];
  const items = text.split(',').map((item) => item.trim());
  return items.map((item) => (LIST_ITEM.test(item) ? toScalar(item) : fail()));
}

function fail(): never {
  throw new NotPlain();
}
