import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { cutMiddle, indentLines, toVisible, toVisibleJson, toVisibleLines } from './visible-text.ts';

test.each([
  ['an escape sequence', 'a\x1b[2Kb', 'a\\x1b[2Kb'],
  ['the return of a carriage', 'rm -rf / #\recho hi', 'rm -rf / #\\recho hi'],
  ['control characters of C1', '\x9b2J\x85', '\\x9b2J\\x85'],
  ['a tab and DEL', '\t\x7f', '\\t\\x7f'],
  ['a change of direction', 'a\u202eb\u2066', 'a\\u{202e}b\\u{2066}'],
  ['what takes no room', 'r\u200bm\u200d\u2060\ufeff\u00ad', 'r\\u{200b}m\\u{200d}\\u{2060}\\u{feff}\\xad'],
  ['fillers that look like nothing', 'a\u3164\u115f\u034f', 'a\\u{3164}\\u{115f}\\u{34f}'],
  ['tags', 'a\u{e0041}\u{e0001}', 'a\\u{e0041}\\u{e0001}'],
  ['variation selectors', 'a\ufe0f\u{e0100}', 'a\\u{fe0f}\\u{e0100}'],
  ['separators of lines', 'a\u2028\u2029', 'a\\u{2028}\\u{2029}'],
  ['blanks that have a width', 'a\u00a0b\u2800c\u3000d\u2003\u202f', 'a\\xa0b\\u{2800}c\\u{3000}d\\u{2003}\\u{202f}'],
  ['half a character', '\ud800', '\\u{d800}'],
])('%s becomes escapes', (_, text, shown) => {
  expect(toVisible(text)).toBe(shown);
  expect(toVisibleLines(text)).toBe(shown);
});

test('letters, emoji and their joiners stay as they are', () => {
  for (const text of ['plain ~', 'Ünïcödé 漢字 العربية', '👩‍👩‍👧', '👩🏽‍🚀', '❤️', '🏳️‍🌈'])
    expect(toVisible(text)).toBe(text);
});

test('line breaks are escaped in a line, and stay in lines, where blank ones become one', () => {
  expect(toVisible('a\nb')).toBe('a\\nb');
  expect(toVisible('ä\nb')).toBe('ä\\nb');
  expect(toVisibleLines('a\n\nb')).toBe('a\n\nb');
  for (const gap of ['\n\n\n', '\n \n\n  \n', '\n'.repeat(500)]) expect(toVisibleLines(`a${gap}b`)).toBe('a\n\nb');
});

test('a long text is cut in its middle, with its size', () => {
  expect(cutMiddle('abc', 3)).toEqual({ text: 'abc', isWhole: true });
  const { text, isWhole } = cutMiddle(`a${'-'.repeat(98)}z`, 10);
  expect([text, isWhole]).toEqual(['a---- [… 90 of 100 characters omitted …] ----z', false]);
  expect(cutMiddle('👩'.repeat(9), 6).text).toBe('👩\ufffd [… 12 of 18 characters omitted …] \ufffd👩');
});

test('JSON is safe to print, and says the same', () => {
  const value = { a: 'x\u202e\u{e0041}\x1b\n"', b: ['\x9b'] };
  expect(toVisibleJson(value, 1)).toBe('{\n "a": "x\\u202e\\udb40\\udc41\\u001b\\n\\"",\n "b": [\n  "\\u009b"\n ]\n}');
  expect(JSON.parse(toVisibleJson(value))).toEqual(value);
});

test('indents each line', () => {
  expect(indentLines('a\n\nb')).toBe('    a\n    \n    b');
});

test('nothing that can be shown drives a terminal or hides', () => {
  const units = fc.constantFrom(
    '\x1b',
    '\r',
    '\n',
    '\u202e',
    '\u200d',
    '\ufe0f',
    '\u{e0041}',
    '👩',
    'a',
    ' ',
    '\u0301',
  );
  const text = fc.oneof(fc.string({ unit: units }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(text, (given) => {
      for (const line of [toVisible(given), ...toVisibleLines(given).split('\n')]) {
        expect(line).not.toMatch(
          /(?! )[\p{Cc}\p{Zs}\u2800\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u200b\u2060\u{e0000}-\u{e0fff}]/u,
        );
        expect(toVisible(line)).toBe(line);
      }
      expect(toVisibleLines(given)).not.toMatch(/\n\s*\n\s*\n/);
      expect(JSON.parse(toVisibleJson(given))).toBe(given);
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});
