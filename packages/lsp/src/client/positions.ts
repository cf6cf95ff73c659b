import type { Position, Range } from 'vscode-languageserver-protocol';

/** The units in which a server counts within a line. */
export type Encoding = 'utf-8' | 'utf-16' | 'utf-32';

/** A position for agents: both numbers from 1, `character` in characters (code points) of the line. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface PlaceRange {
  readonly start: Place;
  readonly end: Place;
}

const ASCII = /^[\0-\x7f]*$/;
const LINE_END = /\r\n|[\n\r]/;
/** Characters that some servers count as ends of lines, too, although the protocol does not. */
const SEPARATOR = /[\u2028\u2029]/;
/** The ends of lines of a server that counts separators. */
export const ANY_LINE_END = new RegExp(`${LINE_END.source}|${SEPARATOR.source}`);

/** A text by its lines. A line ends at \n, \r\n or a lone \r, as the protocol says. */
export class Lines {
  readonly text: string;
  readonly #starts: readonly number[];
  /** The starts of the lines as the server counts them. */
  readonly #served: readonly number[];

  /**
   * Finds the lines. With `countsSeparators`, positions are those of a server that counts U+2028 and U+2029 as ends of
   * lines.
   */
  constructor(text: string, countsSeparators = false) {
    this.text = text;
    this.#starts = startsOf(text, LINE_END);
    this.#served = countsSeparators && SEPARATOR.test(text) ? startsOf(text, ANY_LINE_END) : this.#starts;
  }

  /** True if the server counts more lines than the protocol does. */
  get isCountedOtherwise(): boolean {
    return this.#served !== this.#starts;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns a line by its number from 0, without its end; undefined if there is none. */
  line(number: number): string | undefined {
    return this.#lineOf(this.#starts, number);
  }

  /** Returns the index in the text of a server's position; undefined if it does not lie in the text. */
  offsetOf({ line, character }: Position, encoding: Encoding): number | undefined {
    if (line === this.#served.length && character === 0) return this.text.length; // Many servers write the end of the text this way.
    const content = this.#lineOf(this.#served, line);
    const index = content === undefined ? undefined : toIndex(content, character, encoding);
    return index === undefined ? undefined : (this.#served[line] as number) + index;
  }

  /** Converts a server's position to an agent's place. A character beyond the line's end is its end. */
  placeOf({ line, character }: Position, encoding: Encoding): Place {
    const content = this.#lineOf(this.#served, line) ?? '';
    const index = toIndex(content, character, encoding) ?? content.length;
    const own = this.isCountedOtherwise ? lineAt(this.#starts, this.#served[line] ?? this.text.length) : line;
    const before = own === line ? '' : this.text.slice(this.#starts[own], this.#served[line]);
    return { line: own + 1, character: countCharacters(before + content.slice(0, index)) + 1 };
  }

  placesOf({ start, end }: Range, encoding: Encoding): PlaceRange {
    return { start: this.placeOf(start, encoding), end: this.placeOf(end, encoding) };
  }

  /** Converts an agent's place to a server's position; undefined if it does not lie in the text. */
  positionOf({ line, character }: Place, encoding: Encoding): Position | undefined {
    const content = this.line(line - 1);
    const index = content === undefined ? undefined : indexOfCharacter(content, character - 1);
    if (content === undefined || index === undefined) return undefined;
    if (!this.isCountedOtherwise) return { line: line - 1, character: toUnits(content.slice(0, index), encoding) };
    const offset = (this.#starts[line - 1] as number) + index;
    const served = lineAt(this.#served, offset);
    return { line: served, character: toUnits(this.text.slice(this.#served[served], offset), encoding) };
  }

  #lineOf(starts: readonly number[], number: number): string | undefined {
    const start = starts[number];
    if (start === undefined) return undefined;
    const next = starts[number + 1] ?? this.text.length;
    let end = next;
    if (number + 1 < starts.length) end -= this.text[end - 1] === '\n' && this.text[end - 2] === '\r' ? 2 : 1;
    return this.text.slice(start, Math.max(start, end));
  }
}

function startsOf(text: string, lineEnd: RegExp): number[] {
  const starts = [0];
  const end = new RegExp(lineEnd, 'g');
  while (end.exec(text)) starts.push(end.lastIndex);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the index in `line` after `units` of the encoding; undefined if beyond its end or within a character. */
function toIndex(line: string, units: number, encoding: Encoding): number | undefined {
  if (ASCII.test(line)) return units <= line.length ? units : undefined;
  if (encoding === 'utf-16') {
    if (units > line.length) return undefined;
    return isLow(line.charCodeAt(units)) && isHigh(line.charCodeAt(units - 1)) ? undefined : units;
  }
  let left = units;
  let index = 0;
  for (const character of line) {
    if (left <= 0) break;
    left -= encoding === 'utf-32' ? 1 : Buffer.byteLength(character);
    index += character.length;
  }
  return left === 0 ? index : undefined;
}

function toUnits(head: string, encoding: Encoding): number {
  if (encoding === 'utf-16') return head.length;
  return encoding === 'utf-8' ? Buffer.byteLength(head) : countCharacters(head);
}

function indexOfCharacter(line: string, count: number): number | undefined {
  return toIndex(line, count, 'utf-32');
}

export function countCharacters(text: string): number {
  if (ASCII.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
