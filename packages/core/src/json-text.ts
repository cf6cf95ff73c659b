/** A value in a JSON text: the position of its first character, and the one behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member of an object, or an item of a list, which has no key. */
export interface Member extends Span {
  readonly key: string | undefined;
}

/**
 * The value of a whole text, without the space around it. All functions here take a text that JSON.parse accepts. They read it as
 * it stands, so that numbers keep their digits and repeated keys are all there, and none calls itself: a text may nest deeply.
 */
export function rootOf(text: string): Span {
  const start = skipSpace(text, text.startsWith('\ufeff') ? 1 : 0);
  return { start, end: endOfValue(text, start) };
}

/** Yields the members of an object or the items of a list, in the order of the text; nothing for any other value. */
export function* membersOf(text: string, { start }: Span): Generator<Member> {
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

export function isList(text: string, { start }: Span): boolean {
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

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
}

/** A number, `true`, `false` or `null`. */
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
