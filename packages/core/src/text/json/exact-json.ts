import { isHeldExactly } from './decimal.ts';
import { endOfString, type JsonSpan } from './json-text.ts';

const QUOTE = 0x22;
/** Matches any number that JavaScript may not hold: all others have fewer digits, and no exponent. */
const SUSPICIOUS = /[\d.]{16}|\d[eE]/;

/** JSON whose numbers keep their text, however many digits they have. */
export interface ExactJson {
  /** The value of JSON.parse, in which such numbers are rounded. */
  readonly value: unknown;
  /** True if a number of the text is not the same in `value`. */
  readonly isRounded: boolean;
  /** Returns the value with each such number as a string of its digits. */
  readable(): unknown;
  /**
   * Returns the JSON of the value after `change`, with every number as it was written. `change` may only leave out
   * parts; such numbers are strings in its argument.
   */
  toText(change: (value: unknown) => unknown, indent?: number): string;
}

/** Parses JSON. Throws SyntaxError. */
export function parseExactJson(json: string): ExactJson {
  const value: unknown = JSON.parse(json);
  const rounded = SUSPICIOUS.test(json) ? findRounded(json) : [];
  if (rounded.length === 0) {
    return {
      value,
      isRounded: false,
      readable: () => value,
      toText: (change, indent) => JSON.stringify(change(value), null, indent),
    };
  }
  // The text is older than the mark, so it cannot contain it.
  const mark = `number-${Math.random().toString(36).slice(2)}-`;
  const marked = markNumbers(json, rounded, mark);
  return {
    value,
    isRounded: true,
    readable: () => JSON.parse(marked.replaceAll(mark, '')),
    toText: (change, indent) => {
      const text = JSON.stringify(change(JSON.parse(marked)), null, indent);
      return text.replaceAll(new RegExp(`"${mark}([-+.\\deE]+)"`, 'g'), '$1');
    },
  };
}

/** Finds the numbers that are rounded in a text that is known to be JSON, in linear time. */
function findRounded(json: string): JsonSpan[] {
  const spans: JsonSpan[] = [];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    if (!startsNumber(code)) continue;
    const end = endOfNumber(json, at);
    if (!isHeldExactly(json.slice(at, end))) spans.push({ start: at, end });
    at = end - 1;
  }
  return spans;
}

function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d;
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && '0123456789.eE+-'.includes(json[end] as string)) end++;
  return end;
}

/** Turns numbers into strings that begin with the mark. */
function markNumbers(json: string, spans: readonly JsonSpan[], mark: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(json.slice(at, start), `"${mark}${json.slice(start, end)}"`);
    at = end;
  }
  return parts.join('') + json.slice(at);
}
