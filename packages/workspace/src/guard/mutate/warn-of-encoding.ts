import { isUtf8 } from 'node:buffer';
import type { ChangedFile, MutationContext } from './mutation.ts';

const HEAD_BYTES = 8_192;
const MARKS_OF_UTF16 = [0xfffe, 0xfeff];
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/gu;

/** Warns of files that are not UTF-8, and got text beyond ASCII that is. */
export function warnOfEncoding(ctx: MutationContext, files: readonly ChangedFile[]): void {
  for (const { changed, after, file } of files) {
    if (!changed || !after || !file.content || isUtf8(file.content) || isUtf8(after) || !isText(file.content)) continue;
    if (countBeyondAscii(after) <= countBeyondAscii(file.content)) continue;
    ctx.warn(
      `${file.path} is not UTF-8, and the new text outside ASCII was written as UTF-8: check that it is readable`,
    );
  }
}

function isText(content: Buffer): boolean {
  const hasMark = content.length > 1 && MARKS_OF_UTF16.includes(content.readUInt16BE());
  return !hasMark && !content.subarray(0, HEAD_BYTES).includes(0);
}

function countBeyondAscii(content: Buffer): number {
  let count = 0;
  for (const _ of content.toString().matchAll(BEYOND_ASCII)) count++;
  return count;
}
