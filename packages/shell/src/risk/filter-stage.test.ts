import { expect, test } from 'vitest';
import { filterStage } from './filter-stage.ts';

test.for([
  ['npm test | tail -5', 'tail -5'],
  ['cd x && make 2>&1 | grep error | head', 'grep error | head'],
  ["printf '|' | sed -n '1,2p'", "sed -n '1,2p'"],
  ['(a; b) | /usr/bin/sort', '/usr/bin/sort'],
  ['npm test |& tail -5', 'tail -5'],
])('finds the filters at the end of %s', ([text = '', rest = '']) => {
  expect(text.slice(filterStage(text))).toBe(rest);
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
  expect(filterStage(text)).toBeUndefined();
});
