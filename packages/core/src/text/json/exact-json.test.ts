import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countDigits, isHeldExactly, isMultipleOf, parseExactJson } from './exact-json.ts';

test.each([
  '0',
  '-0',
  '1.50',
  '0.1',
  '0.30000000000000004',
  '1e3',
  '1E+22',
  '100000000000000000000000',
  '5e-324',
  '123e-2',
])('JavaScript holds %s exactly', (number) => {
  expect(isHeldExactly(number)).toBe(true);
});

test.each([
  '9007199254740993',
  '12345678901234567890',
  '1e400',
  '-1e400',
  '1e-400',
  '0.1234567890123456789',
  '3.141592653589793238',
])('JavaScript changes %s', (number) => {
  expect(isHeldExactly(number)).toBe(false);
});

test('JavaScript holds every number that it prints, and every number of 15 digits', () => {
  const short = fc.tuple(fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }), fc.integer({ min: -290, max: 290 }));
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isHeldExactly(String(value))));
  fc.assert(fc.property(short, ([digits, power]) => isHeldExactly(`${digits}e${power}`)));
});

test.each([
  [0.07, 0.01, true],
  [19.99, 0.01, true],
  [-12345678901.23, 0.01, true],
  [0.075, 0.01, false],
  [0.30000000000000004, 0.1, false],
  [7, 2, false],
  [1e300, 1e-300, true],
  [0, 3, true],
  [Number.POSITIVE_INFINITY, 1, false],
])('%d is a multiple of %d: %s', (value, of, isMultiple) => {
  expect(isMultipleOf(value, of)).toBe(isMultiple);
});

test('every product of a decimal and an integer is a multiple', () => {
  const decimal = fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: -8, max: 3 }));
  fc.assert(
    fc.property(decimal, fc.integer({ min: -100_000, max: 100_000 }), ([digits, power], times) => {
      expect(isMultipleOf(Number(`${digits * times}e${power}`), Number(`${digits}e${power}`))).toBe(true);
    }),
  );
});

test('counts the digits that a number is printed with', () => {
  expect([6.02214076e23, 1e18, Number('12345678901234567890'), 0].map(countDigits)).toEqual([9, 1, 17, 0]);
});

const LARGE =
  '{"id": 12345678901234567890, "list": [1e400, 0.5, -9007199254740993], "text": "12345678901234567890 \\u0031e400"}';

test('keeps numbers as they were written', () => {
  const { value, isRounded, readable, toText } = parseExactJson(LARGE);
  expect(isRounded).toBe(true);
  expect(value).toEqual(JSON.parse(LARGE));
  expect(toText((all) => all)).toBe(
    '{"id":12345678901234567890,"list":[1e400,0.5,-9007199254740993],"text":"12345678901234567890 1e400"}',
  );
  expect(toText((all) => (all as { list: unknown }).list, 1)).toBe('[\n 1e400,\n 0.5,\n -9007199254740993\n]');
  expect(readable()).toMatchObject({ id: '12345678901234567890', list: ['1e400', 0.5, '-9007199254740993'] });
});

test('writes what JSON.stringify writes where JavaScript holds all numbers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value, null, 1);
      const { isRounded, toText, readable } = parseExactJson(json);
      expect(isRounded).toBe(false);
      expect(toText((all) => all)).toBe(JSON.stringify(JSON.parse(json)));
      expect(readable()).toEqual(JSON.parse(json));
    }),
  );
});

test('writes every number back, wherever it stands', () => {
  const number = fc.tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 1n, max: 10n ** 40n }),
    fc.constantFrom('', '.5', 'e5', 'E-700'),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      number.map((parts) => parts.join('')),
      fc.string().map((text) => JSON.stringify(text)),
      fc.array(tie('value') as fc.Arbitrary<string>).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(
          fc.tuple(
            fc.string().filter((key) => !/^\d|^__proto__$/.test(key)),
            tie('value') as fc.Arbitrary<string>,
          ),
          {
            selector: ([key]) => key,
          },
        )
        .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
    ),
  })).value;
  fc.assert(
    fc.property(json, (text) => {
      const { toText, isRounded } = parseExactJson(text);
      const written = toText((all) => all);
      if (isRounded) expect(JSON.parse(written)).toEqual(JSON.parse(text));
      expect(digitsOf(written)).toEqual(digitsOf(text));
    }),
  );
});

/** Returns the numbers of a JSON text that JavaScript cannot hold. */
function digitsOf(json: string): string[] {
  const outside = json.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return (outside.match(/-?\d[\d.eE+-]*/g) ?? []).filter((number) => !isHeldExactly(number));
}
