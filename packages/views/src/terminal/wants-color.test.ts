import { expect, test } from 'vitest';
import { wantsColor } from './wants-color.ts';

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, true],
])('with %j at a terminal (%s) there are colours: %s', (environment, isTerminal, expected) => {
  expect(wantsColor(environment, isTerminal)).toBe(expected);
});
