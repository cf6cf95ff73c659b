import { isAscii, isUtf8 } from 'node:buffer';

/** Maps UTF-16 units of the parsed text to bytes of the file. */
export interface SourceText {
  readonly text: string;
  toByte(unit: number): number;
}

/**
 * Decodes content: UTF-8 is read as such, and any other text a character a byte, since the syntax of all languages is
 * ASCII. A byte order mark is a character of the text.
 */
export function toSourceText(content: Buffer): SourceText {
  if (isAscii(content) || !isUtf8(content)) {
    return { text: content.toString('latin1'), toByte: (unit) => unit };
  }
  const text = content.toString('utf8');
  let places: Places | undefined;
  return {
    text,
    toByte: (unit) => {
      places ??= findPlaces(text);
      return toByte(places, unit);
    },
  };
}

interface Places {
  readonly units: readonly number[];
  /** How many more bytes than units there are up to and including each. */
  readonly surplus: readonly number[];
}

function findPlaces(text: string): Places {
  const units: number[] = [];
  const surplus: number[] = [];
  let more = 0;
  for (const { 0: run, index } of text.matchAll(/[^\0-\x7f]+/g)) {
    for (let i = 0; i < run.length; i++) {
      more += lengthOf(run.charCodeAt(i)) - 1;
      units.push(index + i);
      surplus.push(more);
    }
  }
  return { units, surplus };
}

function toByte({ units, surplus }: Places, unit: number): number {
  let low = 0;
  let high = units.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((units[middle] as number) < unit) low = middle + 1;
    else high = middle;
  }
  return unit + (low === 0 ? 0 : (surplus[low - 1] as number));
}

function lengthOf(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  // Valid UTF-8 has surrogates only in pairs, which take four bytes.
  return unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
}
