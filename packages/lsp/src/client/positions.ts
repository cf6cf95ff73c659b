import type { Position, Range } from 'vscode-languageserver-protocol';

/** What a server counts within a line. */
export type Encoding = 'utf-8' | 'utf-16' | 'utf-32';

/** A position as agents see it: both from 1, `character` in characters (code points) of the line. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface PlaceRange {
  readonly start: Place;
  readonly end: Place;
}

const ASCII = /^[\0-\x7f]*$/;

/** A text by its lines. A line ends at \n, \r\n or a lone \r, as the protocol says. */
export class Lines {
  readonly text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    const end = /\r\n|\n|\r/g;
    while (end.exec(text)) this.#starts.push(end.lastIndex);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns a line by its number from 0, without its end; undefined if there is none. */
  line(number: number): string | undefined {
    const start = this.#starts[number];
    if (start === undefined) return undefined;
    const next = this.#starts[number + 1] ?? this.text.length;
    let end = next;
    if (number + 1 < this.count) end -= this.text[end - 1] === '\n' && this.text[end - 2] === '\r' ? 2 : 1;
    return this.text.slice(start, Math.max(start, end));
  }

  /** Returns the index in the text of a server's position; undefined if it does not lie in the text. */
  offsetOf({ line, character }: Position, encoding: Encoding): number | undefined {
    if (line === this.count && character === 0) return this.text.length; // How many servers say "the end".
    const content = this.line(line);
    const index = content === undefined ? undefined : toIndex(content, character, encoding);
    return index === undefined ? undefined : (this.#starts[line] as number) + index;
  }

  /** Converts a server's position to an agent's place. A character beyond the line's end is its end. */
  placeOf({ line, character }: Position, encoding: Encoding): Place {
    const content = this.line(line) ?? '';
    const index = toIndex(content, character, encoding) ?? content.length;
    return { line: line + 1, character: countCharacters(content.slice(0, index)) + 1 };
  }

  placesOf({ start, end }: Range, encoding: Encoding): PlaceRange {
    return { start: this.placeOf(start, encoding), end: this.placeOf(end, encoding) };
  }

  /** Converts an agent's place to a server's position; undefined if it does not lie in the text. */
  positionOf({ line, character }: Place, encoding: Encoding): Position | undefined {
    const content = this.line(line - 1);
    const index = content === undefined ? undefined : indexOfCharacter(content, character - 1);
    if (content === undefined || index === undefined) return undefined;
    return { line: line - 1, character: toUnits(content.slice(0, index), encoding) };
  }
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
