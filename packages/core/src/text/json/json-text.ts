const BACKSLASH = 0x5c;

export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember extends JsonSpan {
  readonly key: string | undefined;
}

/**
 * Returns the value of a whole text. All functions here take a text that JSON.parse accepts, and keep the digits of
 * numbers and repeated keys. None of them is recursive, since a text may nest deeply.
 */
export function jsonRootOf(text: string): JsonSpan {
  const start = skipSpace(text, text.startsWith('\ufeff') ? 1 : 0);
  return { start, end: endOfValue(text, start) };
}

/** Yields the members of an object or the items of a list, in the order of the text. Nothing for any other value. */
export function* jsonMembersOf(text: string, { start }: JsonSpan): Generator<JsonMember> {
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return;
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    let key: string | undefined;
    if (isObject) {
      const end = endOfString(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, skipSpace(text, end) + ':'.length);
    }
    const end = endOfValue(text, at);
    yield { key, start: at, end };
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

export function isJsonList(text: string, { start }: JsonSpan): boolean {
  return text[start] === '[';
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const character = text[at];
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    if (character === '"') at = endOfString(text, at);
    else if (depth === 0 && at === start) at = endOfScalar(text, at);
    else at++;
    if (depth === 0) return at;
  }
}

/** Returns the position after the quote that ends a string. */
export function endOfString(text: string, start: number): number {
  let end = start;
  let escapes: number;
  do {
    end = text.indexOf('"', end + 1);
    escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
  } while (escapes % 2 === 1);
  return end + 1;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !' \t\r\n,]}'.includes(text[at] as string)) at++;
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++;
  return at;
}
