import { WHOLE_BREAK } from '@jinn/core/regex';
import { stepsOf } from '@jinn/core/text';
import type { SearchQuery } from './search-query.ts';

/** The most steps of a pattern: they take half a second at worst, and mostly a few milliseconds. */
const MAX_STEPS = 200_000_000;

/** Reports whether the pattern is sure to be matched soon, even in texts that are made to slow it down. */
export function isQuick(
  { pattern, crossesLines }: Pick<SearchQuery, 'pattern' | 'crossesLines'>,
  texts: readonly string[],
) {
  // There is one way only in which it matches.
  const most = stepsOf(pattern.js.replaceAll(WHOLE_BREAK, ''), 'v');
  let steps = 0;
  for (const text of texts) {
    if (crossesLines) steps += most(text.length);
    else for (const length of lineLengths(text)) steps += most(length);
    if (steps > MAX_STEPS) return false;
  }
  return true;
}

function* lineLengths(text: string): Generator<number> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield end + 1 - start;
    start = end + 1;
  }
  yield text.length - start;
}
