const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|;[^\n]*|\\(?:\w+|.)|[()[\]{}]|#_|\^|[^\s,"();[\]{}\\]+/gs;
const OPENING = '([{';
const CLOSING = ')]}';
/** A prefix of a form: a tag, a quote, the mark of a set. */
const PREFIX = /^(?:#.*|['`@~]+)$/;
/** A prefix that leaves out the next form: the mark to discard it, or that of metadata. */
const DISCARDING = new Set(['#_', '^']);
const MAX_ENTRIES = 1_000;

/**
 * Reads the first map of a text in Clojure's data format: its keys, each with the text of its value. It refuses
 * nothing: of a broken text, it reads the parts that it can separate.
 */
export function readEdnMap(text: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let key: string | undefined;
  for (const form of keptOf(formsOf(firstMapOf(text).replace(/^\{|\}$/g, '')))) {
    if (key !== undefined) entries.set(key, form);
    key = key === undefined ? form : undefined;
    if (entries.size === MAX_ENTRIES) break;
  }
  return entries;
}

function firstMapOf(text: string): string {
  for (const form of formsOf(text)) if (form.startsWith('{')) return form;
  return '';
}

/**
 * Yields the forms of a text, one after the other; a bracket with its content is one form. The last one may lack its
 * end.
 */
function* formsOf(text: string): Generator<string> {
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith(';')) continue;
    if (depth === 0) start = index;
    if (OPENING.includes(token)) depth++;
    else if (CLOSING.includes(token)) depth = Math.max(0, depth - 1);
    if (depth === 0) yield text.slice(start, index + token.length);
  }
  if (depth > 0) yield text.slice(start);
}

/** Leaves out prefixes, which stand alone, and discarded forms. */
function* keptOf(forms: Iterable<string>): Generator<string> {
  let discarded = 0;
  for (const form of forms) {
    if (DISCARDING.has(form)) discarded++;
    else if (PREFIX.test(form)) continue;
    else if (discarded > 0) discarded--;
    else yield form;
  }
}
