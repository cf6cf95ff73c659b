/** The parts of a pattern in the syntax of JavaScript with the flag `u`. */
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?::|<[^=!>]*>)|[()|]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??$/;
/** A reference to a group, which may match a text of any length. */
const REFERENCE = /^\\[1-9k]$/;

/** In how many ways a part can match at one position of a text: at most `factor` × (length + 1) ^ `degree`. */
interface Part {
  readonly factor: number;
  readonly degree: number;
  /** The number of its atoms, with repetitions multiplied out. */
  readonly size: number;
}

const NOTHING: Part = { factor: 1, degree: 0, size: 0 };
const ATOM: Part = { factor: 1, degree: 0, size: 1 };

/** What makes it unknown how long a pattern takes. */
class Unknown extends Error {}

/**
 * Returns a function that gives the most steps in which JavaScript tests a text of some length. It is Infinity for a pattern
 * with repetition of what can match in several ways, look-around or references. The pattern must be valid with the flag `u`.
 */
export function stepsOf(pattern: string): (length: number) => number {
  try {
    const parser = new Parser(pattern.match(TOKEN) ?? []);
    const { factor, degree, size } = parser.pattern();
    const power = parser.isAnchored ? degree : degree + 1;
    return (length) => (size + 1) * factor * (length + 1) ** power + length;
  } catch (error) {
    // Groups may be nested deeper than the stack holds.
    if (!(error instanceof Unknown || error instanceof RangeError)) throw error;
    return () => Number.POSITIVE_INFINITY;
  }
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  /** True if the pattern can match at the start of a text alone. */
  readonly isAnchored: boolean;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
    this.isAnchored = tokens[0] === '^' && !tokens.includes('|');
  }

  pattern(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#tokens.length) throw new Unknown();
    return part;
  }

  #alternatives(): Part {
    let sum = this.#sequence();
    while (this.#tokens[this.#at] === '|') {
      this.#at++;
      const next = this.#sequence();
      const degree = Math.max(sum.degree, next.degree);
      sum = { factor: sum.factor + next.factor, degree, size: sum.size + next.size };
    }
    return sum;
  }

  #sequence(): Part {
    let product = NOTHING;
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token === '|' || token === ')') break;
      const { factor, degree, size } = this.#repeated(this.#atom(token));
      product = { factor: product.factor * factor, degree: product.degree + degree, size: product.size + size };
    }
    return product;
  }

  #atom(token: string): Part {
    this.#at++;
    // A quantifier without an atom is what follows `(` in look-around.
    if (QUANTIFIER.test(token) || REFERENCE.test(token)) throw new Unknown();
    if (token !== '(' && !token.startsWith('(?')) return ATOM;
    const part = this.#alternatives();
    if (this.#tokens[this.#at++] !== ')') throw new Unknown();
    return part;
  }

  #repeated(part: Part): Part {
    const token = this.#tokens[this.#at] ?? '';
    const [quantifier, least = token.startsWith('+') ? '1' : '0', comma] = QUANTIFIER.exec(token) ?? [];
    if (quantifier === undefined) return part;
    this.#at++;
    const { factor, degree, size } = part;
    if (quantifier.startsWith('?')) return { factor: factor + 1, degree, size };
    if (factor > 1 || degree > 0) throw new Unknown();
    const all = size * Math.max(1, Number(least));
    return comma === '' ? { factor, degree, size: all } : { factor: 2, degree: 1, size: all };
  }
}
