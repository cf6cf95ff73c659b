import { isUtf8 } from 'node:buffer';
import { ToolError } from '@jinn/core/errors';
import { countLineFeeds } from '@jinn/core/text/counted';
import type { LineScan } from '@jinn/fs-tools/read/text-content';
import { isBinary, SNIFF_BYTES } from '@jinn/workspace';
import { linesThatFit } from '../fit/fit-json.ts';

/** The lines that an answer shows unless a range is asked for. */
export const SHOWN_LINES = 200;
/** A file of few, very long lines must not fill the context. */
const SHOWN_BYTES = 100 * 1024;
/** The longest command that a hint spells out. */
const MAX_CALL = 300;

/** The first and the last line, from 1. At least one of them is given. */
export interface WindowRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

interface Overflow {
  readonly shown: number;
  readonly total: number;
  readonly hint: string;
  /** The line to read on from. */
  readonly next_line?: number;
}

export interface TextWindow {
  /** Whole lines, byte for byte. */
  readonly content: string;
  readonly total_lines: number;
  readonly overflow?: Overflow;
}

export interface WindowOf {
  readonly path: string;
  readonly range: WindowRange | undefined;
  /** The most bytes of the JSON of the content, if the host has a limit. */
  readonly room: number | undefined;
}

/**
 * Cuts lines out of a text. A range with an end is returned whole, regardless of its length, unless there is less room.
 * Otherwise the window is at most 200 lines and 100 KiB. `overflow` says how to read on.
 */
export function windowOf(scan: LineScan, { path, range, room }: WindowOf): TextWindow {
  const total = scan.lines;
  const start = range?.start ?? 1;
  if (start > total) return { content: '', total_lines: total };
  const isExact = range?.end !== undefined;
  const last = Math.min(isExact ? range.end : start + SHOWN_LINES - 1, total);
  const [from, to] = [scan.offsetOf(start), scan.offsetOf(last + 1)];
  const most = Math.min(isExact ? to - from : SHOWN_BYTES, room ?? Number.POSITIVE_INFINITY);
  const isWhole = to - from <= most;
  const bytes = isWhole ? scan.slice(from, to) : wholeLines(scan.slice(from, from + most));
  const text = decodeText(bytes, path);
  const content = room === undefined ? text : linesThatFit(text, room);
  const end = isWhole && content.length === text.length ? last : start + countLineFeeds(content) - 1;
  if (end >= (isExact ? last : total)) return { content, total_lines: total };
  const overflow = overflowOf(scan, start, end);
  if (room === undefined || end === last) return { content, total_lines: total, overflow };
  const rest = isExact ? `, end_line: ${range.end}` : '';
  return {
    content,
    total_lines: total,
    overflow: { ...overflow, ...formatNextCall(scan, { path, start, end, rest }) },
  };
}

function formatNextCall(
  scan: LineScan,
  { path, start, end, rest }: { path: string; start: number; end: number; rest: string },
) {
  const hint = `File has ${scan.lines} lines. Call read_file again with start_line: ${end + 1}${rest} to continue`;
  if (end >= start) return { hint, next_line: end + 1 };
  const command = JSON.stringify({ command: cutCommand(path, start) });
  const call = command.length <= MAX_CALL ? ` with ${command}` : '';
  return { hint: `${formatLength(scan, start)}${call}`, next_line: start + 1 };
}

/** Returns the command that shows the start of a line that is too long for an answer. */
export function cutCommand(path: string, line: number): string {
  return `sed -n ${line}p -- ${shellWord(path)} | cut -c1-2000`;
}

/** Returns a path as a word of a shell, quoted only if it must be: a buffer reference in quotes is not replaced. */
function shellWord(path: string): string {
  if (/^[\w@./-]+$/.test(path)) return path;
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

function overflowOf(scan: LineScan, start: number, end: number): Overflow {
  const total = scan.lines;
  const shown = end - start + 1;
  const hint = `File has ${total} lines. Use start_line/end_line to read specific ranges`;
  if (shown > 0) return { shown, total, hint, next_line: end + 1 };
  const cut = `${formatLength(scan, start)} (cut -c1-2000), or pass both start_line and end_line`;
  return { shown, total, hint: `${hint}. ${cut}` };
}

function formatLength(scan: LineScan, line: number): string {
  const bytes = scan.offsetOf(line + 1) - scan.offsetOf(line);
  return `Line ${line} has ${bytes} bytes: cut it with run_command`;
}

/** Refuses a file with a NUL at its start, as other tools do. Throws `binary_file`. */
export function rejectBinary(scan: Pick<LineScan, 'slice' | 'size'>, path: string): void {
  if (!isBinary(scan.slice(0, Math.min(scan.size, SNIFF_BYTES)))) return;
  throw new ToolError('binary_file', `${path} is a binary file (${scan.size} bytes)`, {
    suggestion: `look into it with run_command, for example: file ${path}`,
  });
}

/** Decodes bytes that must be UTF-8. Throws `binary_file`: text with replaced characters would not be fit for edits. */
export function decodeText(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new ToolError('binary_file', `${path} contains bytes that are not UTF-8`, {
    suggestion: `convert it with run_command: iconv -f latin1 -t utf-8 ${path}`,
  });
}
