const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Gets the parts of a JSON text, in their order. */
interface TokenVisitor {
  onOpen?(isObject: boolean): void;
  onClose?(): void;
  /** `text` is the key as it is written, without the quotes. */
  onKey?(text: string): void;
  onNumber?(start: number, end: number): void;
}

/** Goes through a text that is known to be JSON, in linear time and without recursion. */
export function visitJson(json: string, visitor: TokenVisitor): void {
  const isObject: boolean[] = [];
  let expectsKey = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at);
      if (expectsKey) visitor.onKey?.(json.slice(at + 1, end));
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      isObject.push(code === OPEN_BRACE);
      visitor.onOpen?.(code === OPEN_BRACE);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      isObject.pop();
      visitor.onClose?.();
    } else if (startsNumber(code)) {
      const end = endOfNumber(json, at);
      visitor.onNumber?.(at, end);
      at = end - 1;
    }
    if (code === OPEN_BRACE || code === COMMA) expectsKey = isObject.at(-1) === true;
    else if (code === COLON || code === OPEN_BRACKET) expectsKey = false;
  }
}

/** The error for a key that an object has twice. */
export class DuplicateKey extends SyntaxError {
  constructor(key: string) {
    super(`duplicate key ${JSON.stringify(key.slice(0, 60).toWellFormed())}`);
  }
}

/**
 * Parses JSON and refuses a key that an object has twice: whichever of them counted, somebody may have meant the other one.
 * Throws DuplicateKey, or SyntaxError for what is not JSON. A byte order mark is passed over.
 */
export function parseStrictJson(text: string): unknown {
  const json = text.replace(/^\ufeff/, '');
  const value: unknown = JSON.parse(json);
  const objects: (Set<string> | undefined)[] = [];
  visitJson(json, {
    onOpen: (isObject) => void objects.push(isObject ? new Set() : undefined),
    onClose: () => void objects.pop(),
    onKey: (written) => {
      const key = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
      const keys = objects.at(-1);
      if (keys?.has(key)) throw new DuplicateKey(key);
      keys?.add(key);
    },
  });
  return value;
}

/** Returns the position of the quote that ends a string. */
function endOfString(json: string, start: number): number {
  let end = start;
  let escapes: number;
  do {
    end = json.indexOf('"', end + 1);
    escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
  } while (escapes % 2 === 1);
  return end;
}

function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d;
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && '0123456789.eE+-'.includes(json[end] as string)) end++;
  return end;
}
