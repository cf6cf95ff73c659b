import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { watchPipelines } from './classify.ts';
import { readCorpus } from './fixture/read-corpus.ts';
import { parse } from './syntax/parse-bash.ts';

const watched = (text: string) => watchPipelines(parse(text), (index) => `R${index}`);

test.for([
  ['a | b', '{ a | b;R0; }'],
  ['a|b;c|d', '{ a|b;R0; };{ c|d;R1; }'],
  ['cd x && a | b || c', 'cd x && { a | b;R0; } || c'],
  ['! a | b', '! { a | b;R0; }'],
  ['time -p a |& b', 'time -p { a |& b;R0; }'],
  ['a | b # why\nc', '{ a | b;R0; } # why\nc'],
  ['a | b \\\n', '{ a | b;R0; } \\\n'],
  ['a |\n b 2>&1', '{ a |\n b 2>&1;R0; }'],
  ['a | b <<E && c\n|\nE\nd | e', '{ a | b <<E;R0; } && c\n|\nE\n{ d | e;R1; }'],
  ['(cd x; a | b)', '(cd x; { a | b;R0; })'],
  ['{ a | b; }', '{ { a | b;R0; }; }'],
  ['if a | b; then c | d; fi', 'if { a | b;R0; }; then { c | d;R1; }; fi'],
  ['a & b | c', 'a & { b | c;R0; }'],
  ['(a | b) | c', '{ (a | b) | c;R0; }'],
  ['a | b; (c | d) 2>x', '{ a | b;R0; }; (c | d) 2>x'],
  ['for i in 1; do a | b; done', 'for i in 1; do { a | b;R0; }; done'],
  ['while a | b; do c; done <f', 'while { a | b;R0; }; do c; done <f'],
  ['until c; do if d; then a | b; fi; done', 'until c; do if d; then { a | b;R0; }; fi; done'],
  ['case x in x) a | b;; esac', 'case x in x) { a | b;R0; };; esac'],
  ['a | while b; do c | d; done', '{ a | while b; do c | d; done;R0; }'],
  ['exec <f; a | b', 'exec <f; { a | b;R0; }'],
  ['a | ((1))', '{ a | ((1));R0; }'],
])('puts a report behind the pipelines of %j', ([text = '', expected]) => {
  expect(watched(text)?.text).toBe(expected);
});

test.for([
  'a',
  'a || b',
  "echo 'a | b'",
  'a | b &',
  'a && b | c && d &',
  'for i in 1; do a | b; done 2>log',
  'for i in 1; do a | b; done 2>&1',
  'f() { a | b; }; f',
  'x=$(a | b)',
  '{ a | b; } 2>log',
  'a | b; echo $PIPESTATUS',
  'a | b; echo $_',
  'a | b; echo "$BASH_COMMAND"',
  'exec 2>log; a | b',
  'trap x ERR; a | b',
  'builtin trap x ERR; a | b',
  'set -euxv; a | b',
  'set -o verbose; a | b',
  'shopt -s expand_aliases; alias b=c; a | b',
  'ulimit -n 8; a | b',
  'ps aux | b',
  'sudo ps aux | b',
  'a | b; (',
  'coproc a | b',
  'a | b \\',
  Array.from({ length: 101 }, () => 'a').join('|'),
])('leaves %j as it is', (text) => {
  expect(watched(text)).toBeUndefined();
});

test.for([
  ['go test ./... | tail -20', ['go test', 'tail']],
  ['timeout 60 .venv/bin/pytest -q | grep FAIL', ['pytest', 'grep']],
  ['(cd x && make) | cat', ['(cd x && make)', 'cat']],
  [
    '$CMD | while read -r line; do echo "$line and more of it"; done',
    ['$CMD', 'while read -r line; do echo "$line and …'],
  ],
] as const)('names the parts of %s', ([text, names]) => {
  expect(watched(text)?.pipelines.map((parts) => parts.map(({ name }) => name))).toEqual([names]);
});

/** Which of the texts bash takes for commands. */
function accepted(texts: readonly string[]): boolean[] {
  const driver = 'while IFS= read -r -d "" c; do "$BASH" -n -c "$c" 2>&1; printf "\\0"; done';
  const input = texts.map((text) => `${text}\0`).join('');
  const { stdout } = spawnSync('bash', ['-c', driver], { input, encoding: 'utf8', maxBuffer: 1e8 });
  return stdout.split('\0').map((lines) => lines.replaceAll(/.*: warning: .*\n?/g, '') === '');
}

const REPORT = '(set -- "$?" "$PIPESTATUS";exit "$1") 9>&2';

test('bash accepts what it accepted before', { tags: 'slow' }, () => {
  const syntax = readCorpus(fs.readFileSync(new URL('corpus/syntax.txt', import.meta.url), 'utf8'));
  const shapes = [
    (text: string) => `a | ${text}`,
    (text: string) => `(${text} | b)`,
    (text: string) => `a | b; ${text}`,
  ];
  const corpus = syntax.map((text, i) => (shapes[i % shapes.length] as (text: string) => string)(text));
  const pieces = fc.constantFrom(
    ...[
      'a',
      'b',
      ' ',
      '\n',
      ' | ',
      '|&',
      ';',
      ' && ',
      ' || ',
      ' & ',
      '! ',
      'time ',
      ' #c\n',
      '\\\n',
      ' <<E\n|\nE\n',
      ' <<E',
      '$(a | b)',
    ],
    ...[
      '(',
      ')',
      '{ ',
      '; }',
      'if ',
      '; then ',
      '; fi',
      ' >f',
      " '|'",
      ' "`a|b`"',
      'for i in 1; do ',
      '; done',
      '[[ a ]]',
      '((1))',
      'f() ',
    ],
  );
  const random = fc.sample(fc.array(pieces, { maxLength: 12 }), { numRuns: 500 }).map((parts) => parts.join(''));
  const pairs = [...new Set([...corpus, ...random])].flatMap((text) => {
    const changed = watchPipelines(parse(text), () => REPORT)?.text;
    return changed === undefined ? [] : [{ text, changed }];
  });
  expect(pairs.length).toBeGreaterThan(400);
  const before = accepted(pairs.map(({ text }) => text));
  const after = accepted(pairs.map(({ changed }) => changed));
  expect(pairs.filter((_, i) => before[i] !== after[i])).toEqual([]);
});
