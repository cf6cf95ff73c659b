import { countNewlines } from '@jinn/fs-tools/newlines';
import type { LineScan } from '@jinn/fs-tools/scan-lines';
import { decodeText } from './utf8-text.ts';

/** The lines that an answer shows unless a range is asked for. */
export const SHOWN_LINES = 200;
/** A file of few, very long lines must not fill the context either. */
const SHOWN_BYTES = 100 * 1024;

/** The first and the last line, from 1. At least one of them is given. */
export interface LineRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

interface Overflow {
  readonly shown: number;
  readonly total: number;
  readonly hint: string;
  /** The line to go on with. */
  readonly next_line?: number;
}

export interface TextWindow {
  /** Whole lines, byte for byte. */
  readonly content: string;
  readonly total_lines: number;
  readonly overflow?: Overflow;
}

/**
 * Cuts lines out of a text. A range with an end is returned whole, whatever its length. Otherwise the window is at most
 * 200 lines and 100 KiB, and `overflow` says how to go on.
 */
export function windowOf(scan: LineScan, range: LineRange | undefined, path: string): TextWindow {
  const total = scan.lines;
  const start = range?.start ?? 1;
  if (start > total) return { content: '', total_lines: total };
  const isExact = range?.end !== undefined;
  const last = Math.min(isExact ? range.end : start + SHOWN_LINES - 1, total);
  const [from, to] = [scan.offsetOf(start), scan.offsetOf(last + 1)];
  const isWhole = isExact || to - from <= SHOWN_BYTES;
  const bytes = isWhole ? scan.slice(from, to) : wholeLines(scan.slice(from, from + SHOWN_BYTES));
  const end = isWhole ? last : start + countNewlines(bytes) - 1;
  const content = decodeText(bytes, path);
  if (isExact || end >= total) return { content, total_lines: total };
  return { content, total_lines: total, overflow: overflowOf(scan, start, end) };
}

/** The bytes up to the last line end; none if there is no line end. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

function overflowOf(scan: LineScan, start: number, end: number): Overflow {
  const total = scan.lines;
  const shown = end - start + 1;
  const hint = `File has ${total} lines. Use start_line/end_line to read specific ranges`;
  if (shown > 0) return { shown, total, hint, next_line: end + 1 };
  const bytes = scan.offsetOf(start + 1) - scan.offsetOf(start);
  const cut = `Line ${start} has ${bytes} bytes: cut it with run_command (cut -c1-2000), or pass both start_line and end_line`;
  return { shown, total, hint: `${hint}. ${cut}` };
}
