import { toVisible } from '@jinn/core/text';

/** The most characters of a line. No one reads more, and a terminal is slow with it. */
const MAX_LINE = 4_000;
const TAB = '    ';
/** Characters that take two columns: emoji, and the scripts of East Asia. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}])/u;
const PLAIN = /^[ -~]*$/;
const MARK = /^\p{M}/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Makes a line of a foreign text safe to print, with blanks for tabs, and cuts a very long one. */
export function toTerminalLine(given: string): string {
  const text = given.length <= MAX_LINE ? given : `${given.slice(0, MAX_LINE)}…`;
  return toVisible(text.replaceAll('\t', TAB));
}

/** Splits a text into its lines. A newline at the end starts no further line. */
export function linesOf(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Returns the columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const segment of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

function segmentsOf(text: string): Iterable<string> {
  return PLAIN.test(text) ? text : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function segmentWidth(segment: string): number {
  if (MARK.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
}

function startOf(text: string, width: number): string {
  if (PLAIN.test(text)) return text.slice(0, width);
  let [start, used] = ['', 0];
  for (const segment of segmentsOf(text)) {
    used += segmentWidth(segment);
    if (used > width) break;
    start += segment;
  }
  return start;
}

/** Cuts a line to some columns, with an ellipsis for the rest. */
export function fit(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${startOf(text, width - 1)}…`;
}

/** Cuts or fills a line to exactly some columns. */
export function pad(text: string, width: number): string {
  const shown = fit(text, width);
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
}

/** Breaks a line into pieces of at most some columns. `atWords` breaks between words where it can. */
export function wrap(line: string, width: number, { atWords = false } = {}): string[] {
  if (widthOf(line) <= width) return [line];
  const pieces: string[] = [];
  let [piece, used] = ['', 0];
  for (const segment of segmentsOf(line)) {
    const columns = segmentWidth(segment);
    if (used + columns > width && piece !== '') {
      const kept = atWords && segment !== ' ' ? wholeWords(piece) : piece;
      pieces.push(kept.trimEnd());
      piece = piece.slice(kept.length).trimStart();
      used = widthOf(piece);
    }
    if (atWords && segment === ' ' && piece === '' && pieces.length > 0) continue;
    piece += segment;
    used += columns;
  }
  return [...pieces, piece];
}

function wholeWords(piece: string): string {
  const blank = piece.lastIndexOf(' ');
  return piece.slice(0, blank).trim() === '' ? piece : piece.slice(0, blank);
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

export type Painter = (style: Style | undefined, text: string) => string;

/** Makes a function that styles a text for a terminal, or leaves it as it is. */
export function createPaint(color: boolean): Painter {
  return (style, text) => (color && style && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
}
