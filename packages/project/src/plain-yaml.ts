type Plain = string | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

const ONLY_PLAIN = /^[\n\r -~]*$/;
const QUOTED = `'[^'\\r]*'|"[^"\\\\\\r]*"`;
const SCALAR = `${QUOTED}|(?:[A-Za-z_^]|\\.\\.?/)[\\w./@*+^~-]*`;
const END = '(?: +#.*)? *$';
const BLANK = /^ *(?:#.*)?$/;
/** A blank line or a comment. The flag `s` is needed: a comment may contain what JavaScript takes for the end of a line. */
const NOTHING = /^(?:---)?(?:\s*|(?:^|\s+)#.*)$/s;
const ITEM = new RegExp(`^( *)- +(${SCALAR})${END}`);
const PAIR = new RegExp(`^( *)(${QUOTED}|[A-Za-z_][\\w./-]*):(?: +(${SCALAR}))?${END}`);
/** Words that are not strings, or were not in an older version of YAML. */
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const MAX_LINES = 1_000;

/** True if a text has only blank lines and comments. The library refuses that as it refuses an empty file. */
export function isEmptyYaml(text: string): boolean {
  return text.split(/\r\n?|\n/).every((line) => NOTHING.test(line));
}

/**
 * Reads a simple YAML document: ASCII keys with a scalar, a block list or one more level of keys, each on a line of its
 * own. The result is what the library would read. Returns undefined for anything else, which is left to the library:
 * loading and running it takes a fifth of a call of `detect_project`.
 */
export function readPlainYaml(text: string): Plain | undefined {
  const lines = ONLY_PLAIN.test(text) ? text.split(/\r?\n/, MAX_LINES + 1) : [];
  const reader = new Reader();
  if (lines.length > MAX_LINES || !lines.every((line) => reader.take(line))) return undefined;
  return Object.keys(reader.document).length === 0 ? undefined : reader.document;
}

/** The entries below a key, which all have the same indent. */
interface Block {
  readonly key: string;
  indent?: number;
  items?: Plain[];
  pairs?: Record<string, Plain>;
}

/** Collects the document. Its methods return false if the line must be left to the library. */
class Reader {
  readonly document: Record<string, Plain> = {};
  /** The last key, if its line has no value. */
  #block: Block | undefined;

  take(line: string): boolean {
    if (BLANK.test(line)) return true;
    const [, before = '', item] = ITEM.exec(line) ?? [];
    if (item !== undefined) return this.#addItem(before.length, toValue(item));
    const [, indent = '', key, value] = PAIR.exec(line) ?? [];
    if (key === undefined) return false;
    if (indent !== '') return this.#addPair(indent.length, key, value);
    this.#block = value === undefined ? { key: toKey(key) } : undefined;
    return add(this.document, key, value);
  }

  #addItem(indent: number, value: Plain | undefined): boolean {
    const block = this.#blockAt(indent);
    if (!block || block.pairs || value === undefined) return false;
    block.items ??= [];
    block.items.push(value);
    this.document[block.key] = block.items;
    return true;
  }

  #addPair(indent: number, key: string, value: string | undefined): boolean {
    const block = this.#blockAt(indent);
    if (!block || block.items) return false;
    block.pairs ??= {};
    this.document[block.key] = block.pairs;
    return add(block.pairs, key, value);
  }

  #blockAt(indent: number): Block | undefined {
    if (this.#block) this.#block.indent ??= indent;
    return this.#block?.indent === indent ? this.#block : undefined;
  }
}

function add(table: Record<string, Plain>, written: string, value: string | undefined): boolean {
  const key = toKey(written);
  const read = value === undefined ? null : toValue(value);
  if (read === undefined || key === '__proto__' || SPECIAL.test(written) || Object.hasOwn(table, key)) return false;
  table[key] = read;
  return true;
}

function toKey(written: string): string {
  return isQuoted(written) ? written.slice(1, -1) : written;
}

function toValue(scalar: string): Plain | undefined {
  if (isQuoted(scalar)) return scalar.slice(1, -1);
  if (scalar === 'true' || scalar === 'false') return scalar === 'true';
  return SPECIAL.test(scalar) ? undefined : scalar;
}

function isQuoted(text: string): boolean {
  return text.startsWith("'") || text.startsWith('"');
}
