import { fromSystemError, isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import { decodeWithForeign } from '@jinn/core/thread/foreign-bytes';
import { notebookToText } from '@jinn/syntax/notebook';
import { isBinary, type OpenDirectory, type OpenFile, SNIFF_BYTES, type Workspace } from '@jinn/workspace';
import type { Charset } from '@jinn/workspace/find-charset';
import { type Hit, MAX_WHOLE_FILE, SAMPLE_BYTES, type SearchQuery } from '../query/search-query.ts';

const MARK_BYTES = 3;
const SCAN_BYTES = 1024 * 1024;
const MAX_OPEN = 8;
const CHUNK_BYTES = 1024 * 1024;
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const LINE_FEED = 10;

/** The bytes without a byte order mark, in UTF-8. Of a notebook, the text of the cells, as `read_file` shows it. */
interface SearchedContent {
  readonly size: number;
  /** True if the bytes are not those of the file. */
  readonly isConverted: boolean;
  /** True if they are the cells of a notebook, in which a NUL is part of the text. */
  readonly isNotebook?: boolean;
  slice(start: number, end: number): Buffer;
}

/** Reports whether a name is that of a notebook, whose text only the built-in engine searches. */
export function isNotebookName(name: string): boolean {
  return /\.ipynb$/i.test(name);
}

/** Reads the content of a file, in an encoding if one is given. Throws `file_too_large` for a large file in UTF-16. */
export function contentOf(file: OpenFile, charset?: Charset): SearchedContent {
  const head = file.slice(0, MARK_BYTES);
  const isUtf16 = head[0] === 0xff ? head[1] === 0xfe : head[0] === 0xfe && head[1] === 0xff;
  const whole = () => file.slice(0, file.size);
  if (isUtf16 && file.size > MAX_WHOLE_FILE)
    throw new ToolError('file_too_large', `${file.path} is in UTF-16 and larger than 32 MiB`);
  const utf16 =
    isUtf16 && !charset ? new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(whole()) : undefined;
  const mayBeNotebook = isNotebookName(file.path) && file.size <= MAX_WHOLE_FILE;
  const decoded = charset && file.size <= MAX_WHOLE_FILE ? charset.decode(whole()).toString() : utf16;
  const cells = mayBeNotebook ? notebookToText(decoded ?? whole().toString()) : undefined;
  const text = cells ?? decoded;
  if (text !== undefined) {
    const bytes = Buffer.from(text);
    const slice = (from: number, to: number) => bytes.subarray(from, to);
    return { size: bytes.length, isConverted: true, isNotebook: cells !== undefined, slice };
  }
  const start = head.equals(Buffer.from([0xef, 0xbb, 0xbf])) ? head.length : 0;
  // Allocating the part of a range that is after the end would cost more than everything else about a small file.
  const end = head.length === 0 ? 0 : file.size || Number.POSITIVE_INFINITY; // A file of /proc has content and no size.
  const slice = (from: number, to: number) => file.slice(from + start, Math.min(to + start, end));
  return { size: file.size - start, isConverted: false, slice };
}

/**
 * Reports whether NULs are part of the text of a file: it is a notebook, or it is named, and not binary by the rule of all
 * tools. To ask that of each file would take longer than a search, so of others a NUL anywhere makes them binary.
 */
export function mayHoldNul({ named, searchesBinary }: SearchQuery, path: string, content: SearchedContent): boolean {
  if (searchesBinary || content.isNotebook) return true;
  return named?.has(path) === true && !content.isConverted && !isBinary(content.slice(0, SNIFF_BYTES));
}

/** Reports whether a file is omitted as binary. Throws ToolError, and the errors of `checkpoint`. */
export async function isLeftOut(
  files: Pick<OpenFiles, 'withFile'>,
  path: string,
  query: SearchQuery,
): Promise<boolean> {
  for (let at = 0; ; at += SCAN_BYTES) {
    const { isFree, hasNul, isLast } = files.withFile(path, (file) => {
      const content = contentOf(file, query.charsets?.get(path));
      if (at === 0 && mayHoldNul(query, path, content)) return { isFree: true };
      const bytes = content.slice(at, content.isConverted ? content.size : at + SCAN_BYTES);
      return { hasNul: bytes.includes(0), isLast: bytes.length < SCAN_BYTES };
    });
    if (hasNul) return true;
    if (isFree || isLast) return false;
    await query.ctx.checkpoint();
  }
}

/** Opens many files by their paths, in the order of the paths, without a walk from the root for each. */
export class OpenFiles {
  readonly #workspace: Workspace;
  readonly #directories = new Map<string, OpenDirectory>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** The file is open while `use` runs. Throws ToolError if it cannot be opened. */
  withFile<T>(path: string, use: (file: OpenFile) => T): T {
    if (path.startsWith('/')) return this.#workspace.withFile(path, use); // A file that jinn keeps is in no directory of it.
    const file = this.#openFile(path);
    try {
      return use(file);
    } finally {
      file.close();
    }
  }

  close(): void {
    for (const directory of this.#directories.values()) directory.close();
    this.#directories.clear();
  }

  #openFile(path: string): OpenFile {
    const slash = path.lastIndexOf('/');
    const open = () => {
      const directory = this.#open(slash < 0 ? '.' : `./${path.slice(0, slash)}`);
      try {
        return directory.openListedFile(path.slice(slash + 1));
      } catch (error) {
        throw fromSystemError(error, path);
      }
    };
    try {
      return open();
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
      this.close();
      return open();
    }
  }

  #open(path: string): OpenDirectory {
    const known = this.#directories.get(path);
    if (known) return known;
    const directory = this.#workspace.openDirectory(path);
    const [oldest] = this.#directories;
    if (oldest && this.#directories.size >= MAX_OPEN) {
      oldest[1].close();
      this.#directories.delete(oldest[0]);
    }
    this.#directories.set(path, directory);
    return directory;
  }
}

