import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { classify } from './classify.ts';

const quoted = (command: string) => (command.includes("'") ? `$( ${command})` : `'a[$( ${command})]'`);
const escaped = (command: string) => command.replace(/[\\`$]/g, '\\$&');

/** Each makes a word of a command, which bash runs when it expands the word. The blank keeps `$((` apart. */
const WORDS: readonly ((command: string) => string)[] = [
  (command) => `$( ${command})`,
  (command) => `$( ${command}\n)`,
  (command) => `a"b $( ${command})"c`,
  (command) => `$"$( ${command})"`,
  (command) => `\`${escaped(command)}\``,
  (command) => `<(${command})`,
  (command) => `a<(${command})`,
  (command) => `\${x:-$( ${command})}`,
  (command) => `"\${x:-$( ${command})}"`,
  (command) => `\${x:=\${y:-$( ${command})}}`,
  (command) => `\${a[$( ${command})]}`,
  (command) => `$((1 + $( ${command})))`,
  (command) => `$((${quoted(command)}))`,
  (command) => `$[$( ${command})]`,
  (command) => `{a,$( ${command})}`,
  (command) => `[a$( ${command})]*`,
  (command) => `\\a$( ${command})`,
];

/** Makes substitutions of process substitutions, which bash does not know in arithmetic and here-documents. */
const expanded = (word: string) => word.replaceAll('<(', '$(');

/** Each makes a command of a word or two, which expands them. */
const COMMANDS: readonly ((word: string, other: string) => string)[] = [
  (word) => `ls ${word}`,
  (word) => `x=${word}`,
  (word, other) => `x=${other} ls ${word}`,
  (word) => `a[${expanded(word)}]=1`,
  (word) => `a=(1 ${word})`,
  (word) => `a=([${word}]=1)`,
  (word) => `export a=${word}`,
  (word) => `ls <<< ${word}`,
  (word) => `ls < ${word}`,
  (word, other) => `cat <<E\n${expanded(word)}\n${other}\nE`,
  (word) => `cat <<-E\n\t${expanded(word)}\n\tE`,
  (word, other) => `for i in ${other} ${word}; do ls; done`,
  (word) => `for ((i = ${expanded(word)}; i < 1; i++)); do ls; done`,
  (word) => `case ${word} in a) ls;; esac`,
  (word) => `case a in ${word}) ls;; esac`,
  (word, other) => `[[ ${word} == ${other} ]]`,
  (word) => `((1 + ${expanded(word)}))`,
  (word, other) => `if ls ${other}; then ls ${word}; fi`,
  (word) => `{ ls | ls ${word}; } &`,
  (word) => `(! ls ${word})`,
  (word) => `f() { time ls ${word}; }`,
  (word) => `coproc ls ${word}`,
];

const harmless = fc.constantFrom('a', '"b c"', "'$(c)'", '$x', '\\ ', '$(ls)', '{a,b}', '*');
const layer = fc.record({ word: fc.constantFrom(...WORDS), command: fc.constantFrom(...COMMANDS), other: harmless });

test('no expansion hides a command, however they are nested', () => {
  fc.assert(
    fc.property(fc.array(layer, { minLength: 1, maxLength: 4 }), (layers) => {
      const text = layers.reduce((inner, { word, command, other }) => command(word(inner), other), 'rm x');
      expect(classify(text).risk).toBe('dangerous');
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
  );
});
