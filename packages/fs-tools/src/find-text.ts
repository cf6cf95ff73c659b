import { ToolError } from '@jinn/core';
import { findInOnePass } from './one-pass-search.ts';
import { exactView, fuzzyView, type SearchText, type TextView } from './text-view.ts';

const MAX_PLACES = 100_000;
/** Native search is fast, but in the worst case its time is the product of both lengths. */
const MAX_NATIVE_LENGTH = 32;

/** Where a text was found, or where its candidates are. */
export interface Found {
  readonly fuzzy: boolean;
  readonly view: TextView;
  /** The text that was looked for, as the view has it. */
  readonly wanted: TextView;
  /** Where it begins in the view; overlapping places count, so a text is unique only if it stands alone. */
  readonly places: readonly number[];
}

/**
 * Looks for a text, byte for byte except for line endings. If that is nowhere, it ignores blanks at the ends of lines and
 * the kind of quotes, dashes and spaces. All strings hold bytes (latin1).
 */
export function findText(text: SearchText, wanted: string): Found {
  const exact = find(text.exact(), exactView(wanted), false);
  if (exact.places.length > 0) return exact;
  const fuzzy = fuzzyView(wanted);
  if (fuzzy.text.trim() === '') return exact;
  const found = find(text.fuzzy(), fuzzy, true);
  if (!/[ \t]$/.test(wanted)) return found;
  // Blanks that were ignored at the end stand for the end of a line, not for the middle of a word.
  const endsLine = (at: number) =>
    /^(\n|$)/.test(found.view.text.slice(at + fuzzy.text.length, at + fuzzy.text.length + 1));
  return { ...found, places: found.places.filter(endsLine) };
}

/** Where a text stands exactly, in the bytes (latin1); `wanted` is what a caller wrote. */
export function exactPlaces(text: SearchText, wanted: string): { start: number; end: number }[] {
  const view = text.exact();
  const inView = Buffer.from(wanted.replace(/\r\n?/g, '\n')).toString('latin1');
  const { places } = find(view, exactView(inView), false);
  return places.map((place) => ({ start: view.startOf(place), end: view.endOf(place + inView.length) }));
}

function find(view: TextView, wanted: TextView, fuzzy: boolean): Found {
  const places = findPlaces(view.text, wanted.text);
  if (places.length > MAX_PLACES) throw tooMany();
  return { fuzzy, view, wanted, places };
}

/** Linear in both lengths: finds the beginning natively, and compares the rest as long as that does not add up. */
function findPlaces(text: string, wanted: string): number[] {
  const head = wanted.slice(0, MAX_NATIVE_LENGTH);
  const places: number[] = [];
  let steps = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    let equal = head.length;
    while (equal < wanted.length && text.charCodeAt(at + equal) === wanted.charCodeAt(equal)) equal++;
    if (equal === wanted.length && places.push(at) > MAX_PLACES) return places;
    steps += equal - head.length;
    if (steps > 2 * text.length) {
      return findInOnePass(Buffer.from(text, 'latin1'), Buffer.from(wanted, 'latin1'), MAX_PLACES + 1);
    }
  }
  return places;
}

/** The places without those that overlap the one before. */
export function apart({ places, wanted }: Found): number[] {
  const kept: number[] = [];
  let end = 0;
  for (const at of places) {
    if (at < end) continue;
    kept.push(at);
    end = at + wanted.text.length;
  }
  return kept;
}

function tooMany(): ToolError {
  return new ToolError('resource_limit', `old_text matches more than ${MAX_PLACES} locations`, {
    suggestion: 'add more surrounding text to old_text, or use search_replace',
  });
}
