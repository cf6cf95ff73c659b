/** Counts tokens of text. */
export interface TokenCounter {
  /** Takes a whole text, or one of its chunks, as UTF-8. */
  count(text: Buffer): number;
}

/** A run of letters is one token up to so many characters, and one for every 5.2 beyond. */
const WORD = 8;
const PER_TOKEN = 5.2;
const [LETTER, DIGIT, BLANK, NEWLINE, SIGN, LEAD, NONE] = [0, 1, 2, 3, 4, 5, 6];
/** What one byte of each kind adds; a letter's part is counted by its run. */
const WEIGHTS = Float64Array.of(0, 0.4, 0.04, 0.55, 0.62, 0.9, 0);
let kinds: Uint8Array | undefined;

/**
 * Estimates the tokens of o200k_base from the kinds of characters: about 1 % off in a project, a few percent in a file,
 * and many times as fast as counting.
 */
export const estimate: TokenCounter = {
  count: (text) => {
    kinds ??= Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));
    const counts = new Float64Array(7);
    let words = 0;
    let run = 0;
    for (let i = 0; i < text.length; i++) {
      const kind = kinds[text[i] as number] as number;
      if (kind === LETTER) run++;
      else {
        if (run > 0) words += run <= WORD ? 1 : run / PER_TOKEN;
        run = 0;
        (counts[kind] as number)++;
      }
    }
    if (run > 0) words += run <= WORD ? 1 : run / PER_TOKEN;
    let sum = words;
    for (let kind = 0; kind < counts.length; kind++) sum += (counts[kind] as number) * (WEIGHTS[kind] as number);
    return Math.round(sum);
  },
};

/** The time of the tokenizer is the square of the longest run without a break; a longer one is counted in pieces. */
const MAX_RUN = 512;
const RUNS = new RegExp(`\\S{${MAX_RUN},}|\\s{${MAX_RUN},}`, 'g');

/** Counts with the real tokenizer of o200k_base, which takes a fifth of a second to load. */
export async function loadExactCounter(): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer');
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

function* piecesOf(text: string): Iterable<string> {
  let end = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (index > end) yield text.slice(end, index);
    end = index + run.length;
    for (let at = 0; at < run.length; at += MAX_RUN) yield run.slice(at, at + MAX_RUN);
  }
  yield text.slice(end);
}

function kindOf(byte: number): number {
  if (byte >= 0xc0) return LEAD;
  if (byte >= 0x80) return NONE;
  const char = String.fromCharCode(byte);
  if (/[a-z_]/i.test(char)) return LETTER;
  if (/\d/.test(char)) return DIGIT;
  if (char === ' ' || char === '\t') return BLANK;
  return char === '\n' ? NEWLINE : SIGN;
}
