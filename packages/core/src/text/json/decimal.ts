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

/**
 * Reports whether a value is a multiple of another as both are written: 0.07 is one of 0.01, though the quotient of
 * doubles is not whole.
 */
export function isMultipleOf(value: number, of: number): boolean {
  const [dividend, divisor] = [toDecimal(String(value)), toDecimal(String(of))];
  if (dividend === undefined || divisor === undefined) return false;
  const scale = Math.min(lastPlace(dividend), lastPlace(divisor));
  return toInteger(dividend, scale) % toInteger(divisor, scale) === 0n;
}

/** Parses a number of JSON. Returns undefined for any other text, such as `Infinity`. */
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

/** Returns the power of ten that the last digit counts. */
function lastPlace({ digits, exponent }: Decimal): number {
  return exponent - digits.length;
}

/** Returns the number without its sign, in units of 10^scale. */
function toInteger(decimal: Decimal, scale: number): bigint {
  return BigInt(decimal.digits || '0') * 10n ** BigInt(Math.max(0, lastPlace(decimal) - scale));
}
