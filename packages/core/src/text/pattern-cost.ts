/** The parts of a pattern in the syntax of JavaScript with the flag `u`. */
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[1-9]\d*|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]*>)|[()|]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??$/;
const LOOK_AROUND = /^\(\?<?[=!]/;
const REFERENCE = /^\\(?:[1-9]|k<)/;
/** With the flag `v`, a class may have others in it. An escaped character stands for itself. */
const INNER_CLASS = /\\.|\[(?:\\.|[^[\]\\])*\]/gsu;

/** A part can match at one position of a text in at most `factor` × (length + 1) ^ `degree` ways. */
interface Part {
  readonly factor: number;
  readonly degree: number;
  readonly size: number;
  /** The most atoms that are tried, without the power: less than `size` × `factor` for alternatives. */
  readonly tried?: number;
}

const NOTHING: Part = { factor: 1, degree: 0, size: 0 };
const ATOM: Part = { factor: 1, degree: 0, size: 1 };
/** A reference to a group: comparing the text takes time in its length. */
const REPEATED_TEXT: Part = { factor: 1, degree: 1, size: 1 };

class UnknownCost extends Error {}

/**
 * Returns the most steps in which JavaScript searches a text for a valid pattern, as a function of the length of the
 * text. It is Infinity if a part that can match in several ways is repeated.
 */
export function stepsOf(pattern: string, flag: 'u' | 'v'): (length: number) => number {
  try {
    const plain = flag === 'v' ? withPlainClasses(pattern) : pattern;
    const parser = new Parser(plain.match(TOKEN) ?? []);
    const { factor, degree, size } = parser.pattern();
    const power = parser.isAnchored ? degree : degree + 1;
    return (length) => (size + 1) * factor * (length + 1) ** power + length;
  } catch (error) {
    // Groups may be nested deeper than the stack holds.
    if (!(error instanceof UnknownCost || error instanceof RangeError)) throw error;
    return () => Number.POSITIVE_INFINITY;
  }
}

function withPlainClasses(pattern: string): string {
  const outer = pattern.replace(INNER_CLASS, (token) => (token.startsWith('[') ? '.' : token));
  return outer === pattern ? pattern : withPlainClasses(outer);
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  readonly isAnchored: boolean;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
    this.isAnchored = tokens[0] === '^' && !tokens.includes('|');
  }

  pattern(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#tokens.length) throw new UnknownCost();
    return part;
  }

  #alternatives(): Required<Part> {
    let sum: Part = this.#sequence();
    let tried = sum.size * sum.factor;
    while (this.#tokens[this.#at] === '|') {
      this.#at++;
      const next = this.#sequence();
      tried += next.size * next.factor;
      const degree = Math.max(sum.degree, next.degree);
      sum = { factor: sum.factor + next.factor, degree, size: sum.size + next.size };
    }
    return { ...sum, tried };
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
    if (QUANTIFIER.test(token)) throw new UnknownCost();
    if (REFERENCE.test(token)) return REPEATED_TEXT;
    if (!token.startsWith('(')) return ATOM;
    const part = this.#alternatives();
    if (this.#tokens[this.#at++] !== ')') throw new UnknownCost();
    // Backtracking does not enter a look-around that has matched.
    return LOOK_AROUND.test(token) ? { factor: 1, degree: part.degree, size: part.tried } : part;
  }

  #repeated(part: Part): Part {
    const token = this.#tokens[this.#at] ?? '';
    const counts = countsOf(token);
    if (!counts) return part;
    this.#at++;
    const [min, max] = counts;
    const { factor, degree, size } = part;
    if (max === 0) return NOTHING;
    if (max === 1) return { factor: factor + 1 - min, degree, size };
    if (factor > 1 || degree > 0) throw new UnknownCost();
    if (max === undefined) return { factor: 1, degree: 1, size: size * Math.max(1, min) };
    return { factor: max - min + 1, degree: 0, size: size * max };
  }
}

function countsOf(token: string): readonly [min: number, max: number | undefined] | undefined {
  const [quantifier, least, comma, most] = QUANTIFIER.exec(token) ?? [];
  if (quantifier === undefined) return undefined;
  if (least === undefined) return [token.startsWith('+') ? 1 : 0, token.startsWith('?') ? 1 : undefined];
  if (comma === '') return [Number(least), Number(least)];
  return [Number(least), most === '' ? undefined : Number(most)];
}
