import { endOfString, type JsonSpan } from './json-text.ts';

const [QUOTE, MINUS, ZERO, NINE] = [0x22, 0x2d, 0x30, 0x39];
/** Matches any number that JavaScript may not hold: all others have fewer digits, and no exponent. */
const SUSPICIOUS = /[\d.]{16}|\d[eE]/;

/** JSON whose numbers keep their text, however many digits they have. */
export interface ExactJson {
  readonly value: unknown;
  readonly isRounded: boolean;
  /** Returns the value with each such number as a string of its digits. */
  readable(): unknown;
  /** Returns the JSON after `change`, which may only omit parts, with every number as it was written. */
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

function findRounded(json: string): JsonSpan[] {
  const spans: JsonSpan[] = [];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    if (code !== MINUS && (code < ZERO || code > NINE)) continue;
    let end = at + 1;
    while (end < json.length && '0123456789.eE+-'.includes(json[end] as string)) end++;
    if (!isHeldExactly(json.slice(at, end))) spans.push({ start: at, end });
    at = end - 1;
  }
  return spans;
}

function markNumbers(json: string, spans: readonly JsonSpan[], mark: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(json.slice(at, start), `"${mark}${json.slice(start, end)}"`);
    at = end;
  }
  return parts.join('') + json.slice(at);
}

/** A decimal number in a unique form: ±0.DIGITS × 10^exponent, the digits without zeros around them. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reports whether JavaScript holds a number of JSON exactly: printing it gives the same value. */
export function isHeldExactly(number: string): boolean {
  const [given, held] = [toDecimal(number), toDecimal(String(Number(number)))];
  if (given === undefined || held === undefined) return false;
  if (given.digits === '' || held.digits === '') return given.digits === held.digits;
  return given.isNegative === held.isNegative && given.digits === held.digits && given.exponent === held.exponent;
}

/** Returns the number of significant digits that a number is printed with. */
export function countDigits(value: number): number {
  return toDecimal(String(value))?.digits.length ?? 0;
}

/** Reports whether a value is a multiple of another as both are written, such as 0.07 of 0.01. */
export function isMultipleOf(value: number, of: number): boolean {
  const [dividend, divisor] = [toDecimal(String(value)), toDecimal(String(of))];
  if (dividend === undefined || divisor === undefined) return false;
  const scale = Math.min(lastPlace(dividend), lastPlace(divisor));
  return toInteger(dividend, scale) % toInteger(divisor, scale) === 0n;
}

function toDecimal(number: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', power = '0'] = NUMBER.exec(number) ?? [];
  if (sign === undefined) return undefined;
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first < 0) return { isNegative: false, digits: '', exponent: 0 };
  let end = all.length;
  while (all[end - 1] === '0') end--;
  return { isNegative: sign === '-', digits: all.slice(first, end), exponent: whole.length - first + Number(power) };
}

function lastPlace({ digits, exponent }: Decimal): number {
  return exponent - digits.length;
}

function toInteger(decimal: Decimal, scale: number): bigint {
  return BigInt(decimal.digits || '0') * 10n ** BigInt(Math.max(0, lastPlace(decimal) - scale));
}
