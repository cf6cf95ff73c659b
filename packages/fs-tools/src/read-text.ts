import { isUtf8 } from 'node:buffer';
import { type Spill, type ToolContext, ToolError } from '@jinn/core';
import { braceDepths, hasBraceSyntax, lastBlockBoundary } from './brace-depth.ts';
import type { LineScan } from './scan-lines.ts';

const MAX_LINES = 2_000;
/** The most that one read shows, in bytes of output. */
const MAX_OUTPUT_BYTES = 50 * 1024;
/** What the answer of run_shell has beside the output. */
const SHELL_BYTES = 2048;
/** The room for the lines below a page. */
const FOOTER_BYTES = 512;

/** Returns how many bytes of lines one page may have. */
export function pageBytes({ maxResult = Number.POSITIVE_INFINITY }: Pick<ToolContext, 'maxResult'>): number {
  return Math.max(1, Math.min(MAX_OUTPUT_BYTES, maxResult - FOOTER_BYTES));
}

export type Truncate = 'head' | 'tail' | 'middle' | 'none' | 'smart';

/** The part of a file that the caller asks for. */
export interface WindowArgs {
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  readonly tail?: number | undefined;
  readonly line_numbers?: boolean | undefined;
  readonly truncate?: Truncate | undefined;
  /** The symbol whose lines are asked for, if it is one. What follows it in the file was not asked for. */
  readonly symbol?: string | undefined;
}

/** A run of whole lines, numbered from 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** What a limit cut off. */
export interface Truncation {
  readonly truncated: true;
  readonly total_lines: number;
  readonly shown: readonly LineRange[];
  /** The first line that was left out. */
  readonly next_start_line: number;
  /** The file that holds the lines that were left out. */
  readonly remainder?: string;
}

export interface TextRead {
  readonly text: string;
  readonly shown: readonly LineRange[];
  readonly truncation?: Truncation;
}

export interface ReadTextOptions {
  /** Used for the extension, for hints, and for the name of the remainder. */
  readonly path: string;
  /** How many bytes of lines may be shown. */
  readonly maxBytes: number;
  /** Keeps the lines that a limit cut off; undefined drops them. */
  readonly spill?: Spill | undefined;
  /** A sentence below the lines, if they are not those of the file itself. */
  readonly remark?: string | undefined;
}

/**
 * Cuts the window out of a scanned text and bounds it to 2,000 lines and `maxBytes`, by the strategy `truncate`. Throws
 * `invalid_args` for a window past the end.
 */
export function readText(scan: LineScan, args: WindowArgs, options: ReadTextOptions): TextRead {
  if (scan.lines === 0) return { text: '', shown: [] };
  const window = toWindow(scan, args, options.path);
  const strategy = args.truncate ?? (args.tail ? 'tail' : 'head');
  const { maxBytes } = options;
  const numbered = args.line_numbers ?? true;
  const view: View = { scan, numbered, path: options.path };
  const pieces = choose(view, window, strategy, maxBytes);
  const shown = pieces.map(({ first, last }) => ({ first, last }));
  const gap = findGap(window, shown);
  const truncation =
    gap && toTruncation(scan, { shown, gap, toTheEnd: strategy !== 'tail' && pieces.length === 1 }, options);
  const width = String(shown.at(-1)?.last ?? 0).length;
  const parts = pieces.map((piece) => (numbered ? number(piece, width) : piece.bytes.toString()));
  const body = parts.join(gap && pieces.length === 2 ? `\n[... lines ${gap.first}-${gap.last} left out ...]\n` : '');
  const footer = [
    cutLineNote(pieces, scan, options),
    encodingNote(pieces),
    windowNote(scan, { shown, window, truncation, isSymbol: args.symbol !== undefined }),
    options.remark,
  ];
  return {
    text: [body, ...footer.filter((note) => note !== undefined)].reduce(joinLines),
    shown,
    ...(truncation && { truncation }),
  };
}

interface View {
  readonly scan: LineScan;
  readonly numbered: boolean;
  readonly path: string;
}

/** Lines that are shown, with their bytes; `cut` if there is one line, and it was longer than the limit. */
interface Piece extends LineRange {
  readonly bytes: Buffer;
  readonly cut?: boolean;
}

