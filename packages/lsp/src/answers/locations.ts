import { isObject } from '@jinn/core/text';
import type { Position, Range } from 'vscode-languageserver-protocol';
import { locate, type Place, type PlaceRange, type PositionEncoding, TextLines } from '../client/positions.ts';
import type { Documents } from '../documents/documents.ts';
import type { SourceFiles } from '../documents/source-files.ts';
import type { Server } from '../servers/server-table.ts';

/** The most locations that are read of an answer: a server may send any number. */
const MAX_LOCATIONS = 100_000;
const MAX_CACHED_FILES = 200;

export interface RawLocation {
  readonly uri: string;
  readonly range: Range;
}

/** A location for an agent: in a file of the workspace, with its line, or outside, by its name only. */
export type FoundLocation =
  | { readonly path: string; readonly range: PlaceRange; readonly text: string }
  | { readonly outside: string; readonly line: number };

/** Reads an answer: a Location, a list of these, a list of LocationLinks, null, or something else, which has none. */
export function parseLocations(result: unknown): RawLocation[] {
  const list = Array.isArray(result) ? result.slice(0, MAX_LOCATIONS) : [result];
  return list.flatMap((entry) => {
    if (!isObject(entry)) return [];
    const uri = entry['uri'] ?? entry['targetUri'];
    const range = parseRange(entry['range'] ?? entry['targetSelectionRange'] ?? entry['targetRange']);
    return typeof uri === 'string' && range ? [{ uri, range }] : [];
  });
}

/** Reads a range of a server, or undefined if it is none. */
export function parseRange(value: unknown): Range | undefined {
  if (!isObject(value)) return undefined;
  const [start, end] = [parsePosition(value['start']), parsePosition(value['end'])];
  if (!start || !end) return undefined;
  const isOrdered = start.line < end.line || (start.line === end.line && start.character <= end.character);
  return isOrdered ? { start, end } : undefined;
}

function parsePosition(value: unknown): Position | undefined {
  if (!isObject(value)) return undefined;
  const { line, character } = value;
  return isCount(line) && isCount(character) ? { line, character } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export interface ServerCounting {
  readonly encoding: PositionEncoding;
  readonly server: Pick<Server, 'countsSeparators'>;
}

/** Makes the locations of one answer for agents. */
export class Resolver {
  readonly #files: SourceFiles;
  readonly #documents: Documents;
  readonly #encoding: PositionEncoding;
  readonly #countsSeparators: boolean | undefined;
  readonly #lines = new Map<string, TextLines | undefined>();

  constructor(files: SourceFiles, documents: Documents, { encoding, server }: ServerCounting) {
    this.#files = files;
    this.#documents = documents;
    this.#encoding = encoding;
    this.#countsSeparators = server.countsSeparators;
  }

  resolve({ uri, range }: RawLocation): FoundLocation {
    const place = locate(this.#files.root, uri);
    const lines = 'path' in place ? this.linesOf(place.path) : undefined;
    if (!('path' in place)) return { outside: place.outside, line: range.start.line + 1 };
    // Security: a file that no tool may open is named like one that is outside.
    if (!lines) return { outside: place.path.split('/').slice(-2).join('/'), line: range.start.line + 1 };
    const found = this.range(lines, range);
    return { path: place.path, range: found, text: lines.line(found.start.line - 1) ?? '' };
  }

  nameOf(uri: string): string {
    const place = locate(this.#files.root, uri);
    return 'path' in place ? place.path : place.outside;
  }

  range(lines: TextLines, range: Range): PlaceRange {
    return lines.placesOf(range, this.#encoding);
  }

  /** Undefined if the file may not be read. */
  linesOf(path: string): TextLines | undefined {
    const shown = this.#documents.get(path)?.lines;
    if (shown || this.#lines.has(path)) return shown ?? this.#lines.get(path);
    const lines = this.#read(path);
    if (this.#lines.size >= MAX_CACHED_FILES) this.#lines.clear();
    this.#lines.set(path, lines);
    return lines;
  }

  #read(path: string): TextLines | undefined {
    try {
      return new TextLines(this.#files.read(path).text, this.#countsSeparators);
    } catch {
      return undefined;
    }
  }
}

/** Compares places, and positions, by their order in a file. */
export function comparePlaces(a: Place, b: Place): number {
  return a.line - b.line || a.character - b.character;
}
