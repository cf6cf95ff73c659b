import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { characterStart } from '@jinn/core/text/counted';

const FOOTER_BYTES = 1024;
const NAMES_BYTES = 800;
const LINE_FEED = 10;

/** Returns the page at `offset` bytes that fits into `maxResult`. Its last lines say how to read on. Throws `invalid_args` past the end. */
export function pageOf(
  bytes: Buffer,
  offset: number,
  { maxResult = Number.POSITIVE_INFINITY }: Pick<ToolContext, 'maxResult'>,
): ToolOutput {
  if (offset > 0 && offset >= bytes.length) {
    throw new ToolError('invalid_args', `offset ${offset} is past the end: the answer has ${bytes.length} bytes`, {
      suggestion: 'start again without offset: the project may have changed',
    });
  }
  const rest = bytes.subarray(characterStart(bytes, offset));
  if (rest.length <= maxResult) return { text: rest.toString() };
  const most = Math.max(1, maxResult - FOOTER_BYTES);
  const newline = rest.lastIndexOf(LINE_FEED, most - 1);
  const end = newline > 0 ? newline + 1 : characterStart(rest, most);
  const next = bytes.length - rest.length + end;
  const text = rest.toString('utf8', 0, end).replace(/\n$/, '');
  const footer = `[bytes ${offset} to ${next} of ${bytes.length}. For more pass offset: ${next}, or name targets]`;
  return { text: [text, ...namesBehind(rest.subarray(end)), footer].join('\n'), truncated: true };
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
