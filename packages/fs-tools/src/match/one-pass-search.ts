/**
 * Finds the positions of a sequence in another one, in order; they may overlap. The search of Knuth, Morris and Pratt: linear,
 * whatever the sequences are. Stops after `most` places. `wanted` must not be empty.
 */
export function findInOnePass(
  text: ArrayLike<number>,
  wanted: ArrayLike<number>,
  most = Number.POSITIVE_INFINITY,
): number[] {
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let i = 0; i < text.length && found.length < most; i++) {
    matched = advance(wanted, borders, matched, text[i] as number);
    if (matched < wanted.length) continue;
    found.push(i + 1 - matched);
    matched = borders[matched - 1] as number;
  }
  return found;
}

/** Returns, for each prefix, the length of its longest proper prefix that it also ends with. */
function bordersOf(wanted: ArrayLike<number>): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let i = 1; i < wanted.length; i++) {
    borders[i] = advance(wanted, borders, borders[i - 1] as number, wanted[i] as number);
  }
  return borders;
}

function advance(wanted: ArrayLike<number>, borders: Int32Array, matched: number, next: number): number {
  let length = matched === wanted.length ? (borders[matched - 1] as number) : matched;
  while (length > 0 && wanted[length] !== next) length = borders[length - 1] as number;
  return wanted[length] === next ? length + 1 : length;
}
