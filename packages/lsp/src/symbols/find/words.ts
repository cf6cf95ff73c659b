import type { PlaceRange } from '../../index.ts';

const WORD = /^[@#$]?[\p{ID_Start}_$][\p{ID_Continue}$]*[!?]?$/u;
const PART = /[\p{ID_Continue}$]/u;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the identifier that a range of a line covers from its first to its last character. Returns undefined if the
 * range covers a part of an identifier, more than one, or none.
 */
export function wordOf(line: string, { start, end }: PlaceRange): string | undefined {
  if (start.line !== end.line) return undefined;
  const characters = ASCII.test(line) ? line : [...line];
  const covered = characters.slice(start.character - 1, end.character - 1);
  const word = typeof covered === 'string' ? covered : covered.join('');
  const isCut = [characters[start.character - 2], characters[end.character - 1]].some((next) => PART.test(next ?? ''));
  return WORD.test(word) && !isCut ? word : undefined;
}
