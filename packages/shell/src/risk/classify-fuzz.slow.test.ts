import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { classify } from './classify.ts';
import { statusCommand } from './status-command.ts';
import { parse } from './syntax/parse-bash.ts';

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
      statusCommand(parse(text));
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
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
    { numRuns: 2_000 / inject('runsDivisor') },
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
    '${a[',
    '${a:',
    '"${a["',
    '((a[',
    'f()',
    'cat <<a;',
    '$((a[',
    '`\\`',
    'a <b >c ',
    'cp a ',
  ],
];

const LENGTH = 40_000;

test.each(WORST)('%j over and over costs no more than its length', (piece) => {
  for (const text of [piece.repeat(LENGTH / piece.length), `ls ${piece.repeat(LENGTH / piece.length)}`]) {
    const start = process.cpuUsage();
    classify(text);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  }
});

const files = (count: number) => Array.from({ length: count }, (_, i) => `.env${i}`);

test.each([
  ['commands of find', `find . ${'-exec ls {} \\; '.repeat(7_000)}`],
  ['commands of fd', `fd x ${'-x ls \\; '.repeat(7_000)}`],
  ['names and commands of find', `find . ${'-name a -exec ls {} \\; '.repeat(4_000)}`],
  ['dangerous commands', `git cat-file --batch <<< '${'HEAD:.env '.repeat(10_000)}'`],
  [
    'variables that name secret files',
    `${files(3_000)
      .map((file, i) => `a${i}=${file}; cat $a${i} \${x%y}`)
      .join('\n')}`,
  ],
  ['secret files of a loop', `for f in ${files(3_000).join(' ')}; do ${'cat $f; '.repeat(3_000)} done`],
  ['calls of a function with a secret file', `f() { cat "$1"; }; ${'f .env; '.repeat(7_000)}`],
])('many %s cost no more than their length', (_, text) => {
  const start = process.cpuUsage();
  classify(text);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});

/** What opens and closes a nest. The text within is a word, a command or arithmetic, as it happens. */
const NESTS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['$(', ')'],
  ['{ ', ';}'],
  ['"$(', ')"'],
  ['${a:-', '}'],
  ['"${a:-', '}"'],
  ['${a[', ']}'],
  ['${a:', '}'],
  ['$((', '))'],
  ['$[', ']'],
  ['a[', ']=1'],
  ['a=(', ')'],
  ['@(', ')'],
  ['{a,', '}'],
  ['<(', ')'],
  ['`', '`'],
  ['[[ (', ') ]]'],
  ['f() { ', ';}'],
  ['coproc { ', ';}'],
  ['if ', ';then ls; fi'],
  ['case x in x) ', ';; esac'],
  ['<(cat <<E\n', '\nE\n)'],
];

test.each(NESTS)('nests of %j and %j are answered, whatever their depth', (open, close) => {
  for (const depth of [10, 200, 1_000, 4_000]) {
    const start = performance.now();
    classify(`echo ${open.repeat(depth)}ls${close.repeat(depth)}`);
    expect(performance.now() - start).toBeLessThan(3_000);
  }
});
