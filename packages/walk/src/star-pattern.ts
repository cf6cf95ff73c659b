/** A pattern for a name, of literals and stars alone. Matching takes time linear in the name for each literal. */
export class StarPattern {
  readonly #first: string;
  readonly #last: string;
  readonly #middle: readonly string[];
  readonly #isLiteral: boolean;

  constructor(pattern: string) {
    const pieces = pattern.split(/\*+/);
    this.#first = pieces[0] ?? '';
    this.#last = pieces.at(-1) ?? '';
    this.#middle = pieces.slice(1, -1);
    this.#isLiteral = pieces.length === 1;
  }

  /** Whether a pattern has nothing but literals and stars. */
  static canBe(pattern: string): boolean {
    return !/[?[\\/]/.test(pattern);
  }

  matches(name: string): boolean {
    if (this.#isLiteral) return name === this.#first;
    const end = name.length - this.#last.length;
    let at = this.#first.length;
    if (at > end || !name.startsWith(this.#first) || !name.endsWith(this.#last)) return false;
    for (const piece of this.#middle) {
      const found = name.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  }
}
