import { isOneEditAway, MIN_MISSPELT } from '@jinn/core/errors';

const MAX_WORDS = 50;
/** Characters that are written without blanks, as in Chinese and Japanese. Fits regular expressions and GLOB. */
export const CJK = '\u2e80-\u{10ffff}';
const ONE_SCRIPT = new RegExp(`[${CJK}]+|[^${CJK}]+`, 'gu');
const MAX_SCANNED_WORD = 128;

interface TextSource {
  search(words: readonly QueryWord[]): Promise<readonly string[]>;
  texts(most: number): Promise<readonly unknown[]>;
}

interface SavedText {
  readonly key: string;
  readonly value: string;
}

const MOST_COMPARED = 5_000;

/** Searches texts, as Memory.list says. */
export async function searchTexts(query: string, { search, texts }: TextSource): Promise<readonly string[]> {
  const words = wordsOf(query);
  const found = words.length > 0 ? await search(words) : [];
  const misspelt = words
    .flatMap(({ word, parts }) => [word, ...parts])
    .filter((word) => word.length >= MIN_MISSPELT && word.length <= MAX_SCANNED_WORD);
  if (found.length > 0 || misspelt.length === 0) return found;
  const nearest = nearestWords(misspelt, (await texts(MOST_COMPARED)) as readonly SavedText[]);
  return nearest.length > 0 ? search(nearest) : [];
}

function nearestWords(misspelt: readonly string[], texts: readonly SavedText[]): QueryWord[] {
  const known = new Set(texts.flatMap(({ key, value }) => wordsOf(`${key} ${value}`, Infinity).flatMap(namesIn)));
  const nearest = [...known].filter((word) => misspelt.some((other) => isOneEditAway(word, other)));
  return nearest.slice(0, MAX_WORDS).map((word) => ({ word, parts: [] }));
}

// With adjacent parts in pairs: WebSocket is in useWebSocket, and is also written websocket.
function namesIn({ word, parts }: QueryWord): string[] {
  return [word, ...parts, ...parts.slice(1).map((part, i) => `${parts[i]}${part}`)];
}

const HUMP = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

/** A word in lower case, either all CJK or without CJK, and the parts of a name such as useWebSocket. */
export interface QueryWord {
  readonly word: string;
  readonly parts: readonly string[];
}

function wordsOf(text: string, most = MAX_WORDS): QueryWord[] {
  const words = new Map<string, QueryWord>();
  // V8 needs milliseconds to make this expression, and most calls search for no words.
  const runs = text.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? [];
  for (const name of runs.flatMap((run) => run.match(ONE_SCRIPT) ?? [])) {
    const word = name.toLowerCase();
    const parts = HUMP.test(name) ? name.split(HUMP).map((part) => part.toLowerCase()) : [];
    if (!words.get(word)?.parts.length) words.set(word, { word, parts });
    if (words.size === most) break;
  }
  return [...words.values()];
}

/** A shorter word is not looked for as a prefix: it would match too many words. */
const MIN_PREFIX = 3;

interface PhraseSyntax {
  word(word: string): string;
  start(word: string): string;
  readonly and: string;
}

/** Writes the phrases for an index: each word, words that start with it, and all parts of a name together. */
export function phrasesOf(words: readonly QueryWord[], { word, start, and }: PhraseSyntax): string[] {
  const startsWith = (part: string) => (part.length < MIN_PREFIX ? word(part) : start(part));
  return words.flatMap(({ word: whole, parts }) => [
    word(whole),
    ...(whole.length < MIN_PREFIX ? [] : [start(whole)]),
    ...(parts.length > 1 ? [parts.map(startsWith).join(and)] : []),
  ]);
}

interface TestSyntax<T> {
  characters(text: string): T;
  /** Makes the condition that a text has a word within a run of CJK, or within a name where the pattern matches. */
  within(word: string, hump: string | undefined): T;
}

const MAX_SCANS = 20;

/** Makes conditions for words that an index misses: to the index, a run of CJK and useWebSocket are one word each. */
export function testsOf<T>(words: readonly QueryWord[], { characters, within }: TestSyntax<T>): T[] {
  const tests = words.flatMap(({ word }) => {
    if (word >= '\u2e80') return pairsOf(word).map(characters);
    return word.length < MIN_PREFIX || word.length > MAX_SCANNED_WORD ? [] : [within(word, humpOf(word))];
  });
  return tests.slice(0, MAX_SCANS);
}

function pairsOf(word: string): string[] {
  const characters = [...word];
  return characters.length === 1 ? characters : characters.slice(1).map((next, i) => `${characters[i]}${next}`);
}

// The pattern for a word that starts with a capital inside a name, for GLOB and regular expressions: `[A-Za-z0-9]S[oO][cC][kK][eE][tT]`.
function humpOf(word: string): string | undefined {
  if (!/^[a-z][a-z0-9]*$/.test(word)) return undefined;
  const rest = [...word.slice(1)].map((char) => (/\d/.test(char) ? char : `[${char}${char.toUpperCase()}]`));
  return `[A-Za-z0-9]${word.charAt(0).toUpperCase()}${rest.join('')}`;
}
