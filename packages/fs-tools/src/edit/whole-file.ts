import type { ToolContext } from '@jinn/core';
import type { ComputedChanges, FileState } from '@jinn/workspace';
import { describeRecoding } from '../read/text-facts.ts';
import { rejectBrokenNotebook } from './notebook-sources.ts';

/** Returns the changes that give files a content as it is, and warns of another encoding or other line endings. */
export function planWhole(
  files: readonly FileState[],
  content: Buffer,
  ctx: Pick<ToolContext, 'warn'>,
): ComputedChanges<undefined> {
  for (const file of files) {
    rejectBrokenNotebook(file, content);
    const recoded = file.content && describeRecoding(file.content, content);
    if (recoded !== undefined) ctx.warn(`${file.asked} ${recoded}`);
  }
  return { changes: files.map((file) => ({ file, content })), extra: undefined };
}
