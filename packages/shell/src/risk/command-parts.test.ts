import { expect, test } from 'vitest';
import { commandParts } from './command-parts.ts';

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
  const parts = commandParts(text);
  expect(parts?.pipelines.map((pipeline) => pipeline.text)).toEqual(pipelines);
  expect(parts?.programs).toEqual(programs);
});

test('knows the programs of each pipeline, but not those within a loop', () => {
  const { pipelines } = commandParts('cat a | (wc); B=1') ?? expect.fail();
  expect(pipelines.map(({ programs }) => programs)).toEqual([['cat', undefined], ['']]);
});

test.for([
  ['echo x > a', ['a']],
  ["echo x >> 'a b' 2>&1", ['a b', '1']],
  ['cat < a; { ls; echo; } &> b', ['b']],
  ['(ls | tee c >| d) 2> $e', ['d']],
  ["echo '> a'", []],
] as const)('finds the files that redirections write in %s', ([text, written]) => {
  expect(commandParts(text)?.written).toEqual(written);
});

test.for(["echo 'a", 'a; )'])('tells nothing of %s, which bash does not take', (text) => {
  expect(commandParts(text)).toBeUndefined();
});
