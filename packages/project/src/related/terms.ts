const ASCII = {
  only: /^[\0-\x7f]*$/,
  word: /[A-Za-z0-9]+(?:\+\+|#)?/g,
  part: /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/,
};
/** Made when needed: preparing Unicode classes takes the engine a millisecond, and most texts do not need them. */
const toUnicode = () => ({
  word: /[\p{L}\p{N}]+(?:\+\+|#)?/gu,
  part: /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u,
});
/** From U+2E80 on, letters are written without blanks, as in Chinese and Japanese. */
const ONE_SCRIPT = /[\u2e80-\u{10ffff}]+|[^\u2e80-\u{10ffff}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;
const MAX_WORD = 40;
/** The most words whose terms are kept. */
const MAX_KNOWN = 50_000;
const STOP_WORDS = new Set(
  `a an and any are as at be been but by can could do does for from get gets had has have how i if in into is it its just me my
   no not of on or our please should so some than that the their them then there these they this to up us use was we were
   what when where which while who why will with would you your`.split(/\s+/),
);
const SAME: ReadonlyMap<string, string> = new Map([
  ['golang', 'go'],
  ['postgresql', 'postgres'],
  ['k8s', 'kubernetes'],
  ['js', 'javascript'],
  ['ts', 'typescript'],
  ['py', 'python'],
]);

interface Ending {
  readonly text: string;
  /** The number of letters that must come before the ending. */
  readonly least: number;
  readonly becomes?: string;
}

const ENDINGS: readonly Ending[] = [
  { text: 'mentation', least: 4 },
  { text: 'ization', least: 2, becomes: 'iz' },
  { text: 'uration', least: 4, becomes: 'ur' },
  { text: 'llation', least: 3, becomes: 'll' },
  { text: 'rmation', least: 3, becomes: 'rm' },
  { text: 'ied', least: 2, becomes: 'y' },
  { text: 'ing', least: 3 },
  { text: 'ed', least: 3 },
  { text: 'ion', least: 4 },
  { text: 'ment', least: 4 },
];
/** Letters that are doubled before an ending. */
const DOUBLED = 'bdfgmnprt';
/** Endings of words that are not plurals. */
const KEPT = ['ss', 'us', 'is'];
/** Plurals in `es`. */
const HISSING = ['xes', 'ches', 'shes', 'sses'];

/** A word in lower case, and the term for all its forms. */
export interface Term {
  readonly word: string;
  readonly term: string;
}

function wordsOf(text: string, { parts }: { parts: boolean }): string[] {
  const isAscii = ASCII.only.test(text);
  if (isAscii) return (text.match(ASCII.word) ?? []).flatMap((word) => splitAscii(word, parts));
  const patterns = toUnicode();
  const words: string[] = [];
  for (const word of text.normalize('NFKC').match(patterns.word) ?? []) {
    if (word.length <= MAX_WORD) words.push(word.toLowerCase());
    const pieces = parts ? word.split(patterns.part) : [];
    const all = [...pieces.flatMap(withPairs), ...neighbours(pieces)];
    if (all.length > 1) for (const piece of all) words.push(piece.toLowerCase());
  }
  return words;
}

function splitAscii(word: string, parts: boolean): string[] {
  if (word.length > MAX_WORD) return [];
  const lower = word.toLowerCase();
  // A capital that is not the first letter is what parts are split at.
  const pieces = parts && word.slice(1) !== lower.slice(1) ? word.split(ASCII.part) : [];
  return pieces.length > 1
    ? [lower, ...[...pieces, ...neighbours(pieces)].map((piece) => piece.toLowerCase())]
    : [lower];
}

/** WebSocket is in useWebSocket, and is also written websocket. */
function neighbours(pieces: readonly string[]): string[] {
  return pieces.length > 2 ? pieces.slice(1).map((piece, i) => `${pieces[i]}${piece}`) : [];
}

function withPairs(part: string): string[] {
  return (part.match(ONE_SCRIPT) ?? []).flatMap((run) => {
    const letters = run >= '\u2e80' ? [...run] : [];
    return letters.length > 2 ? letters.slice(1).map((next, i) => `${letters[i]}${next}`) : [run];
  });
}

export type KnownTerms = Map<string, readonly Term[]>;

interface TermOptions {
  /** Saves the work on the words of other texts. */
  readonly known?: KnownTerms;
  /** True if a word that comes again may be omitted. */
  readonly isSet?: boolean;
}

/** Returns the terms of a text, in order, without stop words. */
export function termsOf(text: string, { known = new Map(), isSet = false }: TermOptions = {}): Term[] {
  const terms: Term[] = [];
  if (!ASCII.only.test(text)) return toTerms(wordsOf(text, { parts: true }), plainFor(text));
  const words = text.match(ASCII.word) ?? [];
  for (const word of isSet ? new Set(words) : words) {
    let found = known.get(word);
    if (!found) {
      found = toTerms(splitAscii(word, true), (one) => one);
      if (known.size < MAX_KNOWN) known.set(word, found);
    }
    for (const term of found) terms.push(term);
  }
  return terms;
}

function toTerms(words: readonly string[], plain: (word: string) => string): Term[] {
  return words.filter((word) => !STOP_WORDS.has(word)).map((word) => ({ word, term: toTerm(plain(word)) }));
}

/** Returns the words of a text with one blank around each, in which a name can be searched. */
export function spaced(text: string): string {
  return ` ${wordsOf(text, { parts: false }).map(plainFor(text)).join(' ')} `;
}

function plainFor(text: string): (word: string) => string {
  if (ASCII.only.test(text)) return (word) => word;
  return (word) => word.normalize('NFD').replace(ACCENTS, '');
}

/** Returns one spelling for a word, its plural, its simple verb forms and their nouns, by the rules of English. */
function toTerm(word: string): string {
  const single = singular(SAME.get(word) ?? word);
  const ending = ENDINGS.find(({ text, least }) => single.endsWith(text) && single.length - text.length >= least);
  if (ending) return withoutTwin(single.slice(0, -ending.text.length)) + (ending.becomes ?? '');
  return single.length > 3 && single.endsWith('e') ? single.slice(0, -1) : single;
}

/** Removes a doubled letter at the end: `run` from `runn`. */
function withoutTwin(stem: string): string {
  const last = stem.at(-1) as string;
  return stem.at(-2) === last && DOUBLED.includes(last) ? stem.slice(0, -1) : stem;
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || KEPT.some((ending) => word.endsWith(ending))) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return HISSING.some((ending) => word.endsWith(ending)) ? word.slice(0, -2) : word.slice(0, -1);
}
