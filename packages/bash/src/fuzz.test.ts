import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classify } from './classify.ts';
import { Limits } from './limits.ts';
import { parse } from './parser.ts';
import { statusCommand } from './status-command.ts';

const TOKENS = [
  ...'()[]{}<>|&;!#$`"\'\\ \n\t=*?~,.:-+@%^/0aZé😀\u0001\ue003',
  ...[
    '$(',
    '$((',
    '${',
    '$[',
    "$'",
    '$"',
    '<(',
    '>(',
    '<<E',
    '<<-E',
    "<<'E'",
    '\nE\n',
    '<<<',
    '&&',
    '||',
    ';;',
    ';&',
    '((',
    '))',
  ],
  ...[
    '[[',
    ']]',
    ' if ',
    ' then ',
    ' fi ',
    ' for x in ',
    ' do ',
    ' done ',
    ' case x in ',
    ' esac ',
    ' f() ',
    ' { ',
    ' ; } ',
    '\\\n',
  ],
  ...[
    'rm ',
    'ls ',
    'env ',
    'env -S ',
    'bash -c ',
    'eval ',
    'xargs ',
    'find -exec ',
    'sed ',
    'awk ',
    'git ',
    'python -c ',
    'cd ',
    'a=(',
    'a[',
    '$X',
    '"$@"',
    '$HOME',
    '=~ ',
  ],
];

const hostile = fc.array(fc.oneof(fc.constantFrom(...TOKENS), fc.string({ maxLength: 5 })), { maxLength: 60 });

test('no text makes it throw, and each has a risk, a reason and a part of bounded length', () => {
  fc.assert(
    fc.property(hostile, (tokens) => {
      const text = tokens.join('');
      const { risk, reason, part = '' } = classify(text);
      expect(['safe', 'caution', 'dangerous']).toContain(risk);
      expect(reason).not.toBe('');
      expect(part.length).toBeLessThanOrEqual(101);
      statusCommand(text);
    }),
    { numRuns: 2_000 },
  );
});

test('a dangerous command after any text that bash accepts is found', () => {
  fc.assert(
    fc.property(hostile, (tokens) => {
      const text = tokens.join('');
      const whole = `${text}\nrm x`;
      const { script } = parse(whole);
      const last = script?.items.at(-1)?.pipeline.commands.at(-1);
      fc.pre(last?.kind === 'simple' && whole.slice(last.start, last.end) === 'rm x');
      expect(classify(whole).risk).toBe('dangerous');
    }),
    { numRuns: 2_000 },
  );
});

/** Pieces which, said over and over, are the worst for one reader or another. */
const WORST = [
  ...[
    '(',
    '$(',
    '$((',
    '((',
    '`',
    '\\`',
    '<<a ',
    '<<-a\n',
    '<<a\n',
    "'",
    '"',
    '"$(',
    "$'",
    '\\',
    '\\\n',
    '${',
    '${a:-',
    '$[',
    '<(',
    '>',
  ],
  ...[
    '{a,b}',
    '{a,',
    '{',
    '}',
    '[',
    '[[ ',
    ']',
    '!',
    '! ',
    '|',
    'a|',
    'a&',
    ';',
    'a;',
    '\n',
    ' ',
    '#',
    'a=(',
    'a[',
    'a=b ',
    '*',
    '?',
    '~/',
  ],
  ...[
    'if ',
    'if a; then ',
    'while ',
    'for x in a; do ',
    'case x in a) ',
    'f() { ',
    'f(){ f|f;};',
    '{ ',
    'coproc ',
    'function f ',
    'time ',
  ],
  ...[
    'env ',
    'env -S ',
    'eval ',
    'bash -c ',
    'xargs ',
    'find -exec ',
    'nice -z ',
    'git -a ',
    'git --a=b ',
    '-a ',
    '--a1 ',
    'a/../',
    '../',
    '$HOME ',
    '$X/',
    '1',
    '1.',
  ],
  ...[
    "sed 's/",
    's/a/b/;',
    'awk "/',
    'cd a/b;',
    'cd a; touch a ',
    "printf '[[",
    'copy ',
    'drop ',
    'é',
    '\u0001',
    '\ud800',
    "rm'",
    'x=$(',
    'a <b >c ',
    'cp a ',
  ],
];

const LENGTH = 40_000;

test.each(WORST)('%j over and over costs no more than its length', (piece) => {
  for (const text of [piece.repeat(LENGTH / piece.length), `ls ${piece.repeat(LENGTH / piece.length)}`]) {
    const limits = new Limits(text.length);
    parse(text, limits);
    expect(limits.spent).toBeLessThan(100 * (text.length + 100));
    const start = performance.now();
    classify(text);
    expect(performance.now() - start).toBeLessThan(3_000);
  }
});

test('closed nests of any depth are answered', () => {
  for (const [open, close] of [
    ['(', ')'],
    ['$(', ')'],
    ['{ ', ';}'],
    ['"$(', ')"'],
    ['${a:-', '}'],
    ['$((', '))'],
    ['<(', ')'],
    ['[[ (', ') ]]'],
    ['case x in x) ', ';; esac'],
  ]) {
    for (const depth of [10, 1_000, 20_000]) {
      const text = `echo ${open?.repeat(depth)}ls${close?.repeat(depth)}`;
      expect(['safe', 'caution', 'dangerous']).toContain(classify(text).risk);
    }
  }
});
