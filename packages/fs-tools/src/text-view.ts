/** UTF-8 bytes, as latin1, that fuzzy matching takes for the plain character (seeds/jinn-tool-reference, edit_file). */
const LOOKALIKES = [
  ["'", '\\xe2\\x80[\\x98-\\x9b]'],
  ['"', '\\xe2\\x80[\\x9c-\\x9f]'],
  ['-', '\\xe2\\x80[\\x90-\\x95]|\\xe2\\x88\\x92'],
  [' ', '\\xc2\\xa0|\\xe2\\x80[\\x82-\\x8a\\xaf]|\\xe2\\x81\\x9f|\\xe3\\x80\\x80'],
] as const;

const LINE_ENDING = '\\r\\n?';
const TRAILING_BLANKS = '[ \\t]+(?=[\\r\\n]|$)';
const EXACT = new RegExp(LINE_ENDING, 'g');
const FUZZY = new RegExp([LINE_ENDING, TRAILING_BLANKS, ...LOOKALIKES.map(([, bytes]) => bytes)].join('|'), 'g');
const MEANINGS = LOOKALIKES.map(([plain, bytes]) => [plain, new RegExp(`^(?:${bytes})$`)] as const);

/**
 * Text as it is compared, with a way back to the bytes. All strings hold bytes (latin1), so that bytes that are no
 * UTF-8 survive.
 */
export interface TextView {
  readonly text: string;
  /** Where in the bytes a range of the text begins. */
  startOf(position: number): number;
  /** Where it ends: before blanks that the text leaves out, where `startOf` is behind them. */
  endOf(position: number): number;
}

/** Every line ending as `\n`. */
export function exactView(bytes: string): TextView {
  return bytes.includes('\r') ? view(bytes, EXACT) : { text: bytes, startOf: (at) => at, endOf: (at) => at };
}

/** Also without blanks at the ends of lines, and with plain quotes, dashes and spaces. */
export function fuzzyView(bytes: string): TextView {
  return view(bytes, FUZZY);
}

function view(bytes: string, pattern: RegExp): TextView {
  const parts: string[] = [];
  /** Of what was replaced: where it begins and ends in the text, and where it ends in the bytes. */
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
  const toBytes = (index: number, position: number) =>
    (byteEnds[index] as number) + position - (textEnds[index] as number);
  return {
    text: parts.join(''),
    startOf: (position) =>
      toBytes(
        lastIndex(textEnds, (end) => end <= position),
        position,
      ),
    endOf: (position) =>
      toBytes(
        lastIndex(textStarts, (start) => start < position),
        position,
      ),
  };
}

function meaningOf(found: string): string {
  if (found.startsWith('\r')) return '\n';
  return MEANINGS.find(([, bytes]) => bytes.test(found))?.[0] ?? '';
}

/** The last element of a sorted list for which a test holds; the first when it holds for none. */
function lastIndex(sorted: readonly number[], holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle] as number)) low = middle;
    else high = middle;
  }
  return low;
}
