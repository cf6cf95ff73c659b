import { ToolError } from '@jinn/core/errors';
import { firstWhere } from '@jinn/core/text/counted';

const MAX_PLACES = 100_000;
/** Native search is fast, but in the worst case its time is the product of both lengths. */
const MAX_NATIVE_LENGTH = 32;
/** UTF-8 bytes, as latin1, of the blanks that fuzzy matching reads as a space. */
export const BLANK = '\\xc2\\xa0|\\xe2\\x80[\\x82-\\x8a\\xaf]|\\xe2\\x81\\x9f|\\xe3\\x80\\x80';
/** UTF-8 bytes, as latin1, that fuzzy matching reads as the plain character. */
const LOOKALIKES = [
  ["'", '\\xe2\\x80[\\x98-\\x9b]'],
  ['"', '\\xe2\\x80[\\x9c-\\x9f]'],
  ['-', '\\xe2\\x80[\\x90-\\x95]|\\xe2\\x88\\x92'],
  [' ', BLANK],
] as const;

const LARGE_BYTES = 2 ** 20;
const LINE_ENDING = '\\r\\n?';
/**
 * Matches only at the first of several blanks: otherwise a long run of blanks would take time quadratic in its length.
 */
const TRAILING_BLANKS = '(?<![ \\t])[ \\t]+(?=[\\r\\n]|$)';
const FUZZY = new RegExp([LINE_ENDING, TRAILING_BLANKS, ...LOOKALIKES.map(([, bytes]) => bytes)].join('|'), 'g');
const MEANINGS = LOOKALIKES.map(([plain, bytes]) => [plain, new RegExp(`^(?:${bytes})$`)] as const);

/** The places of a text, or of its candidates. */
export interface FoundText {
  readonly fuzzy: boolean;
  readonly view: TextView;
  /** The text that was looked for, as the view has it. */
  readonly wanted: TextView;
  /** Where it starts in the view. Overlapping places count, so a text is unique only if it is alone. */
  readonly places: readonly number[];
}

/**
 * Looks for a text, byte for byte except for line endings. If there is none, it ignores blanks at the ends of lines and
 * the kind of quotes, dashes and spaces. All strings hold bytes (latin1).
 */
