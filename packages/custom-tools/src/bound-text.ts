import type { Spill } from '@jinn/core';

/** A result of more characters is kept in a file. */
const MAX_CHARACTERS = 50_000;
const SHOWN_CHARACTERS = 10_000;

export interface BoundText {
  readonly text: string;
  /** How many characters there are; undefined if all are shown. */
  readonly total?: number;
}

/**
 * Shows the beginning of a text of more than 50,000 characters, with the name of the private file that holds all of it.
 * `whole` is what the file gets. Characters are those of Unicode, so that none is cut in two.
 */
export function boundText(text: string, label: string, spill: Spill, whole: () => string = () => text): BoundText {
  const total = text.length > MAX_CHARACTERS ? countCharacters(text) : 0;
  if (total <= MAX_CHARACTERS) return { text };
  const path = spill.save(label, [Buffer.from(whole())]);
  const rest =
    path === undefined ? 'The full result could not be kept' : `The full result is in ${path} (read it with read_file)`;
  const shown = firstCharacters(text, SHOWN_CHARACTERS);
  return { text: `${shown}\n\n[Result truncated: ${total} characters in total. ${rest}]`, total };
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += widthAt(text, at)) count++;
  return count;
}

function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left--) end += widthAt(text, end);
  return text.slice(0, end);
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