function toWindow({ lines }: LineScan, { start_line, end_line, tail }: WindowArgs, path: string): LineRange {
  if (tail) return { first: Math.max(1, lines - tail + 1), last: lines };
  const first = start_line || 1;
  const last = Math.min(end_line || lines, lines);
  if (first > lines) {
    throw new ToolError('invalid_args', `${path} has ${lines} lines, start_line ${first} is past the end`, {
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

function choose(view: View, { first, last }: LineRange, strategy: Truncate, maxBytes: number): Piece[] {
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
        : [whole(view, { first, last })];
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
  if (piece.last === last || piece.cut || !hasBraceSyntax(view.path)) return piece;
  const kept = lastBlockBoundary(braceDepths(piece.bytes.toString(), view.path));
  return whole(view, { first: piece.first, last: piece.first + kept - 1 });
}

/** The bytes that a range takes in the output. */
function bytesOf(view: View, { first, last }: LineRange): number {
  const bytes = view.scan.offsetOf(last + 1) - view.scan.offsetOf(first);
  return bytes + (last - first + 1) * prefixBytes(view, last);
}

function prefixBytes({ numbered }: View, last: number): number {
  return numbered ? String(last).length + 1 : 0;
}

function whole({ scan }: View, { first, last }: LineRange): Piece {
  return { first, last, bytes: scan.slice(scan.offsetOf(first), scan.offsetOf(last + 1)) };
}

/** Returns the whole lines from the front of a range that fit, or the beginning of the first line if it does not fit. */
function front(view: View, { first, last }: LineRange, maxBytes: number): Piece {
  const { scan } = view;
  const start = scan.offsetOf(first);
  const end = Math.min(scan.offsetOf(last + 1), start + maxBytes);
  const bytes = scan.slice(start, end);
  const prefix = prefixBytes(view, last);
  let kept = 0;
  let line = first;
  for (; line <= last; line++) {
    const newline = bytes.indexOf(10, kept);
    const stop = newline < 0 ? (start + bytes.length === scan.size ? bytes.length : Infinity) : newline + 1;
    if (stop + (line - first + 1) * prefix > maxBytes) break;
    kept = stop;
  }
  if (line > first) return { first, last: line - 1, bytes: bytes.subarray(0, kept) };
  return { first, last: first, bytes: bytes.subarray(0, wholeCharacters(bytes, maxBytes - prefix)), cut: true };
}

/** Returns the whole lines from the back of a range that fit, or the beginning of the last line if it does not fit. */
function back(view: View, { first, last }: LineRange, maxBytes: number): Piece {
  const { scan } = view;
  const end = scan.offsetOf(last + 1);
  const start = Math.max(scan.offsetOf(first), end - maxBytes);
  const bytes = scan.slice(start, end);
  const prefix = prefixBytes(view, last);
  let from = bytes.length;
  let line = last;
  for (; line >= first; line--) {
    const newline = from < 2 ? -1 : bytes.lastIndexOf(10, from - 2);
    const stop = newline < 0 ? (start === scan.offsetOf(first) ? 0 : -Infinity) : newline + 1;
    if (bytes.length - stop + (last - line + 1) * prefix > maxBytes) break;
    from = stop;
  }
  if (line < last) return { first: line + 1, last, bytes: bytes.subarray(from) };
  return front(view, { first: last, last }, maxBytes);
}

/** The largest length up to `length` that does not split a UTF-8 character. */
function wholeCharacters(bytes: Buffer, length: number): number {
  let end = Math.min(length, bytes.length);
  while (end > 0 && end > length - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

function number({ first, bytes }: Piece, width: number): string {
  const text = bytes.toString();
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return lines.map((line, i) => `${String(first + i).padStart(width)}\t${line}`).join('\n');
}

/** The lines of the window that are not shown: one run, at its end, its start or its middle. */
function findGap({ first, last }: LineRange, shown: readonly LineRange[]): LineRange | undefined {
  const [head, tail] = shown;
  if (head && tail) return head.last + 1 < tail.first ? { first: head.last + 1, last: tail.first - 1 } : undefined;
  if (head && head.first > first) return { first, last: head.first - 1 };
  return head && head.last < last ? { first: head.last + 1, last } : undefined;
}

interface Cut {
  readonly shown: readonly LineRange[];
  readonly gap: LineRange;
  /** The remainder runs to the end of the file, not only to the end of the window. */
  readonly toTheEnd: boolean;
}

function toTruncation(scan: LineScan, { shown, gap, toTheEnd }: Cut, { spill, path }: ReadTextOptions): Truncation {
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

interface Shown {
  readonly shown: readonly LineRange[];
  readonly window: LineRange;
  readonly truncation: Truncation | undefined;
  readonly isSymbol: boolean;
}

/** The footer, which says where to go on. A window that the caller chose keeps no remainder. */
function windowNote({ lines }: LineScan, { shown, window, truncation, isSymbol }: Shown): string | undefined {
  const next = truncation?.next_start_line ?? window.last + 1;
  if (next > lines) return undefined;
  const ranges = shown.map(({ first, last }) => `${first}-${last}`).join(' and ');
  const remainder = truncation?.remainder === undefined ? '' : ` Remainder saved to ${truncation.remainder}.`;
  if (isSymbol && !truncation) return `[Showing lines ${ranges} of ${lines}.]`;
  const end = isSymbol ? ` and end_line=${window.last}` : '';
  return `[Showing lines ${ranges} of ${lines}. Use start_line=${next}${end} to continue.${remainder}]`;
}

function cutLineNote(
  pieces: readonly Piece[],
  scan: LineScan,
  { path, maxBytes, remark }: ReadTextOptions,
): string | undefined {
  const piece = pieces.find(({ cut }) => cut);
  if (!piece) return undefined;
  const { first, bytes } = piece;
  const length = scan.offsetOf(first + 1) - scan.offsetOf(first);
  const said = `Line ${first} is ${length} bytes long; its first ${bytes.length} are shown.`;
  if (remark !== undefined) return `[${said}]`;
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  const rest = `sed -n '${first}p' ${quoted} | tail -c +${bytes.length + 1} | head -c ${Math.max(1, maxBytes - SHELL_BYTES)}`;
  return `[${said} For more of it use run_shell: ${rest}]`;
}

function encodingNote(pieces: readonly Piece[]): string | undefined {
  if (pieces.every(({ bytes }) => isUtf8(bytes))) return undefined;
  return '[Some bytes here are not UTF-8 and are shown as \ufffd; text copied from those places will not match in an edit.]';
}

function joinLines(text: string, next: string): string {
  return text === '' || text.endsWith('\n') ? text + next : `${text}\n${next}`;
}
