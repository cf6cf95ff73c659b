const SEARCHED = 256 * 1024;
const MOST_TERMS = 12;
/** Words that do not help to find anything. */
const STOP_WORDS = new Set(
  `a an and any are as at be been bug but by can could do does explain find fix for from get gets had has have how i if in into is
  issue it its just me my new no not of off on one only or our out please problem run runs should show so some than that the their
  them then there these they this through to twice two up us use used was we were what when where which while who why will with
  would wrong you your`.split(/\s+/),
);
const ENDINGS = /(?:ations?|ing|ed|ies|es|s)$/;
const LEAST_STEM = 4;

/** The words of a reader's request, and how often files have them. */
export class FocusTerms {
  readonly text: string;
  readonly terms: readonly string[];
  readonly names: readonly string[];
  readonly counts = new Map<string, readonly number[]>();
  readonly #pattern: RegExp | undefined;

  constructor(text: string) {
    this.text = text.trim();
    const words = this.text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
    this.names = words.filter((word) => word.length >= LEAST_STEM && !STOP_WORDS.has(word.toLowerCase()));
    const parts = words.flatMap((word) => splitName(word)).filter((part) => part.length > 1 && !STOP_WORDS.has(part));
    this.terms = [...new Set(parts.map(stemOf))].slice(0, MOST_TERMS);
    this.#pattern = this.terms.length > 0 ? new RegExp(this.terms.join('|'), 'gi') : undefined;
  }

  count(path: string, content: Buffer): void {
    if (!this.#pattern) return;
    const counts = this.terms.map(() => 0);
    let isFound = false;
    for (const [found] of content.toString('utf8', 0, SEARCHED).matchAll(this.#pattern)) {
      const at = this.terms.indexOf(found.toLowerCase());
      if (at >= 0) counts[at] = (counts[at] as number) + 1;
      isFound = true;
    }
    if (isFound) this.counts.set(path, counts);
  }
}

/** Splits a name at its capitals and signs, in small letters. */
export function splitName(name: string): string[] {
  return name
    .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((part) => part.toLowerCase());
}

/** Drops the ending of a word, if enough of it is left. */
export function stemOf(word: string): string {
  const stem = word.replace(ENDINGS, '');
  return stem.length >= LEAST_STEM ? stem : word;
}
