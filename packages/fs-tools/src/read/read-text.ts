import { isUtf8 } from 'node:buffer';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { notebookToText } from '@jinn/syntax/notebook';
import type { Spill } from '@jinn/workspace';
import { braceDepths, hasBraceSyntax, lastBlockBoundary } from './brace-depth.ts';
import { type LineScan, scanBuffer } from './text-content.ts';

const MAX_LINES = 2_000;
/** The most that one read shows, in bytes of output. */
const MAX_OUTPUT_BYTES = 50 * 1024;
/** The least byte that starts a UTF-8 character of several bytes. */
const FIRST_OF_SEVERAL = 0xc0;
const CHARACTER_BYTES = 4;
const FOOTER_BYTES = 512;

/** Returns how many bytes of lines one page may have. */
export function pageBytes({ maxResult = Number.POSITIVE_INFINITY }: Pick<ToolContext, 'maxResult'>): number {
  return Math.max(1, Math.min(MAX_OUTPUT_BYTES, maxResult - FOOTER_BYTES));
}

type TruncateStrategy = 'head' | 'tail' | 'middle' | 'none' | 'smart';

export interface WindowArgs {
  readonly start_line?: number | undefined;
  /** The first byte of the first line, from 1. */
  readonly start_byte?: number | undefined;
  readonly end_line?: number | undefined;
  readonly tail?: number | undefined;
  readonly line_numbers?: boolean | undefined;
  readonly truncate?: TruncateStrategy | undefined;
  /** The symbol whose lines the caller asks for, if there is one. The caller did not ask for the lines after it. */
  readonly symbol?: string | undefined;
}

export interface ReadArgs extends WindowArgs {
  readonly path: string;
  readonly outline?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly include_checksum?: boolean | undefined;
  readonly if_version?: string | undefined;
  readonly large_image?: boolean | undefined;
  readonly encoding?: string | undefined;
}

interface LineRange {
  readonly first: number;
  readonly last: number;
}

interface Truncation {
  readonly truncated: true;
  readonly total_lines: number;
  readonly shown: readonly LineRange[];
  readonly next_start_line: number;
  readonly remainder?: string;
}

type CutLine = Pick<CutText, 'start_line' | 'start_byte'>;

export interface TextRead {
  readonly text: string;
  readonly shown: readonly LineRange[];
  readonly truncation?: Truncation;
  readonly cutLine?: CutLine;
}

export interface ReadTextOptions {
  /** Used for the extension, for hints, and for the name of the remainder. */
  readonly path: string;
  readonly maxBytes: number;
  /** Keeps the lines that a limit cut off. Undefined drops them. */
  readonly spill?: Spill | undefined;
  /** A sentence below the lines, if they are not those of the file itself. */
  readonly remark?: string | undefined;
}

/**
 * Cuts the window out of a scanned text and bounds it to 2,000 lines and `maxBytes`, by the strategy `truncate`. Lines
 * over 2,000 characters are cut, unless the call asks for exact bytes by `start_byte` without line numbers. Throws
 * `invalid_args` for a window past the end of the text, or of its first line.
 */
export function readText(scan: LineScan, args: WindowArgs, options: ReadTextOptions): TextRead {
  if (scan.lines === 0) return { text: '', shown: [] };
  const window = toWindow(scan, args, options.path);
  const strategy = args.truncate ?? (args.tail ? 'tail' : 'head');
  const { maxBytes } = options;
  const numbered = args.line_numbers ?? true;
  const view: View = {
    scan,
    numbered,
    path: options.path,
    window,
    isExact: !numbered && args.start_byte !== undefined,
    skipped: toSkipped(scan, args, window, options.path),
  };
  const pieces = choose(view, window, strategy, maxBytes);
  const shown = pieces.map(({ first, last }) => ({ first, last }));
  const gap = findGap(window, shown);
  const truncation =
    gap && toTruncation(scan, { shown, gap, toTheEnd: strategy !== 'tail' && pieces.length === 1 }, options);
  const width = String(shown.at(-1)?.last ?? 0).length;
  const parts = pieces.map((piece) => (numbered ? number(piece, width) : piece.bytes.toString()));
  const body = parts.join(gap ? `\n[... lines ${gap.first}-${gap.last} left out ...]\n` : numbered ? '\n' : '');
  const cut = describeCuts(pieces.flatMap((piece) => piece.cuts ?? [])) ?? describeRest(view, pieces);
  const footer = [
    cut?.note,
    encodingNote(pieces, scan),
    windowNote(scan, { shown, window, truncation, isSymbol: args.symbol !== undefined }),
    options.remark,
  ];
  return {
    text: [body, ...footer.filter((note) => note !== undefined)].reduce(joinLines),
    shown,
    ...(truncation && { truncation }),
    ...(cut && { cutLine: cut.rest }),
  };
}

