import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { createVersionDigest, isBinary, isPlainText, type OpenFile } from '@jinn/workspace';
import { askedEncoding, type Charset, findCharset, MAX_DECODED_BYTES } from '@jinn/workspace/find-charset';

const MARK_BYTES = 3;

/** Returns the length in bytes of a byte order mark of UTF-8 at the start, or 0 if there is none. */
export function markLength(content: Buffer): number {
  return content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? MARK_BYTES : 0;
}

/** Returns the error that refuses to treat a file as text. */
export function notText(path: string, found: FileKind, size: number): ToolError {
  const name = nameKind(found) ?? 'binary';
  const what = name === 'binary' ? '' : `${name}, `;
  return new ToolError('binary_file', `binary file: ${path} (${what}${counted(size, 'byte')})`, {
    suggestion: 'edit, patch and compare only text files. checksum_tree shows whether binary files differ',
  });
}

/** Refuses a text with half a surrogate pair, for which UTF-8 has no bytes. `name` is the argument that holds it. */
export function rejectLoneSurrogates(name: string, text: string): void {
  if (text.isWellFormed()) return;
  const at = text.search(/[\ud800-\udfff]/u);
  const code = text.charCodeAt(at).toString(16);
  throw new ToolError('invalid_args', `${name}: character ${at + 1} is \\u${code}, half of a surrogate pair`, {
    suggestion: 'send the whole character, or leave it out (nothing was changed)',
  });
}

/**
 * The module below, in the text format of WebAssembly. Counting by vector instructions is what lets a window of a
 * 40 MB file, whose numbers need every newline before it, cost a few milliseconds.
 *
 *   (module (memory (export "memory") 5)
 *     (func (export "count") (param $at i32) (param $end i32) (result i32) (local $sum i32)
 *       (block $done (loop $next
 *         (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
 *         (local.set $sum (i32.add (local.get $sum) (i32.popcnt (i8x16.bitmask
 *           (i8x16.eq (v128.load (local.get $at)) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))))))
 *         (local.set $at (i32.add (local.get $at) (i32.const 16)))
 *         (br $next)))
 *       (local.get $sum)))
 */
const MODULE =
  'AGFzbQEAAAABBwFgAn9/AX8DAgEABQMBAAUHEgIGbWVtb3J5AgAFY291bnQAAApAAT4BAX8CQANAIAAgAU8NASACIAD9AAQA/QwKCgoKCgoKCgoKCgoK' +
  'CgoK/SP9ZGlqIQIgAEEQaiEADAALCyACCw==';

/** How many bytes the counter takes at once: four of the five pages of its memory. */
const CHUNK_BYTES = 262_144;
/** Below this distance, counting one by one is cheaper than the vector counter. */
const NEAR = 4_096;
const NEWLINE = 10;
const LINE_BREAK = /\r\n?|\n/g;

interface NewlineCounter {
  /** The bytes to count are put here. CHUNK_BYTES long. */
  readonly chunk: Buffer;
  /** Returns the number of newlines in the first `length` bytes of the chunk. */
  count(length: number): number;
}

let shared: NewlineCounter | undefined;

/** Returns the counter of this process. Its chunk is overwritten by the next user: no one may hold it across an await. */
function newlineCounter(): NewlineCounter {
  shared ??= instantiate();
  return shared;
}

function instantiate(): NewlineCounter {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(MODULE, 'base64')));
  const { memory, count } = exports as { memory: WebAssembly.Memory; count: (at: number, end: number) => number };
  const bytes = Buffer.from(memory.buffer);
  return {
    chunk: bytes.subarray(0, CHUNK_BYTES),
    count: (length) => {
      bytes.fill(0, length, length + 16); // The last vector may reach past the end.
      return count(0, length);
    },
  };
}

/** Returns the line of an offset in bytes (latin1), counted from 1. A line ends with `\n`. */
export function lineAt(bytes: string, offset: number): number {
  return createLineCounter(bytes)(offset);
}

/** Makes a function that returns the line of an offset. The offsets must grow from call to call: it reads the text once. */
export function createLineCounter(bytes: string): (offset: number) => number {
  const countIn = (start: number, end: number) => {
    const { chunk, count } = newlineCounter();
    return count(chunk.write(bytes.slice(start, Math.min(end, start + CHUNK_BYTES)), 'latin1'));
  };
  let line = 1;
  /** The first newline that is not counted yet. */
  let next = bytes.indexOf('\n');
  return (offset) => {
    if (next >= 0 && offset - next > NEAR) {
      let at = next;
      for (; offset - at > NEAR; at += CHUNK_BYTES) line += countIn(at, offset);
      next = bytes.indexOf('\n', Math.min(at, offset));
    }
    for (; next >= 0 && next < offset; next = bytes.indexOf('\n', next + 1)) line++;
    return line;
  };
}

