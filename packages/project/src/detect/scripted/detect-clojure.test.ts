import { expect, test } from 'vitest';
import { readEdnMap } from './detect-clojure.ts';

test.for<[string, Record<string, string>]>([
  ['{:a 1, :b {:c [1 2]} :d "x } \\" y"}', { ':a': '1', ':b': '{:c [1 2]}', ':d': '"x } \\" y"' }],
  ['; first {:no 1}\n{:a ; here }\n 1}', { ':a': '1' }],
  [
    '{:a #{1 2} :b #inst "2020" :c \'(x) :d ^{:m 1} y :e ^:k z}',
    { ':a': '{1 2}', ':b': '"2020"', ':c': '(x)', ':d': 'y', ':e': 'z' },
  ],
  ['{:a \\{ :b \\newline}', { ':a': '\\{', ':b': '\\newline' }],
  ['{#_ :a #_#_ :b 2 :c 3 #_:d}', { ':c': '3' }],
  ['{:a {:b', { ':a': '{:b' }],
  ['[:x] {:a 1} {:b 2}', { ':a': '1' }],
  [')]} {:a 1}', { ':a': '1' }],
  ['"no map"', {}],
  ['', {}],
])('reads %j', ([text, entries]) => {
  expect(Object.fromEntries(readEdnMap(text))).toEqual(entries);
});

test.for(['{', '{:a ', '\\"', '"\\"', '#_', '"', '(', ')', '{:a "', ';', '^{'])(
  'reads a long text of %j in bounded time',
  (part) => {
    readEdnMap(part.repeat(500_000));
    readEdnMap(`{${part.repeat(500_000)}`);
  },
);
