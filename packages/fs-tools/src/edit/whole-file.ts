import type { ToolContext } from '@jinn/core';
import type { ComputedChanges, FileChange, FileState } from '@jinn/workspace';
import { type Charset, findCharset } from '@jinn/workspace/find-charset';
import { describeRecoding } from '../read/text-facts.ts';
import { rejectBrokenNotebook } from './notebook-sources.ts';

/**
 * Returns the changes that give files a text, in `encoding` or else that of the file, and the encoding of the last one if it
 * is not UTF-8. Warns of another encoding and of other line endings. Throws `invalid_args` for a character that the
 * encoding lacks.
 */
export async function planWhole(
  files: readonly FileState[],
  text: Buffer,
  ctx: ToolContext,
  encoding?: string,
): Promise<ComputedChanges<string | undefined>> {
  const changes: FileChange[] = [];
  let written: string | undefined;
  for (const file of files) {
    const { path, content: before } = file;
    const old = before && (await findCharset(ctx, { path, content: before }));
    const charset = encoding === undefined ? old : await findCharset(ctx, { path, content: text }, encoding);
    const content = charset ? encodeWhole(charset, text, charset === old ? before : undefined) : text;
    rejectBrokenNotebook(file, text);
    const recoded = before && describeRecoding([old?.decode(before) ?? before, old?.name], [text, charset?.name]);
    if (recoded !== undefined) ctx.warn(`${file.asked} ${recoded}`);
    changes.push({ file, content });
    written = charset?.name;
  }
  return { changes, extra: written };
}

/** Encodes a whole text, with the byte order mark that the file had. */
function encodeWhole(charset: Charset, text: Buffer, before: Buffer | undefined): Buffer {
  const isStateful = charset.name === 'iso-2022-jp';
  return charset.open(before && !isStateful ? before.subarray(0, 4) : Buffer.alloc(0), '').encode(text);
}