interface View {
  readonly scan: LineScan;
  readonly numbered: boolean;
  readonly path: string;
  readonly window: LineRange;
  /** True if no line is cut that fits. */
  readonly isExact: boolean;
  /** How many bytes of the first line of the window are omitted. */
  readonly skipped: number;
}

interface Piece extends LineRange {
  readonly bytes: Buffer;
  readonly cuts?: readonly CutText[];
  /** True if there is one line, and it was longer than the limit. */
  readonly isPart?: boolean;
}

function toWindow({ lines }: LineScan, { start_line, end_line, tail }: WindowArgs, path: string): LineRange {
  if (tail) return { first: Math.max(1, lines - tail + 1), last: lines };
  const first = start_line || 1;
  const last = Math.min(end_line || lines, lines);
  if (first > lines) {
    throw new ToolError('invalid_args', `${path} has ${counted(lines, 'line')}, start_line ${first} is past the end`, {
      suggestion: `use a start_line up to ${lines}, or tail for the last lines`,
    });
  }
  if (end_line && end_line < first) {
    throw new ToolError('invalid_args', `end_line ${end_line} is before start_line ${first}`, {
      suggestion: 'swap them, or leave end_line out',
    });
  }
  return { first, last };
}

function toSkipped(scan: LineScan, { start_byte = 0, tail }: WindowArgs, { first }: LineRange, path: string): number {
  if (start_byte <= 1) return 0;
  if (tail) {
    throw new ToolError('invalid_args', 'start_byte does not go with tail', {
      suggestion: 'name the line by start_line',
    });
  }
  const start = scan.offsetOf(first);
  const length = scan.offsetOf(first + 1) - start;
  if (start_byte > length) {
    throw new ToolError(
      'invalid_args',
      `line ${first} of ${path} has ${counted(length, 'byte')}, start_byte ${start_byte} is past its end`,
      { suggestion: `use a start_byte up to ${length}, or another start_line` },
    );
  }
  const bytes = scan.slice(start + Math.max(0, start_byte - CHARACTER_BYTES), start + start_byte);
  const before = wholeCharacters(bytes, bytes.length - 1);
  const isSplit = (bytes[before] ?? 0) >= FIRST_OF_SEVERAL;
  return start_byte - (isSplit ? bytes.length - before : 1);
}

function offsetOf({ scan, window, skipped }: View, line: number): number {
  return scan.offsetOf(line) + (line === window.first ? skipped : 0);
}

function choose(view: View, { first, last }: LineRange, strategy: TruncateStrategy, maxBytes: number): Piece[] {
  const tooLong = last - first + 1 > MAX_LINES;
  switch (strategy) {
    case 'none':
      return [front(view, { first, last }, maxBytes)];
    case 'head':
      return [front(view, { first, last: Math.min(last, first + MAX_LINES - 1) }, maxBytes)];
    case 'smart':
      return [smart(view, front(view, { first, last: Math.min(last, first + MAX_LINES - 1) }, maxBytes), last)];
    case 'tail':
      return [back(view, { first: Math.max(first, last - MAX_LINES + 1), last }, maxBytes)];
    case 'middle':
      return tooLong || bytesOf(view, { first, last }) > maxBytes
        ? middle(view, { first, last }, maxBytes)
        : [front(view, { first, last }, maxBytes)];
  }
}

