import { ToolError } from '@jinn/core';
import { exactView, fuzzyView, type TextView } from './text-view.ts';

const MAX_PLACES = 100_000;

/** Where a text was found, or where its candidates are. */
export interface Found {
  readonly fuzzy: boolean;
  readonly view: TextView;
  /** The text that was looked for, as the view has it. */
  readonly wanted: TextView;
  /** Where it begins in the view; those that overlap too, so that one is unique only if it stands alone. */
  readonly places: readonly number[];
}

/**
 * Looks for a text, byte for byte but for line endings, and if that is nowhere, without regard to blanks at the ends of
 * lines and to the kind of quotes, dashes and spaces. All strings hold bytes (latin1).
 */
export function findText(bytes: string, wanted: string): Found {
  const exact = find(exactView(bytes), exactView(wanted), false);
  if (exact.places.length > 0) return exact;
  const fuzzy = fuzzyView(wanted);
  if (fuzzy.text.trim() === '') return exact;
  const found = find(fuzzyView(bytes), fuzzy, true);
  if (!/[ \t]$/.test(wanted)) return found;
  // Blanks at the end that were looked past stand for the end of a line, and not for the middle of a word.
  const endsLine = (at: number) =>
    /^(\n|$)/.test(found.view.text.slice(at + fuzzy.text.length, at + fuzzy.text.length + 1));
  return { ...found, places: found.places.filter(endsLine) };
}

/** Where a text stands exactly, in the bytes (latin1); `wanted` is what a caller wrote. */
export function exactPlaces(bytes: string, wanted: string): { start: number; end: number }[] {
  const text = Buffer.from(wanted.replace(/\r\n?/g, '\n')).toString('latin1');
  const { places, view } = find(exactView(bytes), exactView(text), false);
  return places.map((place) => ({ start: view.startOf(place), end: view.endOf(place + text.length) }));
}

function find(view: TextView, wanted: TextView, fuzzy: boolean): Found {
  const places: number[] = [];
  for (let at = view.text.indexOf(wanted.text); at >= 0; at = view.text.indexOf(wanted.text, at + 1)) {
    if (places.push(at) > MAX_PLACES) throw tooMany();
  }
  return { fuzzy, view, wanted, places };
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
