/** Counts tokens of text. */
export interface TokenCounter {
  count(text: Buffer): number;
}

/** A run of letters is one token up to this length, and one more for every 5.2 letters beyond. */
const WORD = 8;
const PER_WORD = 5.2;
const TOKENS_OF_WORD = 0.76;
/** The tokens that a capital adds after a small letter, and a letter after a digit. */
const TOKENS_OF_CAPITAL = 0.12;
const TOKENS_BEHIND_DIGIT = 0.76;
/** BLANKS: the blanks of a run after the first. REST: the bytes of a character after the first. ESCAPE: a backslash. */
const [SMALL, CAPITAL, DIGIT, BLANK, BLANKS, NEWLINE, SIGN, REST, WIDE, ESCAPE] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const KINDS = 10;
/** The tokens that a byte of each kind adds after a byte of another kind, and after one of its own. */
const FIRST = [0, 0, 0.61, 0.29, 0, 0.77, 0.85, 0, 0, 0.9];
const AGAIN = [0, 0, 0.61, 0.46, 0, 0.06, 0.14, 0, 0, 0.14];
/** The tokens that a character beyond ASCII adds, by the highest first byte. */
const SCRIPTS = [
  { upTo: 0xc9, tokens: 0.56 }, // Latin
  { upTo: 0xd4, tokens: 0.25 }, // Greek, Cyrillic
  { upTo: 0xd7, tokens: 0.5 }, // Hebrew, Armenian
  { upTo: 0xdf, tokens: 0.35 }, // Arabic
  { upTo: 0xe1, tokens: 0.42 }, // those of India, Thai, Georgian
  { upTo: 0xe2, tokens: 0.83 }, // dashes, quotes, arrows, boxes
  { upTo: 0xe9, tokens: 1 }, // Chinese, Japanese
  { upTo: 0xed, tokens: 0.81 }, // Korean
  { upTo: 0xff, tokens: 1.7 }, // emoji and the rest
];

interface Tables {
  readonly kinds: Uint8Array;
  /** The tokens that a kind adds after another one. The number of the earlier kind comes first. */
  readonly costs: Float64Array;
  readonly wide: Float64Array;
}

let tables: Tables | undefined;

/** Estimates the tokens of o200k_base by the kinds of characters: by a few percent for source and prose, up to a third for others. */
export const estimate: TokenCounter = {
  count: (text) => {
    tables ??= makeTables();
    const { kinds, costs, wide } = tables;
    let sum = 0;
    let run = 0;
    let before = REST as number;
    for (let i = 0; i < text.length; i++) {
      const byte = text[i] as number;
      const kind = kinds[byte] as number;
      sum += kind === WIDE ? (wide[byte] as number) : (costs[before * KINDS + kind] as number);
      if (kind <= CAPITAL) run++;
      else if (run > 0) {
        sum += tokensOfRun(run);
        run = 0;
      }
      before = kind === BLANK && (before === BLANK || before === BLANKS) ? BLANKS : kind;
    }
    if (run > 0) sum += tokensOfRun(run);
    return text.length === 0 ? 0 : Math.max(1, Math.round(sum));
  },
};

function makeTables(): Tables {
  return {
    kinds: Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte)),
    costs: Float64Array.from({ length: KINDS * KINDS }, (_, at) => costOf(Math.floor(at / KINDS), at % KINDS)),
    // Only first bytes of characters are looked up.
    wide: Float64Array.from({ length: 256 }, (_, byte) => SCRIPTS.find(({ upTo }) => byte <= upTo)?.tokens ?? 0),
  };
}

function costOf(before: number, kind: number): number {
  if (kind <= CAPITAL && before === DIGIT) return TOKENS_BEHIND_DIGIT;
  if (kind === CAPITAL && before === SMALL) return TOKENS_OF_CAPITAL;
  if (kind === BLANK && before === BLANKS) return 0;
  if (kind === SIGN && before === ESCAPE) return AGAIN[SIGN] as number;
  return (kind === before ? AGAIN : FIRST)[kind] as number;
}

function tokensOfRun(letters: number): number {
  return TOKENS_OF_WORD * (letters <= WORD ? 1 : letters / PER_WORD);
}

/** The tokenizer takes time quadratic in the longest run without a break. A longer run is counted in pieces. */
const MAX_RUN = 512;
const RUNS = new RegExp(`\\S{${MAX_RUN},}|\\s{${MAX_RUN},}`, 'g');

/** The encodings of OpenAI's models, without the `_base` behind their names. */
export const ENCODINGS = ['o200k', 'cl100k', 'p50k', 'r50k'] as const;
export type EncodingName = (typeof ENCODINGS)[number];

/** Counts with a real tokenizer, which takes up to a fifth of a second to load. */
export async function loadExactCounter(encoding: EncodingName = 'o200k'): Promise<TokenCounter> {
  const { countTokens } = await loadEncoding(encoding);
  // Without this it throws on a source that holds "<|endoftext|>".
  const options = { disallowedSpecial: new Set<string>() };
  return {
    count: (text) => {
      let total = 0;
      for (const piece of piecesOf(text.toString())) total += countTokens(piece, options);
      return total;
    },
  };
}

function loadEncoding(encoding: EncodingName) {
  switch (encoding) {
    case 'o200k':
      return import('gpt-tokenizer');
    case 'cl100k':
      return import('gpt-tokenizer/encoding/cl100k_base');
    case 'p50k':
      return import('gpt-tokenizer/encoding/p50k_base');
    case 'r50k':
      return import('gpt-tokenizer/encoding/r50k_base');
  }
}

function* piecesOf(text: string): Iterable<string> {
  let end = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (index > end) yield text.slice(end, index);
    end = index + run.length;
    for (let at = 0; at < run.length; at += MAX_RUN) yield run.slice(at, at + MAX_RUN);
  }
  yield text.slice(end);
}

/** It compares codes, because compiling regular expressions takes longer at the start of a process. */
function kindOf(byte: number): number {
  if (byte >= 0x80) return byte < 0xc0 ? REST : WIDE;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  if (isLetter) return byte >= 0x61 ? SMALL : CAPITAL;
  if (byte >= 0x30 && byte <= 0x39) return DIGIT;
  switch (byte) {
    case 0x5f: // _
      return SMALL;
    case 0x20:
    case 0x09:
      return BLANK;
    case 0x0a:
      return NEWLINE;
    case 0x5c: // backslash
      return ESCAPE;
    default:
      return SIGN;
  }
}
