import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Position, Range } from 'vscode-languageserver-protocol';

export type PositionEncoding = 'utf-8' | 'utf-16' | 'utf-32';

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
export class TextLines {
  readonly text: string;
  readonly #starts: readonly number[];
  readonly #served: readonly number[];

  /** With `countsSeparators`, positions count U+2028 and U+2029 as ends of lines. */
  constructor(text: string, countsSeparators = false) {
    this.text = text;
    this.#starts = startsOf(text, LINE_END);
    this.#served = countsSeparators && SEPARATOR.test(text) ? startsOf(text, ANY_LINE_END) : this.#starts;
  }

  get isCountedOtherwise(): boolean {
    return this.#served !== this.#starts;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** `number` counts from 0. Without the line's end. */
  line(number: number): string | undefined {
    return this.#lineOf(this.#starts, number);
  }

  offsetOf({ line, character }: Position, encoding: PositionEncoding): number | undefined {
    if (line === this.#served.length && character === 0) return this.text.length; // Many servers write the end of the text this way.
    const content = this.#lineOf(this.#served, line);
    const index = content === undefined ? undefined : toIndex(content, character, encoding);
    return index === undefined ? undefined : (this.#served[line] as number) + index;
  }

  /** Converts a server's position to an agent's place. A character beyond the line's end is its end. */
  placeOf({ line, character }: Position, encoding: PositionEncoding): Place {
    const content = this.#lineOf(this.#served, line) ?? '';
    const index = toIndex(content, character, encoding) ?? content.length;
    const own = this.isCountedOtherwise ? lineAt(this.#starts, this.#served[line] ?? this.text.length) : line;
    const before = own === line ? '' : this.text.slice(this.#starts[own], this.#served[line]);
    return { line: own + 1, character: countCharacters(before + content.slice(0, index)) + 1 };
  }

  placesOf({ start, end }: Range, encoding: PositionEncoding): PlaceRange {
    return { start: this.placeOf(start, encoding), end: this.placeOf(end, encoding) };
  }

  positionOf({ line, character }: Place, encoding: PositionEncoding): Position | undefined {
    const content = this.line(line - 1);
    const index = content === undefined ? undefined : toIndex(content, character - 1, 'utf-32');
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

function toIndex(line: string, units: number, encoding: PositionEncoding): number | undefined {
  if (ASCII.test(line)) return units <= line.length ? units : undefined;
  if (encoding === 'utf-16') {
    if (units > line.length) return undefined;
    const isWithin = /[\ud800-\udbff]/.test(line[units - 1] ?? '') && /[\udc00-\udfff]/.test(line[units] ?? '');
    return isWithin ? undefined : units;
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

function toUnits(head: string, encoding: PositionEncoding): number {
  if (encoding === 'utf-16') return head.length;
  return encoding === 'utf-8' ? Buffer.byteLength(head) : countCharacters(head);
}

/** Counts characters (code points). */
export function countCharacters(text: string): number {
  if (ASCII.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function toUri(root: string, relative: string): string {
  return pathToFileURL(path.join(root, relative)).href;
}

/**
 * Locates a URI below `root`, a real path. What is outside has a name of at most two segments, so that no path of the
 * machine is shown.
 */
export function locate(root: string, uri: string): { readonly path: string } | { readonly outside: string } {
  const file = toFile(uri);
  if (file === undefined) return { outside: nameOf(uri) };
  if (!isUnder(root, file)) return { outside: lastSegments(toSlashes(file)) };
  return { path: toSlashes(path.relative(root, file)) || '.' };
}

/** Both are absolute. Links are not followed. */
export function isUnder(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Security: an escaped slash, another host, or a NUL byte would make a path that `isUnder` does not see. */
function toFile(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    const file = path.normalize(fileURLToPath(uri));
    return file.includes('\0') ? undefined : file;
  } catch {
    return undefined;
  }
}

function nameOf(uri: string): string {
  const [plain = ''] = uri.slice(0, 2_000).split(/[?#]/);
  try {
    return lastSegments(decodeURIComponent(plain));
  } catch {
    return lastSegments(plain);
  }
}

function lastSegments(file: string): string {
  const name = file.split('/').filter(Boolean).slice(-2).join('/').slice(0, 200);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name goes into a line of an answer.
  return name.replace(/[\0-\x1f\x7f]/g, '?') || 'unknown';
}

function toSlashes(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** Makes absolute paths of the workspace relative in a text of a server. */
export function withoutRoot(text: string, root: string): string {
  return text.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '');
}
