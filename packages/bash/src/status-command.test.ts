import { expect, test } from 'vitest';
import { statusCommand } from './status-command.ts';

const shown = (text: string) => {
  const found = statusCommand(text);
  if (!found) return undefined;
  return `${found.negated ? '! ' : ''}${found.words.join(' ')}${found.certain ? '' : ' ?'}`;
};

test.each([
  ['grep x f', 'grep x f'],
  ['/usr/bin/grep x f', 'grep x f'],
  ['cat f | grep x', 'grep x'],
  ['ls; grep x f', 'grep x f'],
  ['ls\ngrep x f\n', 'grep x f'],
  ['cd x && grep y f', 'grep y f ?'],
  ['ls || grep x f', 'grep x f'],
  ['FOO=1 grep x f', 'grep x f'],
  ['! grep x f', '! grep x f'],
  ['! ! grep x f', 'grep x f'],
  ['grep x f; false', 'false'],
  ['(cd x; grep y f)', 'grep y f'],
  ['{ ! grep x f; }', '! grep x f'],
  ['env LC_ALL=C grep x f', 'grep x f'],
  ['time nice grep x f', 'grep x f'],
  ['set -e; ls; grep x f', 'grep x f ?'],
  ['set -o pipefail; ls | grep x', 'grep x ?'],
  ['grep x f # rm', 'grep x f'],
  ['[ -f a ]', '[ -f a ]'],
  ['exit 3', 'exit 3'],
  ['grep x f &', undefined],
  ['if ls; then grep x f; fi', undefined],
  ['for f in a; do grep x $f; done', undefined],
  ['$X f', undefined],
  ['a=1', undefined],
  ['env -i grep x f', undefined],
  ['grep (', undefined],
  ['', undefined],
])('%j: %s', (text, expected) => expect(shown(text)).toBe(expected));