/** A position in a file, in bytes from 0 and in lines from 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
}

/** Whole lines of a file, as text. */
export interface Chunk extends Position {
  readonly path: string;
  readonly text: string;
  /** The start of the next chunk, or undefined after the last one. */
  readonly next: Position | undefined;
}

export const FILE_START: Position = { offset: 0, line: 1 };

/**
 * Reads whole lines of a file, about a megabyte of them, or all of the file. Returns undefined if a NUL among them makes
 * the file binary. Throws `file_too_large` for a line that is too long.
 */
export function readChunk(
  file: OpenFile,
  path: string,
  { offset, line }: Position,
  query: SearchQuery,
): Chunk | undefined {
  const content = contentOf(file, query.charsets?.get(path));
  const isWhole = query.crossesLines || content.isConverted;
  const isText = mayHoldNul(query, path, content);
  const isBinary = () => !isText && bytes.includes(0);
  let bytes = content.slice(offset, isWhole ? content.size : offset + CHUNK_BYTES);
  for (let length = CHUNK_BYTES; !isBinary() && offset + bytes.length < content.size; ) {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      bytes = bytes.subarray(0, end);
      break;
    }
    length *= 2;
    if (length > MAX_LINE_BYTES) throw new ToolError('file_too_large', `${path} has a line over 32 MiB`);
    bytes = content.slice(offset, offset + length);
  }
  if (isBinary()) return undefined;
  const text = decodeWithForeign(bytes);
  const end = offset + bytes.length;
  const next = end < content.size && bytes.length > 0 ? { offset: end, line: line + countLines(text) } : undefined;
  return { path, text, offset, line, next };
}

/** Turns matches in a chunk into hits. The matches must come in order: each part of the text is looked at once. */
export class ChunkHits {
  readonly #chunk: Chunk;
  #at = 0;
  #position: Position;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
    this.#position = chunk;
  }

  /** Makes the hit of a match that starts at `start`, on lines of which the last one ends at `lineEnd`. */
  toHit(start: number, lineEnd: number): Hit {
    const { path, text } = this.#chunk;
    const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    const to = lineEnd > from && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
    this.#moveTo(from);
    const head = bytesIn(text.slice(from, start));
    const sample = text.slice(start, Math.min(to, start + SAMPLE_BYTES / 4));
    return {
      path,
      ...this.#position,
      length: head + bytesIn(text.slice(start, to)),
      start: head,
      sample: Buffer.from(sample.replace(/[\r\n\p{Cs}].*$/su, '')),
    };
  }

  #moveTo(at: number): void {
    const { text } = this.#chunk;
    const passed = text.slice(this.#at, at);
    const { offset, line } = this.#position;
    this.#position = { offset: offset + bytesIn(passed), line: line + countLines(passed) };
    this.#at = at;
  }
}

/** Returns the number of bytes that a text stands for, in which a lone surrogate is one byte that is not UTF-8. */
function bytesIn(text: string): number {
  // Buffer.byteLength counts three bytes for a lone surrogate.
  const halves = text.isWellFormed() ? 0 : (text.match(/\p{Cs}/gu)?.length ?? 0);
  return Buffer.byteLength(text) - 2 * halves;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
