const FENCE = /^---[ \t]*$/;
const MAX_LINES = 400;
const KEY = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/;
const BLOCK = /^[|>][-+\d]*$/;
/** The ways to write null in YAML. */
const NULL = /^(?:~|null|Null|NULL)$/;
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/;

/** A value as it is written: a scalar, or a list of scalars. */
export type Value = string | readonly string[];

export interface Split {
  readonly fields: ReadonlyMap<string, Value>;
  readonly body: string;
}

/**
 * Splits a Markdown text, lines ended by `\n`, into its front matter and the rest. Front matter begins on the first line and
 * ends at the next line that is `---` alone; without that line there is none.
 *
 * The top-level scalars and lists of YAML are read, and nothing is refused: descriptions in the wild are full of
 * colons and quotes that no YAML parser takes.
 */
export function splitFrontmatter(text: string): Split {
  const none = { fields: new Map<string, Value>(), body: text };
  const lines = text.split('\n', MAX_LINES);
  if (!FENCE.test(lines[0] ?? '')) return none;
  const end = lines.findIndex((line, i) => i > 0 && FENCE.test(line));
  if (end < 0) return none;
  const head = lines.slice(0, end + 1).reduce((length, line) => length + line.length + 1, 0);
  return { fields: parseFields(lines.slice(1, end)), body: text.slice(head) };
}

function parseFields(lines: readonly string[]): Map<string, Value> {
  const fields = new Map<string, Value>();
  for (let at = 0; at < lines.length; ) {
    const [, key, rest = ''] = KEY.exec(lines[at] ?? '') ?? [];
    const start = ++at;
    while (at < lines.length && belongs(lines[at] as string)) at++;
    if (key !== undefined) fields.set(key.toLowerCase(), toValue(rest.trim(), lines.slice(start, at)));
  }
  return fields;
}

/** True if a line continues the value before it. */
function belongs(line: string): boolean {
  return line === '' || /^[ \t]/.test(line) || ITEM.test(line);
}

function toValue(first: string, more: readonly string[]): Value {
  const rest = more.map((line) => line.trim());
  if (BLOCK.test(first)) return rest.join(first.startsWith('|') ? '\n' : ' ').trim();
  const lines = rest.filter((line) => line !== '' && !line.startsWith('#'));
  const isEmpty = withoutComment(first) === '';
  if (isEmpty && lines.length > 0 && lines.every((line) => ITEM.test(line))) {
    return lines.map((line) => unquote(ITEM.exec(line)?.[1] ?? '')).filter(Boolean);
  }
  const text = [isEmpty ? '' : first, ...lines].join(' ').trim();
  return text.startsWith('[') ? inlineList(text) : unquote(text);
}

function inlineList(text: string): string[] {
  const end = text.lastIndexOf(']');
  const inner = text.slice(1, end < 0 ? text.length : end);
  const items = inner.match(/\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g) ?? [];
  return items.map((item) => unquote(item.trim())).filter(Boolean);
}

function unquote(text: string): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return withoutNull(withoutComment(text));
  const end = text.lastIndexOf(quote);
  const inner = text.slice(1, end > 0 ? end : text.length);
  return quote === '"' ? inner.replace(/\\(["\\/])/g, '$1').replace(/\\[nt]/g, ' ') : inner.replaceAll("''", "'");
}

function withoutNull(text: string): string {
  return NULL.test(text) ? '' : text;
}

function withoutComment(text: string): string {
  if (text.startsWith('#')) return '';
  const comment = text.search(/[ \t]#/);
  return (comment < 0 ? text : text.slice(0, comment)).trim();
}