export function findText(text: SearchText, wanted: string): FoundText {
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

/** Finds the exact occurrences of a text in bytes (latin1). `wanted` is the caller's text. */
export function exactPlaces(text: SearchText, wanted: string): { start: number; end: number }[] {
  const view = text.exact();
  const inView = Buffer.from(wanted.replace(/\r\n?/g, '\n')).toString('latin1');
  const { places } = find(view, exactView(inView), false);
  return places.map((place) => ({ start: view.startOf(place), end: view.endOf(place + inView.length) }));
}

function find(view: TextView, wanted: TextView, fuzzy: boolean): FoundText {
  const places = findPlaces(view.text, wanted.text);
  if (places.length > MAX_PLACES)
    throw new ToolError('resource_limit', `old_text matches more than ${MAX_PLACES} locations`, {
      suggestion: 'add more surrounding text to old_text, or use search_replace',
    });
  return { fuzzy, view, wanted, places };
}

/** Linear in both lengths: finds the start natively, and compares the rest as long as that does not add up. */
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

/** Returns the places without those that overlap the one before. */
export function apart({ places, wanted }: FoundText): number[] {
  const kept: number[] = [];
  let end = 0;
  for (const at of places) {
    if (at < end) continue;
    kept.push(at);
    end = at + wanted.text.length;
  }
  return kept;
}

/** Text as it is compared, with a way back to the bytes. Strings hold bytes (latin1), so that all bytes survive. */
interface TextView {
  readonly text: string;
  /** Returns the offset in the bytes where a range of the text starts. */
  startOf(position: number): number;
  /** Returns the offset where it ends: before blanks that the text omits, while `startOf` is after them. */
  endOf(position: number): number;
}

/** A text with its views, each made when it is first asked for. */
export interface SearchText {
  readonly bytes: string;
  exact(): TextView;
  fuzzy(): TextView;
}

export function toSearchText(bytes: string): SearchText {
  let [exact, fuzzy]: (TextView | undefined)[] = [];
  return {
    bytes,
    exact: () => {
      exact ??= exactView(bytes);
      return exact;
    },
    fuzzy: () => {
      fuzzy ??= fuzzyView(bytes);
      return fuzzy;
    },
  };
}

function exactView(bytes: string): TextView {
  if (!bytes.includes('\r')) return { text: bytes, startOf: (at) => at, endOf: (at) => at };
  const text = withPlainEndings(bytes);
  let shortened: Int32Array | undefined;
  const toBytes = (position: number) => {
    shortened ??= shortenedAt(bytes, bytes.length - text.length);
    const places = shortened;
    return position + firstWhere(places.length, (at) => (places[at] as number) >= position);
  };
  return { text, startOf: toBytes, endOf: toBytes };
}

function withPlainEndings(bytes: string): string {
  if (bytes.length < LARGE_BYTES) return bytes.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  // A large string made by a Buffer is outside of the heap of V8, which frees it sooner.
  const buffer = Buffer.from(bytes, 'latin1');
  let length = 0;
  for (let at = 0; at < buffer.length; at++) {
    const byte = buffer[at] as number;
    if (byte === 13 && buffer[at + 1] === 10) continue;
    buffer[length++] = byte === 13 ? 10 : byte;
  }
  return buffer.toString('latin1', 0, length);
}

function shortenedAt(bytes: string, count: number): Int32Array {
  const positions = new Int32Array(count);
  let at = -2;
  for (let i = 0; i < count; i++) {
    at = bytes.indexOf('\r\n', at + 2);
    positions[i] = at - i;
  }
  return positions;
}

/** Makes the view that also omits blanks at the ends of lines, and has plain quotes, dashes and spaces. */
export function fuzzyView(bytes: string): TextView {
  return view(bytes, FUZZY);
}

function view(bytes: string, pattern: RegExp): TextView {
  const parts: string[] = [];
  /** For each replaced part: where it starts and ends in the text, and where it ends in the bytes. */
  const textStarts = [-1];
  const textEnds = [0];
  const byteEnds = [0];
  let [read, written] = [0, 0];
  for (const { 0: found, index } of bytes.matchAll(pattern)) {
    const plain = meaningOf(found);
    parts.push(bytes.slice(read, index), plain);
    written += index - read + plain.length;
    read = index + found.length;
    textStarts.push(written - plain.length);
    textEnds.push(written);
    byteEnds.push(read);
  }
  parts.push(bytes.slice(read));
  const toBytes = (behind: number, position: number) =>
    (byteEnds[behind - 1] as number) + position - (textEnds[behind - 1] as number);
  const count = textEnds.length;
  return {
    text: parts.join(''),
    startOf: (position) =>
      toBytes(
        firstWhere(count, (at) => (textEnds[at] as number) > position),
        position,
      ),
    endOf: (position) =>
      toBytes(
        firstWhere(count, (at) => (textStarts[at] as number) >= position),
        position,
      ),
  };
}

function meaningOf(found: string): string {
  if (found.startsWith('\r')) return '\n';
  return MEANINGS.find(([, bytes]) => bytes.test(found))?.[0] ?? '';
}

/**
 * Finds the positions of a sequence in another one, in order. They may overlap. The search of Knuth, Morris and Pratt: linear,
 * whatever the sequences are. Stops after `most` places. `wanted` must not be empty.
 */
export function findInOnePass(
  text: ArrayLike<number>,
  wanted: ArrayLike<number>,
  most = Number.POSITIVE_INFINITY,
): number[] {
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let i = 0; i < text.length && found.length < most; i++) {
    matched = advance(wanted, borders, matched, text[i] as number);
    if (matched < wanted.length) continue;
    found.push(i + 1 - matched);
    matched = borders[matched - 1] as number;
  }
  return found;
}

function bordersOf(wanted: ArrayLike<number>): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let i = 1; i < wanted.length; i++) {
    borders[i] = advance(wanted, borders, borders[i - 1] as number, wanted[i] as number);
  }
  return borders;
}

function advance(wanted: ArrayLike<number>, borders: Int32Array, matched: number, next: number): number {
  let length = matched === wanted.length ? (borders[matched - 1] as number) : matched;
  while (length > 0 && wanted[length] !== next) length = borders[length - 1] as number;
  return wanted[length] === next ? length + 1 : length;
}
