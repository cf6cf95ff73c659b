const NEWLINE = 10;

/** A run of lines of a content, each as a number; equal lines have equal numbers. */
export interface NumberedLines {
  readonly numbers: Int32Array;
  /** Where each line begins; one more element for the end. */
  readonly starts: Int32Array;
}

/** A part of a content that begins at a line. */
export interface Part {
  readonly content: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Numbers the lines of two parts, by their bytes, in one pass. Holds offsets only. */
export function numberLines(a: Part, b: Part): [NumberedLines, NumberedLines] {
  const [first, second] = [lineStarts(a), lineStarts(b)];
  const table = new LineTable(first.length + second.length);
  return [
    { numbers: table.numbersOf(a.content, first), starts: first },
    { numbers: table.numbersOf(b.content, second), starts: second },
  ];
}

/** The number of lines in a part; a last line without a newline counts. */
export function countLines({ content, start, end }: Part): number {
  let count = 0;
  for (let at = start; at < end; count++) {
    const newline = content.indexOf(NEWLINE, at);
    at = newline < 0 ? end : newline + 1;
  }
  return count;
}

/** Where each line of a part begins; one more element for the end. */
export function lineStarts(part: Part): Int32Array {
  const starts = new Int32Array(countLines(part) + 1);
  let at = part.start;
  for (let line = 0; line < starts.length - 1; line++) {
    starts[line] = at;
    at = part.content.indexOf(NEWLINE, at) + 1;
  }
  starts[starts.length - 1] = part.end;
  return starts;
}

/** A hash table of lines, with open addressing: a Map would hold a string for each line. */
class LineTable {
  readonly #slots: Int32Array;
  /** For each number, one line that has it. */
  readonly #contents: Buffer[] = [];
  readonly #ranges: Int32Array;
  #count = 0;

  constructor(lines: number) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * lines + 2))).fill(-1);
    this.#ranges = new Int32Array(2 * lines);
  }

  numbersOf(content: Buffer, starts: Int32Array): Int32Array {
    const source = this.#contents.push(content) - 1;
    const numbers = new Int32Array(starts.length - 1);
    const firstOfSource = this.#count;
    for (let line = 0; line < numbers.length; line++) {
      const [start, end] = [starts[line] as number, starts[line + 1] as number];
      numbers[line] = this.#numberOf(content, start, end, source === 0 ? Number.MAX_SAFE_INTEGER : firstOfSource);
    }
    return numbers;
  }

  /** Numbers below `firstOfSecond` are of lines in the first content. */
  #numberOf(content: Buffer, start: number, end: number, firstOfSecond: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(content, start, end) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      if (number < 0) {
        this.#slots[slot] = this.#count;
        this.#ranges.set([start, end], 2 * this.#count);
        return this.#count++;
      }
      const known = this.#contents[number < firstOfSecond ? 0 : 1] as Buffer;
      const [from, to] = [this.#ranges[2 * number] as number, this.#ranges[2 * number + 1] as number];
      if (to - from === end - start && content.compare(known, from, to, start, end) === 0) return number;
    }
  }
}

/** FNV-1a, with a last stir for the lower bits. */
function hashOf(content: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (content[at] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}
