const MAX_DEPTH = 150;
const STEPS_PER_CHARACTER = 60;

/** Thrown at text that bash would reject (`syntax`), and at text that costs more than one command may (`limit`). */
export class Unparsable extends Error {
  readonly kind: 'syntax' | 'limit';

  constructor(kind: 'syntax' | 'limit', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Keeps the work on one command linear in its length, and the stack shallow. */
export class Limits {
  #left: number;
  #depth = 0;

  constructor(length: number) {
    this.#left = (length + 100) * STEPS_PER_CHARACTER;
  }

  /** Throws Unparsable when too much has been done. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Unparsable('limit', 'too involved to vouch for');
  }

  /**
   * The parser looks through all waiting here-documents for each further one, and reads nested parameters again and
   * again.
   */
  spendOn(text: string): void {
    const documents = text.includes('<<') ? text.split('<<').length : 0;
    this.spend(2 * text.length * (1 + depthOfParameters(text)) + documents ** 2 / 64);
  }

  /** Runs `body` one level deeper; throws Unparsable when that is too deep. */
  deeper<T>(body: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new Unparsable('limit', 'nested too deeply to vouch for');
    try {
      return body();
    } finally {
      this.#depth--;
    }
  }
}

/** Returns how deep `${` stands in others, or more: what quotes are around them does not count. */
function depthOfParameters(text: string): number {
  if (!text.includes('${')) return 0;
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/\$\{|\}/g)) {
    depth = Math.max(0, depth + (mark === '}' ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
