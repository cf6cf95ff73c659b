import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { ToolError } from '../errors/index.ts';
import { stepsOf } from '../text/index.ts';
import { compilePattern, type Lines, type PatternOptions } from './compile-pattern.ts';

type Options = Partial<Pick<PatternOptions, 'lines' | 'literal' | 'caseInsensitive'>>;

function compile(pattern: string, options: Options = {}) {
  const suggestion = 'pass literal: true';
  return compilePattern({ pattern, caseInsensitive: false, lines: 'single', suggestion, ...options });
}

function matchesOf(pattern: string, text: string, options: Parameters<typeof compile>[1] = {}): string[] {
  const { js, flags } = compile(pattern, options);
  return [...text.matchAll(new RegExp(js, `g${flags}`))].map(([match]) => match);
}

function refusal(pattern: string, options: Parameters<typeof compile>[1] = {}): string {
  try {
    compile(pattern, options);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_regex') return `${error.message} (${error.suggestion})`;
    throw error;
  }
  throw new Error(`${pattern} was taken`);
}

test('matches what each piece of syntax means', () => {
  const cases: [pattern: string, text: string, ...matches: string[]][] = [
    ['func \\w+Handler', 'func loginHandler() {}', 'func loginHandler'],
    ['a|b', 'cab', 'a', 'b'],
    ['interface{}', 'x interface{}', 'interface{}'],
    ['func main() {', 'func main {', 'func main {'],
    ['a{2}b{1,}c{0,1}d{,2}', 'aabbcd{,2}', 'aabbcd{,2}'],
    ['[[:alpha:]_]+[[:^digit:]]', 'ab_c-9', 'ab_c-'],
    ['[]a-c-]+', 'x]b-x', ']b-'],
    ['[^]]', ']x', 'x'],
    ['[[({]', '({[', '(', '{', '['],
    ['[a&&]+[a~~b-]+', 'a&b~-', 'a&b~-'],
    ['[a-c&&b]', 'abc', 'b'],
    ['[\\w&&[^\\d_]]+', 'ab12_c', 'ab', 'c'],
    ['[[a-z]&&[^aeiou]]+', 'queue-bcd[', 'q', 'bcd'],
    ['[^a-z&&[^aeiou]]+', 'xaeb1', 'ae', '1'],
    ['[a-z&&[a-m]&&[^b]]+', 'abnm', 'a', 'm'],
    ['[\\w&&é-]+', 'éa-', 'é'],
    ['[[a-c]+', '[ab]', '[ab'],
    ['[[:alpha:]&&[^x]]+', 'axb', 'a', 'b'],
    ['\\bß\\w+', 'ßtraße', 'ßtraße'],
    ['\\bna', 'éna na', 'na'],
    ['\\Bb\\B', 'abc b', 'b'],
    ['\\<a\\w*\\>', 'ba ab', 'ab'],
    ['\\d+', '12 ٣', '12', '٣'],
    ['\\x41\\x{42}\\u0043\\u{44}\\U00000045', 'ABCDE', 'ABCDE'],
    ['\\Qa.b*\\E+', 'a.b**', 'a.b**'],
    ['\\p{L}+\\pN\\P{L}\\p{Greek}\\p{^L}', 'ab1-α1', 'ab1-α1'],
    ['(?i)straSSe', 'STRASSE', 'STRASSE'],
    ['(?P<a>x)(?<b>y)', 'xy', 'xy'],
    ['^a$', 'a\r\na\nb\ra', 'a', 'a', 'a'],
    ['\\Aa\\z', 'a', 'a'],
    ['a.c', 'a\rc a\nc a\u2028c', 'a\u2028c'],
    ['a\\s+b', 'a\nb a \tb', 'a \tb'],
    ['[^x]b', '\nb ab', 'ab'],
    ['(a)(?=b)', 'ab ac', 'a'],
    ['(?<!a)b', 'ab cb', 'b'],
    ['(a|b)\\1', 'ab bb', 'bb'],
    ['(?<x>a|b)\\k<x>(?P=x)', 'abb bbb', 'bbb'],
    ['a+?', 'aa', 'a', 'a'],
    ['', 'a', '', ''],
    ['\\.\\*\\/\\-\\ \\#', '.*/- #', '.*/- #'],
    ['.', '\u{1f600}', '\u{1f600}'],
    ['\\0', '\0', '\0'],
    ['\\h+\\H', 'a \t\u3000b', ' \t\u3000b'],
    ['\\N+', 'ab\nc', 'ab', 'c'],
    ['\\e\\cA[\\b]', '\x1b\x01\b', '\x1b\x01\b'],
    ['\\ud83d\\ude00', '\u{1f600}', '\u{1f600}'],
    ['(?#note)a(?#)b', 'ab', 'ab'],
    ["(?'x'a|b)\\k'x'\\k{x}\\g{x}\\g1\\g{1}", 'aaaaaa', 'aaaaaa'],
    ['\\b{start}a\\w*\\b{end}', 'ba ab', 'ab'],
    ['\\p{IsGreek}\\p{greek}\\p{script=Greek}\\p{gc=Lu}\\p{Alnum}\\p{L&}', 'αβγA1b', 'αβγA1b'],
    ['[^"\\n]+', '"a b"', 'a b'],
    ['[ \\t\\r\\n]+', 'a \t\nb', ' \t'],
    ['a\\Z', 'a\nba', 'a', 'a'],
    ['(?s)^(?i)(?u)a', 'A', 'A'],
    ['(?-i)a', 'aA', 'a'],
    ['(?!x)|\\B', '\u{1f600}', '', ''],
    ['$|\\B', '\u{1f600}', '', ''],
  ];
  for (const [pattern, text, ...matches] of cases) {
    expect([pattern, matchesOf(pattern, text)]).toEqual([pattern, matches]);
  }
});

