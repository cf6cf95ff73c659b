import type { Lines, Place } from '../index.ts';

/** Files in which an identifier may hold a hyphen. */
const HYPHENATED = /\.(css|s[ac]ss|less|html?|clj[cs]?|ya?ml)$/i;

/** Returns the identifier at a place of a file; empty if there is none. */
export function wordAt(lines: Lines, { line, character }: Place, path: string): string {
  const characters = [...(lines.line(line - 1) ?? '')];
  const word = HYPHENATED.test(path) ? /[\p{ID_Continue}$-]/u : /[\p{ID_Continue}$]/u;
  const isIn = (at: number) => word.test(characters[at] ?? '');
  let start = isIn(character - 1) ? character - 1 : character - 2;
  let end = start;
  while (isIn(start - 1)) start--;
  while (isIn(end)) end++;
  return characters.slice(Math.max(start, 0), end).join('');
}
