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
  readonly #allowed: number;
  #left: number;
  #depth = 0;

  constructor(length: number) {
    this.#allowed = (length + 100) * STEPS_PER_CHARACTER;
    this.#left = this.#allowed;
  }

  get spent(): number {
    return this.#allowed - this.#left;
  }

  /** Throws Unparsable when too much has been done. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Unparsable('limit', 'too involved to vouch for');
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
