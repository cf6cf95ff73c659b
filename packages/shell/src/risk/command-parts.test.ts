import { expect, test } from 'vitest';
import { commandParts, filterStage } from './command-parts.ts';
import { parse } from './syntax/parse-bash.ts';

test.for([
  ['cat a', ['cat a'], ['cat']],
  [
    "grep -n 'x; y' a && /bin/cat b | wc -l; ls &",
    ["grep -n 'x; y' a", '/bin/cat b | wc -l', 'ls'],
    ['grep', 'cat', 'wc', 'ls'],
  ],
  ['for f in 1 2; do grep $f a; done > b', ['for f in 1 2; do grep $f a; done > b'], ['grep']],
  ['echo "$(bash x)" `ls`', ['echo "$(bash x)" `ls`'], ['bash', 'ls', 'echo']],
  ['A=1; $A x', ['A=1', '$A x'], ['', undefined]],
] as const)('finds the pipelines and the programs of %s', ([text, pipelines, programs]) => {
  const parts = commandParts(parse(text));
  expect(parts?.pipelines.map((pipeline) => pipeline.text)).toEqual(pipelines);
  expect(parts?.programs).toEqual(programs);
});

test('knows the programs of each pipeline, but not those within a loop', () => {
  const { pipelines } = commandParts(parse('cat a | (wc); B=1')) ?? expect.fail();
  expect(pipelines.map(({ programs }) => programs)).toEqual([['cat', undefined], ['']]);
});

test.for([
  ['echo x > a', ['a']],
  ["echo x >> 'a b' 2>&1", ['a b', '1']],
  ['cat < a; { ls; echo; } &> b', ['b']],
  ['(ls | tee c >| d) 2> $e', ['d']],
  ["echo '> a'", []],
] as const)('finds the files that redirections write in %s', ([text, written]) => {
  expect(commandParts(parse(text))?.written).toEqual(written);
});

test.for(["echo 'a", 'a; )'])('tells nothing of %s, which bash does not take', (text) => {
  expect(commandParts(parse(text))).toBeUndefined();
});

test.for([
  ['npm test | tail -5', 'tail -5'],
  ['cd x && make 2>&1 | grep error | head', 'grep error | head'],
  ["printf '|' | sed -n '1,2p'", "sed -n '1,2p'"],
  ['(a; b) | /usr/bin/sort', '/usr/bin/sort'],
  ['npm test |& tail -5', 'tail -5'],
])('finds the filters at the end of %s', ([text = '', rest = '']) => {
  expect(text.slice(filterStage(parse(text)))).toBe(rest);
});

test.for([
  'npm test',
  'grep -rn x src',
  'sort a | uniq',
  'npm test | tee log',
  'npm test | tail -5 &',
  'a | tail; b',
  'a | sort < b',
  'a | (tail)',
  "echo 'unfinished | tail",
])('finds none in %s', (text) => {
  expect(filterStage(parse(text))).toBeUndefined();
});