/** Returns the ending for new lines in a match: the first in it, else the last before, else the next after. Ranges in order. */
export function createEndingFinder(bytes: string, fallback: string): (start: number, end: number) => string {
  if (!bytes.includes('\r')) return () => (bytes.includes('\n') ? '\n' : fallback);
  const breaks = bytes.matchAll(LINE_BREAK);
  let next = breaks.next().value;
  let before: string | undefined;
  return (start, end) => {
    for (; next && next.index < start; next = breaks.next().value) [before] = next;
    return (next && next.index < end ? next[0] : before) ?? next?.[0] ?? fallback;
  };
}

/** Returns the line nearest to a given one, or undefined if two are equally near, or none is given. */
export function nearestLine(wanted: number | undefined, lines: readonly number[]): number | undefined {
  if (wanted === undefined) return undefined;
  const distance = (line: number) => Math.abs(line - wanted);
  const least = lines.reduce((best, line) => Math.min(best, distance(line)), Infinity);
  const nearest = lines.filter((line) => distance(line) === least);
  return nearest.length === 1 ? nearest[0] : undefined;
}

interface Part {
  readonly content: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Counts newlines in a buffer that is too small to pay for the module. */
export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function countLines({ content, start, end }: Part): number {
  let count = 0;
  for (let at = start; at < end; count++) {
    const newline = content.indexOf(NEWLINE, at);
    at = newline < 0 ? end : newline + 1;
  }
  return count;
}

function lineStarts(part: Part): Int32Array {
  const starts = new Int32Array(countLines(part) + 1);
  let at = part.start;
  for (let line = 0; line < starts.length - 1; line++) {
    starts[line] = at;
    at = part.content.indexOf(NEWLINE, at) + 1;
  }
  starts[starts.length - 1] = part.end;
  return starts;
}

type FileKind =
  | { readonly kind: 'text' | 'pdf' }
  /** `format` is undefined if it is not known. */
  | { readonly kind: 'binary'; readonly format: string | undefined }
  | { readonly kind: 'image'; readonly mimeType: string };

/** The DIB header sizes that exist. A text that starts with "BM" has none of them. */
const BMP_HEADERS = new Set([12, 40, 52, 56, 64, 108, 124]);

/** The first bytes of the formats, and a further test that a file is an image of that format. */
const IMAGES: readonly (readonly [mimeType: string, magic: string, fits: (head: Buffer) => boolean])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n', () => true],
  ['image/jpeg', '\xff\xd8\xff', () => true],
  ['image/gif', 'GIF8', (head) => ['7a', '9a'].includes(head.toString('latin1', 4, 6))],
  ['image/webp', 'RIFF', (head) => head.toString('latin1', 8, 14) === 'WEBPVP'],
  ['image/bmp', 'BM', (head) => head.length >= 26 && BMP_HEADERS.has(head.readUInt32LE(14))],
  ['image/x-icon', '\0\0\x01\0', (head) => head.length >= 22 && head.readUInt16LE(4) > 0],
];

/** Formats of binary files, by the bytes (latin1) at an offset. */
const FORMATS: readonly (readonly [format: string, magic: string, offset?: number])[] = [
  ['gzip archive', '\x1f\x8b'],
  ['ZIP archive', 'PK\x03\x04'],
  ['tar archive', 'ustar', 257],
  ['xz archive', '\xfd7zXZ\0'],
  ['7z archive', "7z\xbc\xaf'\x1c"],
  ['zstd archive', '\x28\xb5\x2f\xfd'],
  ['SQLite database', 'SQLite format 3\0'],
  ['ELF program', '\x7fELF'],
  ['Windows program', 'MZ\x90\0'],
  ['Mach-O program', '\xcf\xfa\xed\xfe'],
  ['WebAssembly', '\0asm'],
  ['Java class', '\xca\xfe\xba\xbe'],
  ['WOFF font', 'wOFF'],
  ['WOFF2 font', 'wOF2'],
  ['TrueType font', '\0\x01\0\0\0'],
  ['OpenType font', 'OTTO'],
  ['WAV audio', 'WAVE', 8],
  ['Ogg audio', 'OggS'],
  ['MP3 audio', 'ID3'],
  ['TIFF image', 'II*\0'],
  ['TIFF image', 'MM\0*'],
];

