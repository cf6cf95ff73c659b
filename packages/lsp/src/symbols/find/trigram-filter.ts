const LEAST_BITS = 512;
/** The number of trigrams of the characters that names are made of: larger filters would be no better. */
const MOST_BITS = 65_536;
/** An odd number that spreads similar trigrams. */
const SPREAD = 40_503;
const CLASSES = classesOfBytes();

/** Returns a number for each byte that a name may hold, the same for both cases of a letter; 0 for any other byte. */
function classesOfBytes(): Uint8Array {
  const classes = new Uint8Array(256);
  for (const [i, char] of [...'abcdefghijklmnopqrstuvwxyz0123456789_$'].entries()) {
    classes[char.charCodeAt(0)] = i + 1;
    classes[char.toUpperCase().charCodeAt(0)] = i + 1;
  }
  return classes;
}

/**
 * A filter for the content of a file, in an eighth of its size: the runs of three letters, digits, `_` and `$` in it.
 * It proves for most files that a word is not in them, so that they need not be read again.
 */
export class TrigramFilter {
  readonly #bits: Uint8Array;

  constructor(content: Uint8Array) {
    let size = LEAST_BITS;
    while (size < content.length && size < MOST_BITS) size *= 2;
    this.#bits = new Uint8Array(size / 8);
    const bits = this.#bits;
    const mask = size - 1;
    let [first, second] = [0, 0];
    for (let i = 0; i < content.length; i++) {
      const third = CLASSES[content[i] as number] as number;
      if (first !== 0 && second !== 0 && third !== 0) {
        const bit = hash(first, second, third) & mask;
        bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
      }
      first = second;
      second = third;
    }
  }

  /**
   * Reports whether the content may hold all of the trigrams; false if some are certainly missing, in either case of
   * its letters.
   */
  mayHold(trigrams: readonly number[]): boolean {
    const mask = this.#bits.length * 8 - 1;
    for (const trigram of trigrams) {
      const bit = trigram & mask;
      if (((this.#bits[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

function hash(first: number, second: number, third: number): number {
  return (((first * 39 + second) * 39 + third) * SPREAD) >>> 4;
}

/** Returns the trigrams that must be in the text of a file that declares a name path, or a part of one. */
export function trigramsOf(path: string): number[] {
  const words = path.replace(/\[\d+\]$/, '').match(/[\w$]+/g) ?? [];
  return words.flatMap((word) => {
    const classes = Array.from(word, (char) => CLASSES[char.charCodeAt(0)] ?? 0);
    return classes.slice(2).map((third, i) => hash(classes[i] as number, classes[i + 1] as number, third));
  });
}