test('crosses lines only when asked to', () => {
  expect(matchesOf('a\\s+b', 'a\r\nb', { lines: 'across' })).toEqual(['a\r\nb']);
  expect(matchesOf('a\\nb', 'a\nb', { lines: 'across' })).toEqual(['a\nb']);
  expect(matchesOf('(?s)a.b', 'a\nb', { lines: 'across' })).toEqual(['a\nb']);
  expect(matchesOf('(?s)a.b', 'a\nb')).toEqual([]);
  expect(matchesOf('^b$', 'a\nb\nc', { lines: 'across' })).toEqual(['b']);
  expect(matchesOf('(?-m)^b$', 'a\nb\nc', { lines: 'across' })).toEqual([]);
  expect(matchesOf('^b$', 'a\nb\nc', { lines: 'none' })).toEqual([]);
  expect(matchesOf('(?m)^b$', 'a\nb\nc', { lines: 'none' })).toEqual(['b']);
  expect(matchesOf('\\Ab|c\\z', 'b\nb\nc\nc', { lines: 'across' })).toEqual(['b', 'c']);
  for (const pattern of ['a\\nb', 'a\nb', '[\\n]', '\\x0a', '\\u{a}', 'a\\r', '[\\r]']) {
    expect(refusal(pattern)).toMatch(
      /^invalid regex: a line end can only match across lines, .*\(lines are searched one by one/,
    );
  }
});

test('lets no line begin or end behind the last line end', () => {
  const cases: [pattern: string, text: string, ...starts: number[]][] = [
    ['^', 'a\nb\n', 0, 2],
    ['$', 'a\nb\n', 1, 3],
    ['^', 'a\nb', 0, 2],
    ['$', 'a\r\n', 1],
    ['^', 'a\r', 0],
    ['^[ \\t]*', 'a\n', 0],
    ['^|x', 'a\n', 0],
    ['(?!z)^', 'a\n', 0],
    ['^$', '\n\n', 0, 1],
    ['^$', ''],
    ['\\s+$', 'a \n', 1],
    ['\\n$', 'a\n', 1],
    ['\\z', 'a\n', 2],
    ['^|\\z', 'a\n', 0, 2],
    ['(?-m)$', 'a\n', 2],
    ['', 'a\n', 0, 1, 2],
  ];
  for (const [pattern, text, ...starts] of cases) {
    const { js, flags } = compile(pattern, { lines: 'across' });
    const found = [...text.matchAll(new RegExp(js, `g${flags}`))].map(({ index }) => index);
    expect([pattern, text, ...found]).toEqual([pattern, text, ...starts]);
  }
  expect(matchesOf('$', 'a\n', { lines: 'none' })).toEqual(['']);
});

test('names the groups', () => {
  expect(compile('(a)(?:b)(?<c>d(?P<e>f))(?=g)').groups).toEqual([undefined, 'c', 'e']);
  expect(compile('(a)', { literal: true }).groups).toEqual([]);
});

test('takes text literally when asked to, with the line breaks of either system', () => {
  expect(matchesOf('[int)', 'x [int) y', { literal: true })).toEqual(['[int)']);
  expect(matchesOf('a.B', 'axb A.b', { literal: true, caseInsensitive: true })).toEqual(['A.b']);
  expect(matchesOf('a\r\nb', 'a\nb a\r\nb', { literal: true, lines: 'across' })).toEqual(['a\nb', 'a\r\nb']);
  expect(refusal('a\nb', { literal: true })).toContain('one by one');
});

test('gives ripgrep a pattern that matches at least as much, and says whether it is exact', () => {
  const INEXACT: [pattern: string, rust: string][] = [
    ['a(?=b)', 'a(?:b)'],
    ['a(?=b)|c(?=d)e', 'a(?:b)|ce'],
    ['(?:a(?=b))c', '(?:a)c'],
    ['(?=a)', '(?:a)'],
    ['(?=a)(?=b)', '(?:b)'],
    ['a(?!b)', 'a'],
    ['a(?!b)c', 'ac'],
    ['(?<=a)b', '(?:a)b'],
    ['b(?<=a)', 'b'],
    ['(?<=a)(?=b)', '(?:a)(?:b)'],
    ['(?<!a|(?=x))b', 'b'],
    ['(a)\\1', '(?:a)(?s-u:.)*'],
    ['(?<x>a)\\k<x>{2}', '(?:a)(?:(?s-u:.)*){2,2}'],
    ['a\\B', 'a'],
  ];
  for (const [pattern, rust] of INEXACT) expect(compile(pattern)).toMatchObject({ rust, isExact: false });
  for (const pattern of ['^a', '\\Aa', '\\ba', '\\<a', 'a\\>', 'a$']) {
    expect(compile(pattern).isExact).toBe(true);
    expect(compile(pattern, { lines: 'across' })).toMatchObject({ rust: 'a', isExact: false });
  }
  expect(compile('a\\z', { lines: 'across' }).isExact).toBe(true);
  expect(compile('(a)\\1', { lines: 'across' }).rust).toBe('(?:a)(?s-u:.)*');
  expect(compile('(?i)a').caseInsensitive).toBe(true);
  expect(compile('a+[b-d]\\w').rust).toBe('(?:a){1,}[b-d][\\w]');
});

test('takes the line end of Windows for a line feed', () => {
  const options = { lines: 'across' } as const;
  const cases: [pattern: string, text: string, ...matches: string[]][] = [
    ['a\\nb', 'a\r\nb a\nb', 'a\r\nb', 'a\nb'],
    ['a\nb', 'a\r\nb', 'a\r\nb'],
    ['a\\r\\nb', 'a\r\nb a\nb', 'a\r\nb', 'a\nb'],
    ['a\r\\nb', 'a\r\nb', 'a\r\nb'],
    ['a\\x0d\\x0ab', 'a\r\nb', 'a\r\nb'],
    ['a\\r?\\nb', 'a\r\nb a\nb', 'a\r\nb', 'a\nb'],
    ['.*\\n{2}', 'a\r\n\r\n', 'a\r\n\r\n'],
    ['a$\\n^b', 'a\r\nb', 'a\r\nb'],
    ['[^a]', '\r\n\n', '\r\n', '\n'],
    ['[^a]b', '\r\nb', '\r\nb'],
    ['\\s{2}', '\r\n ', '\r\n '],
    ['\\s{2}', '\r\n'],
    ['(?<![ab])\\n', 'a\r\n'],
    ['(?<=^[^x][^x])a', '\r\na'],
    ['(?s).', 'a\r\n\r', 'a', '\r\n', '\r'],
    ['\\r', '\r\n\r', '\r'],
    ['\\R', '\r\n\r\n\u2028', '\r\n', '\r\n', '\u2028'],
    ['x*', '\r\n', '', ''],
    ['a\\Z', 'a\na\r\n', 'a'],
  ];
  for (const [pattern, text, ...matches] of cases) {
    expect([pattern, matchesOf(pattern, text, options)]).toEqual([pattern, matches]);
  }
});

test('takes each byte that is not UTF-8 for a character of every complement', () => {
  for (const pattern of [
    '.',
    '[^a]',
    '\\S',
    '\\W',
    '\\D',
    '\\H',
    '\\P{L}',
    '\\P{C}',
    '[[:^alpha:]]',
    '[\\s\\S]',
    '[\\w&&\\d\\W]?\\W',
  ]) {
    expect([pattern, matchesOf(pattern, '\udcfc')]).toEqual([pattern, ['\udcfc']]);
  }
  for (const pattern of ['\\w', 'ü', '\\p{L}', '\\p{C}', '\\p{Any}', '[\\x{0}-\\x{10ffff}]', '\\xfc', '\\s']) {
    expect([pattern, matchesOf(pattern, '\udcfc')]).toEqual([pattern, []]);
  }
});

test('says where ripgrep finds the same in all files, and where in UTF-8 only', () => {
  for (const pattern of ['a.*b', 'a.b', '"[^"]*"', 'a.+b', '\\w+', 'a.?', '.*|.', '(.*)x+']) {
    expect([pattern, compile(pattern)]).toMatchObject([pattern, { isExact: true, rustUtf8: undefined }]);
  }
  for (const pattern of ['a..b', 'a.{2}', '\\S+', '[^é]', '\\W', '(?:a.)*', '(?i)[^k]']) {
    const { isExact, rust, rustUtf8 } = compile(pattern);
    expect([pattern, isExact, rustUtf8?.includes('-u')]).toEqual([pattern, false, false]);
    expect(rust).toContain('(?-u:[\\x80-\\xff])');
  }
});

describe('a bad pattern', () => {
  test.each([
    ['*a', 'nothing to repeat, at character 1'],
    ['a**', 'nothing to repeat, at character 3'],
    ['a|+', 'nothing to repeat, at character 3'],
    ['{2}', 'nothing to repeat, at character 1'],
    ['^*', 'nothing to repeat, at character 2'],
    ['(?=a)*', 'nothing to repeat, at character 6'],
    ['a(b', 'missing ), at character 2'],
    ['a)b', 'unmatched ), at character 2'],
    ['x[a-', 'missing ], at character 2'],
    ['[', 'missing ], at character 1'],
    ['[]', 'missing ], at character 1'],
    [`${'[a&&'.repeat(21)}b${']'.repeat(21)}`, 'classes are nested deeper than 20, at character 81'],
    ['ab\\', 'it ends in a backslash, at character 3'],
    ['[\\', 'it ends in a backslash, at character 2'],
    ['\\x{41', 'missing }, at character 1'],
    ['\\p{L', 'missing }, at character 1'],
    ['\ud800', 'half of a surrogate pair, at character 1'],
    ['\u{1f600}(', 'missing ), at character 2'],
  ])('%s is refused, with the place', (pattern, why) => {
    expect(refusal(pattern)).toBe(`invalid regex: ${why} (pass literal: true)`);
  });

  test.each([
    ['\\w++x', 'possessive repetition is not supported, at character 4 (write \\w+x)'],
    ['a?+', 'possessive repetition is not supported, at character 3 (write a?)'],
    ['a{3,2}', 'the counts of a repetition are out of order, at character 2 (write the smaller one first)'],
    [
      'a{1001}',
      'repeats more than 1000 times, at character 2 (write fewer repetitions; + and {1000,} have no upper limit)',
    ],
    [
      '(((a{100}){100}){100})',
      'repetitions multiply to too much, at character 17 (write fewer repetitions; + and {1000,} have no upper limit)',
    ],
    ['[b-a]', 'a range is out of order, at character 2 (write the smaller one first)'],
    ['(?<1>a)', 'the name of a group is made of letters, digits and _, at character 4 (as in (?<name>a))'],
    ['(?<a>x)(?<a>y)', 'two groups are named a, at character 8 (give each its own name)'],
    ['(?>a|b)c', '(?> is not supported, at character 1 (write (?:a|b)c)'],
    ['(?|a)', '(?| is not supported, at character 1 (write (?:a))'],
    ['a\\Kb', '\\K is not supported, at character 2 (write (?<=a)b)'],
    ['x\\yb', '\\y is not supported, at character 2 (write x\\bb)'],
    ['\\X', '\\X is not supported, at character 1 (write (?:\\P{M}\\p{M}*))'],
    ['\\012', '\\012 is not supported, at character 1 (write \\x{a})'],
    ['\\o{101}', '\\o{101} is not supported, at character 1 (write \\x{41})'],
    ['\\N{U+E9}', '\\N{U+E9} is not supported, at character 1 (write \\x{e9})'],
    ['[:alpha:]+', '[:alpha:] is not supported, at character 1 (write [[:alpha:]]+)'],
    ['[[:<:]]a', '[[:<:]] is not supported, at character 1 (write \\<a)'],
    ['[^]a', '[^] is not supported, at character 1 (write [\\s\\S]a)'],
    ['[a-z--[xy]]', 'a class cannot be taken from another, at character 5 (write [a-z&&[^xy]])'],
    ['[a-z-[^xy]]', 'a class cannot be taken from another, at character 5 (write [a-z&&[xy]])'],
    ['[a-\\d]', 'a range ends in a class, at character 3 (write [a\\-\\d])'],
    ['(*UTF8)a', '(*UTF8) is not supported, at character 1 (write a)'],
    ['a(?i)b', '(?i) is only taken at the start, for the whole pattern, at character 2 (write (?i)ab)'],
    ['a(?i-s:b.)', '(?i) is only taken at the start, for the whole pattern, at character 2 (write a(?-s:b.))'],
    ['(?i:ab)c', '(?i:ab) is not supported, at character 1 (write [aA][bB]c)'],
    ['(?x) a [ ] # b', 'the flag x is not supported, at character 1 (write a[ ])'],
    ['\\b{start-half}', '\\b{ is not supported, at character 3 (write \\b[{]start-half})'],
    ['\\q', '\\q has no meaning, at character 1 (write q)'],
  ])('%s is refused, with what to write instead', (pattern, why) => {
    expect(refusal(pattern)).toBe(`invalid regex: ${why}`);
  });

  test.each([
    '(?R)',
    '(?1)',
    '(?P>n)',
    '(?(1)a|b)',
    '\\g<1>',
    '(?U)a+',
    '[[:nope:]]',
    '\\xZZ',
    '\\u{d800}',
    '\\p{Nope}',
    '(a)\\2',
    '\\k<a>',
    '\\101',
  ])('%s is refused, with what to do', (pattern) => {
    expect(refusal(pattern)).not.toContain('literal');
  });

  test('is refused before it costs anything', () => {
    expect(refusal('a'.repeat(10_001))).toContain('longer than 10000 characters');
    expect(refusal(`${'('.repeat(5_000)}${')'.repeat(5_000)}`)).toContain('nested deeper than 100');
  });
});

test('whatever is taken is a RegExp, and whatever is refused says why', () => {
  const syntax = fc.constantFrom(
    ...'ab(){}[]?*+|^$.\\-:,<>=!&~#dwspPbBxkQE0129im',
    '\n',
    'é',
    '\u{1f600}',
    '(?:',
    '[[:',
    '\\p{L}',
  );
  fc.assert(
    fc.property(
      fc.array(syntax, { maxLength: 20 }),
      fc.constantFrom<Lines>('single', 'across', 'none'),
      (parts, lines) => {
        const pattern = parts.join('');
        try {
          const { js, flags } = compile(pattern, { lines });
          new RegExp(js, flags);
        } catch (error) {
          expect([pattern, String(error)]).toEqual([pattern, expect.stringContaining('invalid regex: ')]);
        }
      },
    ),
    { numRuns: 5_000 / inject('runsDivisor') },
  );
});

test('literal text matches itself, and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (text, around) => {
      fc.pre(!/[\n\r]/.test(text + around));
      const whole = around + text + around;
      expect(matchesOf(text, whole, { literal: true }).every((match) => match === text)).toBe(true);
      expect(matchesOf(text, whole, { literal: true })).toHaveLength(whole.split(text).length - 1);
    }),
  );
});