function middle(view: View, { first, last }: LineRange, maxBytes: number): Piece[] {
  const half = MAX_LINES / 2;
  if (first === last) return [front(view, { first, last }, maxBytes)];
  const split = first + Math.min(half, Math.ceil((last - first + 1) / 2)) - 1;
  const head = front(view, { first, last: split }, maxBytes / 2);
  return [head, back(view, { first: Math.max(split + 1, last - half + 1), last }, maxBytes / 2)];
}

function smart(view: View, piece: Piece, last: number): Piece {
  if (piece.last === last || piece.isPart || piece.cuts || !hasBraceSyntax(view.path)) return piece;
  const kept = lastBlockBoundary(braceDepths(piece.bytes.toString(), view.path));
  return front(view, { first: piece.first, last: piece.first + kept - 1 }, Number.POSITIVE_INFINITY);
}

function bytesOf(view: View, { first, last }: LineRange): number {
  const bytes = view.scan.offsetOf(last + 1) - offsetOf(view, first);
  return bytes + (last - first + 1) * prefixBytes(view, last);
}

function prefixBytes({ numbered }: View, last: number): number {
  return numbered ? String(last).length + 1 : 0;
}

function front(view: View, { first, last }: LineRange, maxBytes: number): Piece {
  const { scan } = view;
  const start = offsetOf(view, first);
  const end = scan.offsetOf(last + 1);
  const bytes = scan.slice(start, Math.min(end, start + maxBytes));
  const prefix = prefixBytes(view, last);
  if (!view.isExact && hasLongLine(bytes)) {
    return toPiece(first, takeLines(linesOf(view, { first, last }, maxBytes - prefix), maxBytes, prefix));
  }
  if (start + bytes.length === end && bytes.length + (last - first + 1) * prefix <= maxBytes)
    return { first, last, bytes };
  let kept = 0;
  let line = first;
  for (; line <= last; line++) {
    const newline = bytes.indexOf(10, kept);
    const stop = newline < 0 ? (start + bytes.length === scan.size ? bytes.length : Infinity) : newline + 1;
    if (stop + (line - first + 1) * prefix > maxBytes) break;
    kept = stop;
  }
  if (line > first) return { first, last: line - 1, bytes: bytes.subarray(0, kept) };
  const most = Math.max(CHARACTER_BYTES, maxBytes - prefix);
  // The byte after the last one shows whether a character is split there.
  const beginning = scan.slice(start, start + most + 1);
  return { first, last: first, bytes: beginning.subarray(0, wholeCharacters(beginning, most)), isPart: true };
}

function back(view: View, { first, last }: LineRange, maxBytes: number): Piece {
  const { scan } = view;
  const end = scan.offsetOf(last + 1);
  const start = Math.max(offsetOf(view, first), end - maxBytes);
  const bytes = scan.slice(start, end);
  const prefix = prefixBytes(view, last);
  if (!view.isExact && hasLongLine(bytes)) {
    const lines = [...linesOf(view, { first, last }, maxBytes - prefix)].reverse();
    const taken = takeLines(lines, maxBytes, prefix).reverse();
    return toPiece(last - taken.length + 1, taken);
  }
  let from = bytes.length;
  let line = last;
  for (; line >= first; line--) {
    const newline = from < 2 ? -1 : bytes.lastIndexOf(10, from - 2);
    const stop = newline < 0 ? (start === offsetOf(view, first) ? 0 : -Infinity) : newline + 1;
    if (bytes.length - stop + (last - line + 1) * prefix > maxBytes) break;
    from = stop;
  }
  if (line < last) return { first: line + 1, last, bytes: bytes.subarray(from) };
  return front(view, { first: last, last }, maxBytes);
}

function linesOf(view: View, { first, last }: LineRange, maxBytes: number): Iterable<ShownLine> {
  return readLines(view.scan, { first, start: offsetOf(view, first), end: view.scan.offsetOf(last + 1) }, maxBytes);
}

function takeLines(lines: Iterable<ShownLine>, maxBytes: number, prefix: number): ShownLine[] {
  const taken: ShownLine[] = [];
  let room = maxBytes;
  for (const line of lines) {
    room -= line.bytes.length + prefix;
    if (room < 0 && taken.length > 0) break;
    taken.push(line);
  }
  return taken;
}

