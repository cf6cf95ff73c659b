import { toVisible } from '@jinn/core/text/visible-text';

/** A longer line is cut, with a button that shows the rest. */
export const MAX_LINE = 2_000;

/**
 * Makes a value fit for a text node: control characters and those that turn the direction of text become visible, and a
 * value that is not a text becomes JSON. Security: an object as a child could be read as a node.
 */
export function toShown(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  // Results may hold blanks of other scripts, and tabs.
  return text.replace(/[^\t\p{Zs}\u2800]+/gu, toVisible);
}

/** Splits a text into its lines, without the end of a line of Windows. A newline at the end starts no further line. */
export function shownLinesOf(text: string): string[] {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** One for all: making it takes longer than a row of a list. */
const numbers = new Intl.NumberFormat('en');

/** Returns a number with its thousands apart. */
export function shownNumber(count: number): string {
  return numbers.format(count);
}

/** Returns a number and its noun. */
export function plural(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}
