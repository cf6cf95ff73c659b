import type { ChangedFile } from '@jinn/guard';
import { differingRegion } from '@jinn/text/differing-region';
import type { KeptChange } from './journal-record.ts';

const CONTEXT_LINES = 3;
/** What is kept of all files of a call. */
const MAX_BYTES = 524_288;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);
/** Security: of a private key, the lines that are left of it would look like none. */
const KEY = 'PRIVATE KEY';

/**
 * Returns the parts of changed files that differ, of which a reader makes a diff: making one would take a call as long as all
 * else. Undefined if there are none, or if they are no plain text, or too large.
 */
export function keepChanges(files: readonly ChangedFile[]): readonly KeptChange[] | undefined {
  let size = 0;
  const kept: KeptChange[] = [];
  for (const { file, after } of files) {
    const [old, now] = [file.content ?? NOTHING, after ?? NOTHING];
    if (old.includes(0) || now.includes(0)) return undefined;
    const { start, tail } = old.includes(KEY) || now.includes(KEY) ? WHOLE : differingRegion(old, now, CONTEXT_LINES);
    size += old.length + now.length - 2 * (start + tail);
    if (size > MAX_BYTES) return undefined;
    const cut = (content: Buffer) => content.toString('utf8', start, content.length - tail);
    kept.push({
      path: file.path,
      line: lineAt(old, start),
      ...(file.content && { before: cut(old) }),
      ...(after && { after: cut(now) }),
    });
  }
  return kept.length > 0 ? kept : undefined;
}

const WHOLE = { start: 0, tail: 0 };

function lineAt(content: Buffer, offset: number): number {
  let line = 1;
  for (let at = content.indexOf(NEWLINE); at >= 0 && at < offset; at = content.indexOf(NEWLINE, at + 1)) line++;
  return line;
}