function toPiece(first: number, lines: readonly ShownLine[]): Piece {
  const bytes = Buffer.concat(lines.map((line) => line.bytes));
  return { first, last: first + lines.length - 1, bytes, cuts: lines.flatMap(({ cut }) => cut ?? []) };
}

function wholeCharacters(bytes: Buffer, length: number): number {
  let end = Math.min(length, bytes.length);
  while (end > 0 && end > length - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

function number({ first, bytes }: Piece, width: number): string {
  const text = bytes.toString();
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  let numbered = '';
  for (let at = 0, line = first; ; line++) {
    const newline = text.indexOf('\n', at);
    const stop = newline < 0 ? end : Math.min(newline, end);
    numbered += `${String(line).padStart(width)}\t${text.slice(at, stop)}`;
    if (stop === end) return numbered;
    numbered += '\n';
    at = stop + 1;
  }
}

function findGap({ first, last }: LineRange, shown: readonly LineRange[]): LineRange | undefined {
  const [head, tail] = shown;
  if (head && tail) return head.last + 1 < tail.first ? { first: head.last + 1, last: tail.first - 1 } : undefined;
  if (head && head.first > first) return { first, last: head.first - 1 };
  return head && head.last < last ? { first: head.last + 1, last } : undefined;
}

function toTruncation(
  scan: LineScan,
  { shown, gap, toTheEnd }: { shown: readonly LineRange[]; gap: LineRange; toTheEnd: boolean },
  { spill, path }: ReadTextOptions,
): Truncation {
  const end = toTheEnd ? scan.size : scan.offsetOf(gap.last + 1);
  const remainder = spill?.save(path.slice(path.lastIndexOf('/') + 1), chunksOf(scan, scan.offsetOf(gap.first), end));
  return {
    truncated: true,
    total_lines: scan.lines,
    shown,
    next_start_line: gap.first,
    ...(remainder !== undefined && { remainder }),
  };
}

function* chunksOf(scan: LineScan, start: number, end: number): Generator<Buffer> {
  const step = 1024 * 1024;
  for (let at = start; at < end; at += step) yield scan.slice(at, Math.min(end, at + step));
}

function windowNote(
  { lines }: LineScan,
  read: { shown: readonly LineRange[]; window: LineRange; truncation: Truncation | undefined; isSymbol: boolean },
): string | undefined {
  const { shown, window, truncation, isSymbol } = read;
  const next = truncation?.next_start_line ?? window.last + 1;
  if (next > lines) return undefined;
  const ranges = shown.map(({ first, last }) => `${first}-${last}`).join(' and ');
  if (!truncation) return isSymbol ? undefined : `[Showing lines ${ranges} of ${lines}.]`;
  const remainder = truncation.remainder === undefined ? '' : ` Remainder saved to ${truncation.remainder}.`;
  const end = isSymbol ? ` and end_line=${window.last}` : '';
  return `[Showing lines ${ranges} of ${lines}. Use start_line=${next}${end} to continue.${remainder}]`;
}

function describeRest(view: View, pieces: readonly Piece[]): { note: string; rest: CutLine } | undefined {
  const piece = pieces.find(({ isPart }) => isPart);
  if (!piece) return undefined;
  const { first, bytes } = piece;
  const start = view.scan.offsetOf(first);
  const length = view.scan.offsetOf(first + 1) - start;
  const skipped = offsetOf(view, first) - start;
  const next = skipped + bytes.length + 1;
  const more = `For more of it use read_file with start_line=${first} and start_byte=${next}.`;
  return {
    note: `[Line ${first} is ${length} bytes long, of which ${skipped + 1}-${next - 1} are shown. ${more}]`,
    rest: { start_line: first, start_byte: next },
  };
}

function encodingNote(pieces: readonly Piece[], { encoding }: LineScan): string | undefined {
  const isBroken = ({ bytes }: Piece) => (encoding === undefined ? !isUtf8(bytes) : bytes.includes('\ufffd'));
  if (!pieces.some(isBroken)) return undefined;
  return `[Some bytes here are not ${encoding ?? 'UTF-8'} and are shown as \ufffd. Text copied from there does not match in an edit.]`;
}

function joinLines(text: string, next: string): string {
  return text === '' || text.endsWith('\n') ? text + next : `${text}\n${next}`;
}

const MAX_CHARACTERS = 2_000;
const MAX_BYTES = 4 * MAX_CHARACTERS;
const STEP = 65_536;
const NEWLINE = 10;

interface CutText {
  readonly start_line: number;
  readonly start_byte: number;
  readonly characters: number;
}

interface ShownLine {
  readonly bytes: Buffer;
  readonly cut: CutText | undefined;
}

/** Reports whether bytes have a line that may be too long. The first and the last one may be a part of a line. */
function hasLongLine(bytes: Buffer): boolean {
  if (bytes.length <= MAX_CHARACTERS) return false;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    if (end - start > MAX_CHARACTERS) return true;
    start = end + 1;
  }
  return bytes.length - start > MAX_CHARACTERS;
}

/** Reads lines one by one, from the line `first`, each cut to 2,000 characters and to `maxBytes`. It holds little of a long line. */
function* readLines(
  scan: LineScan,
  { first, start: from, end }: { first: number; start: number; end: number },
  maxBytes: number,
): Generator<ShownLine> {
  let line = first;
  let skipped = from - scan.offsetOf(first);
  let head: Buffer[] = [];
  let [length, characters] = [0, 0];
  const finish = (newline: string): ShownLine => {
    const start = Buffer.concat(head);
    const isWhole = characters <= MAX_CHARACTERS && length + newline.length <= maxBytes;
    const kept = isWhole ? start : start.subarray(0, endOfCharacters(start, maxBytes));
    const rest = {
      start_line: line,
      start_byte: skipped + kept.length + 1,
      characters: characters - countCharacters(kept),
    };
    const mark = ` [… ${rest.characters.toLocaleString('en-US')} more characters, from start_byte=${rest.start_byte}]`;
    line++;
    head = [];
    skipped = length = characters = 0;
    return {
      bytes: Buffer.concat([kept, Buffer.from(isWhole ? newline : mark + newline)]),
      cut: isWhole ? undefined : rest,
    };
  };
  for (let at = from; at < end; at += STEP) {
    const part = scan.slice(at, Math.min(end, at + STEP));
    for (let start = 0; start < part.length; ) {
      const newline = part.indexOf(NEWLINE, start);
      const piece = part.subarray(start, newline < 0 ? part.length : newline);
      if (length <= MAX_BYTES) head.push(Buffer.from(piece.subarray(0, MAX_BYTES + 1)));
      length += piece.length;
      characters += countCharacters(piece);
      if (newline >= 0) yield finish('\n');
      start += piece.length + 1;
    }
  }
  if (length > 0) yield finish('');
}

function describeCuts([first, ...others]: readonly CutText[]) {
  if (first === undefined) return undefined;
  const { start_line, start_byte } = first;
  const lines = others.length === 0 ? `Line ${start_line} is` : `Line ${start_line} and ${others.length} more are`;
  const rest = `read_file with start_line=${start_line}, start_byte=${start_byte} and line_numbers=false`;
  return { note: `[${lines} cut after 2,000 characters. For the rest use ${rest}.]`, rest: { start_line, start_byte } };
}

function endOfCharacters(bytes: Buffer, maxBytes: number): number {
  let [count, end] = [0, 0];
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && isContinuation(bytes[at])) continue;
    if (at > maxBytes && end > 0) break;
    end = at;
    if (count++ === MAX_CHARACTERS) break;
  }
  return end;
}

function countCharacters(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (!isContinuation(byte)) count++;
  return count;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** A larger notebook is read as the JSON that it is, since the cells need all of it in memory. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The sentence below the cells of a notebook. */
export const CELLS =
  '[Cells of a notebook, numbered by the lines of this text. edit_file with cell edits the source of one. raw: true shows the JSON.]';

/** Returns the lines of a notebook's cells. Returns undefined if the file is not a notebook. */
export function scanCells(scan: LineScan, path: string): LineScan | undefined {
  if (!path.toLowerCase().endsWith('.ipynb') || scan.size > MOST_BYTES) return undefined;
  const text = notebookToText(scan.slice(0, scan.size).toString());
  return text === undefined ? undefined : { ...scan, ...scanBuffer(Buffer.from(text)) };
}
