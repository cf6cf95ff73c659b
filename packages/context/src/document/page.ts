import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';

/** The room for the lines below a page. */
const FOOTER_BYTES = 1024;
/** The room for the names of files that come later. */
const NAMES_BYTES = 800;
const LINE_FEED = 10;

/**
 * Returns the part of an answer that begins at `offset` bytes and fits into `maxResult`: whole lines, unless a line
 * alone is too long. The last line says how to read on, and which files begin later. Throws `invalid_args` for an
 * offset past the end.
 */
export function pageOf(
  bytes: Buffer,
  offset: number,
  { maxResult = Number.POSITIVE_INFINITY }: Pick<ToolContext, 'maxResult'>,
): ToolOutput {
  if (offset > 0 && offset >= bytes.length) {
    throw new ToolError('invalid_args', `offset ${offset} is past the end: the answer has ${bytes.length} bytes`, {
      suggestion: 'begin again without offset: the project may have changed',
    });
  }
  const rest = bytes.subarray(characterStart(bytes, offset));
  if (rest.length <= maxResult) return { text: rest.toString() };
  const end = endOfPage(rest, Math.max(1, maxResult - FOOTER_BYTES));
  const next = bytes.length - rest.length + end;
  const text = rest.toString('utf8', 0, end).replace(/\n$/, '');
  const footer = `[bytes ${offset} to ${next} of ${bytes.length}; for more pass offset: ${next}, or name targets]`;
  return { text: [text, ...namesBehind(rest.subarray(end)), footer].join('\n'), truncated: true };
}

function endOfPage(bytes: Buffer, most: number): number {
  const newline = bytes.lastIndexOf(LINE_FEED, most - 1);
  return newline > 0 ? newline + 1 : characterStart(bytes, most);
}

/** Returns the first offset from `at` on at which a UTF-8 character begins. */
function characterStart(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length);
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++;
  return start;
}

/** Lists the files whose headers come later. A line of a file may look like a header: then it is listed too. */
function namesBehind(bytes: Buffer): string[] {
  const names = [...bytes.toString().matchAll(/^`{3,}(path=.+)$/gm)].map(([, name]) => name as string);
  let room = NAMES_BYTES;
  const end = names.findIndex((name) => {
    room -= Buffer.byteLength(name) + 2;
    return room < 0;
  });
  const shown = names.slice(0, end < 0 ? names.length : end);
  if (shown.length === 0) return [];
  const more = shown.length < names.length ? ` and ${names.length - shown.length} more` : '';
  return [`[not shown yet: ${shown.join(', ')}${more}]`];
}