/** Reports whether a file is an image that is text. */
export function isSvg(found: FileKind): boolean {
  return found.kind === 'image' && found.mimeType === 'image/svg+xml';
}

/** Returns the kind of a file by its first SNIFF_BYTES. The name decides only for SVG and PDF. */
export function kindOfFile(head: Buffer, path: string): FileKind {
  const mimeType = IMAGES.find(([, magic, fits]) => isAt(head, magic) && fits(head))?.[0];
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  const name = path.toLowerCase();
  if (isAt(head, '%PDF-') || name.endsWith('.pdf')) return { kind: 'pdf' };
  if (isBinary(head)) return { kind: 'binary', format: formatOf(head) };
  return name.endsWith('.svg') && looksLikeMarkup(head)
    ? { kind: 'image', mimeType: 'image/svg+xml' }
    : { kind: 'text' };
}

function isAt(head: Buffer, magic: string, offset = 0): boolean {
  return head[offset] === magic.charCodeAt(0) && head.toString('latin1', offset, offset + magic.length) === magic;
}

/** Describes the kind of a file that is not text. Returns undefined for a text. */
export function nameKind(found: FileKind): string | undefined {
  switch (found.kind) {
    case 'text':
      return undefined;
    case 'image':
      return found.mimeType;
    case 'pdf':
      return 'PDF';
    case 'binary':
      return found.format ?? 'binary';
  }
}

function formatOf(head: Buffer): string | undefined {
  if (head.toString('latin1', 4, 8) === 'ftyp') return formatOfBrands(head);
  return FORMATS.find(([, magic, offset]) => isAt(head, magic, offset))?.[0];
}

/** The box `ftyp` names the file's own format, and others in which it can be read. */
function formatOfBrands(head: Buffer): string {
  const brands = head.toString('latin1', 8, Math.min(head.length, head.readUInt32BE(0)));
  if (/avi[fs]/.test(brands)) return 'AVIF image';
  return /hei[cmsx]|hev[cx]|mif1|msf1/.test(brands) ? 'HEIC image' : 'MP4 video';
}

function looksLikeMarkup(head: Buffer): boolean {
  return head.toString().replace('\ufeff', '').trimStart().startsWith('<');
}

export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Below this, a buffer of our own is cheaper than the vector counter. */
const SMALL_BYTES = 65_536;

/** The lines of a file, and the identity of its content. If it was decoded, offsets and bytes are those of its text in UTF-8. */
export interface LineScan {
  readonly lines: number;
  /** True if the last line ends without a newline. */
  readonly endsOpen: boolean;
  readonly size: number;
  /** False if the content may have another encoding than UTF-8. */
  readonly isPlain: boolean;
  /** The encoding from which it was decoded. */
  readonly encoding?: string;
  readonly version: string;
  readonly sha256?: string;
  readonly content?: Buffer;
  /** Returns the byte offset of line `line` (from 1). One line past the last gives `size`. */
  offsetOf(line: number): number;
  slice(start: number, end: number): Buffer;
}

export interface ScanOptions {
  readonly checksum?: boolean;
  readonly maxBytes?: number;
  /** The limit for a file that jinn keeps. */
  readonly spillBytes?: number;
}

/** Reads a file once, from front to end, and holds at most a chunk of it (all of it if it is small). */
export function scanLines(file: OpenFile, { checksum = false, ...limits }: ScanOptions = {}): LineScan {
  const maxBytes = (file.isSpilled ? limits.spillBytes : undefined) ?? limits.maxBytes ?? MAX_FILE_BYTES;
  rejectTooLarge(file.size, maxBytes);
  const version = createVersionDigest();
  const hash = checksum ? process.getBuiltinModule('node:crypto').createHash('sha256') : undefined;
  const held = readSmall(file);
  const newlines: number[] = [0];
  let size = 0;
  let last = NEWLINE;
  let isPlain = true;
  for (const { bytes, count } of held ? [{ bytes: held, count: countNewlines(held) }] : countChunks(file, maxBytes)) {
    version.update(bytes);
    hash?.update(bytes);
    newlines.push((newlines.at(-1) ?? 0) + count);
    isPlain &&= isPlainText(held ? bytes : wholeCharacters(bytes));
    size += bytes.length;
    last = bytes.at(-1) ?? last;
  }
  const slice = (start: number, end: number) => {
    if (!held) return file.slice(start, Math.min(end, size));
    return start === 0 && end >= size ? held : held.subarray(start, end);
  };
  const total = newlines.at(-1) ?? 0;
  const lines = last === NEWLINE ? total : total + 1;
  const identity = {
    version: version.digest(),
    ...(hash && { sha256: hash.digest('hex') }),
    ...(held && { content: held }),
  };
  return {
    lines,
    endsOpen: last !== NEWLINE,
    size,
    isPlain,
    ...identity,
    offsetOf: (line) => (line > lines ? size : findLine(line, newlines, slice)),
    slice,
  };
}