test('the time of a pattern is bounded by the length of the text', () => {
  const steps = (pattern: string) => stepsOf(compile(pattern).js, 'v')(1_000);
  for (const [pattern, most] of [
    ['', 1e4],
    ['a', 1e4],
    ['func [a-z]', 2e4],
    ['[[a-z]&&[^b]]\\W', 1e4],
    ['^a\\b$', 1e6],
    ['a|b', 1e4],
    ['(?:a|b)?c', 2e4],
    ['a+', 3e6],
    ['(?:ab){2,3}', 2e4],
    ['a*b*', 4e9],
    ['(a)\\1', 5e6],
    ['(?<!a)b(?=c)', 2e4],
  ] as const) {
    expect(steps(pattern), pattern).toBeLessThan(most);
  }
  for (const pattern of ['(a+)+', '(a|b)*', '(ab?)+', '(a*){2}', '(a|ab)+(?=c)', '(?=(a|a)+)b']) {
    expect([pattern, steps(pattern)]).toEqual([pattern, Number.POSITIVE_INFINITY]);
  }
});

test('takes about as long as it promises, or less', () => {
  const syntax = fc.constantFrom(
    ...'ab',
    '.',
    '\\w',
    '[ab]',
    'a*',
    'a+',
    '\\w*',
    'b?',
    'a{0,9}',
    '(a|b)',
    '(?=a*)',
    '(?:ab)*',
    '$',
  );
  fc.assert(
    fc.property(
      fc.array(syntax, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 3_000 }),
      (parts, length) => {
        const { js, flags } = compile(parts.join(''));
        fc.pre(stepsOf(js, 'v')(length) < 20_000_000);
        const start = process.cpuUsage().user;
        for (const text of ['a'.repeat(length), `${'ab'.repeat(length / 2)}!`]) {
          const regex = new RegExp(js, `g${flags}`);
          for (let match = regex.exec(text); match; match = regex.exec(text)) regex.lastIndex = text.length + 1;
        }
        expect(process.cpuUsage().user - start).toBeLessThan(2_000_000);
      },
    ),
    { numRuns: 300 / inject('runsDivisor') },
  );
});