/** Finds the lines of a text in memory. */
export function scanBuffer(text: Buffer): Pick<LineScan, 'lines' | 'endsOpen' | 'size' | 'offsetOf' | 'slice'> {
  const starts = lineStarts({ content: text, start: 0, end: text.length });
  return {
    lines: starts.length - 1,
    endsOpen: text.length > 0 && text.at(-1) !== NEWLINE,
    size: text.length,
    offsetOf: (line) => starts[line - 1] ?? text.length,
    slice: (start, end) => text.subarray(start, end),
  };
}

function rejectTooLarge(size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new ToolError('file_too_large', `file too large: ${toMb(size)} MB (max ${toMb(maxBytes)} MB)`, {
    suggestion: 'cut out the part that you need with a command',
  });
}

function toMb(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

function readSmall(file: OpenFile): Buffer | undefined {
  if (file.size > SMALL_BYTES) return undefined;
  const target = Buffer.allocUnsafe(file.size + 1);
  const held = target.subarray(0, file.read(target, 0));
  return held.length <= file.size ? held : undefined;
}

/** Returns a chunk without the parts of characters at its start and its end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length];
  while (start < MARK_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  for (let back = 1; back <= MARK_BYTES; back++) {
    if ((bytes[bytes.length - back] ?? 0) < 0xc0) continue;
    end = bytes.length - back;
    break;
  }
  return bytes.subarray(start, end);
}

function* countChunks(file: OpenFile, maxBytes: number): Generator<{ bytes: Buffer; count: number }> {
  const { chunk, count } = newlineCounter();
  for (let at = 0; ; at += CHUNK_BYTES) {
    const length = file.read(chunk, at);
    rejectTooLarge(at + length, maxBytes);
    yield { bytes: chunk.subarray(0, length), count: count(length) };
    if (length < CHUNK_BYTES) return;
  }
}

function findLine(line: number, newlines: readonly number[], slice: LineScan['slice']): number {
  const wanted = line - 1;
  if (wanted === 0) return 0;
  const index = newlines.findIndex((before) => before >= wanted) - 1;
  const start = index * CHUNK_BYTES;
  const bytes = newlines.length === 2 ? slice(0, Infinity) : slice(start, start + CHUNK_BYTES);
  let at = -1;
  for (let left = wanted - (newlines[index] ?? 0); left > 0; left--) at = bytes.indexOf(NEWLINE, at + 1);
  return start + at + 1;
}

/** Returns a text as bytes of UTF-8, each a character. */
export function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

interface Scanning extends ScanOptions {
  /** The encoding that the caller asks for. */
  readonly encoding?: string | undefined;
}

/** Opens and scans a file, and decodes it if it is not UTF-8. Throws as `scanLines` and `findCharset` do. */
export async function withScan<T>(
  ctx: ToolContext,
  path: string,
  options: Scanning,
  use: (file: OpenFile, scan: LineScan) => T,
): Promise<T> {
  const first = ctx.workspace.withFile(path, (file) => {
    const scan = scanLines(file, options);
    const isAsked = (options.encoding ?? askedEncoding(ctx, file.path)) !== undefined;
    const mayDecode = !file.isSpilled && file.size <= MAX_DECODED_BYTES && (isAsked || !scan.isPlain);
    return mayDecode ? { content: file.slice(0, file.size), path: file.path } : { result: use(file, scan) };
  });
  if ('result' in first) return first.result as T;
  const charset = await findCharset(ctx, first, options.encoding);
  return ctx.workspace.withFile(path, (file) => {
    const scan = scanLines(file, options);
    return use(file, charset ? decodeScan(scan, charset) : scan);
  });
}

function decodeScan(scan: LineScan, charset: Charset): LineScan {
  const text = charset.decode(scan.slice(0, scan.size));
  return { ...scan, ...scanBuffer(text), encoding: charset.name };
}
