import { isUtf8 } from 'node:buffer';
import type { ChangedFile } from '@jinn/guard';
import { holdsKey } from '@jinn/secrets/content';
import { differingRegion } from '@jinn/text/differing-region';
import type { KeptChange } from './journal-record.ts';

const CONTEXT_LINES = 3;
/** What is kept of all files of a call: half as much as of its JSON, in which a line end takes two characters. */
const MAX_BYTES = 262_144;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);
const WHOLE = { start: 0, tail: 0 };

/**
 * Returns the parts of changed files that differ, of which a reader makes a diff: making one would take a call as long as all
 * else. Undefined if there are none, or if they are no UTF-8, or too large.
 */
export function keepChanges(files: readonly ChangedFile[]): readonly KeptChange[] | undefined {
  let size = 0;
  const kept: KeptChange[] = [];
  for (const changed of files) {
    const { file, after } = changed;
    const [old, now] = [file.content ?? NOTHING, after ?? NOTHING];
    // A part that is kept and equal on both sides has lost its change with a secret.
    if (file.content && after && old.equals(now)) continue;
    if (old.includes(0) || now.includes(0)) return undefined;
    // Security: of a private key, the lines that are left of it would look like none.
    const { start, tail } = isOfKey(changed) ? WHOLE : differingRegion(old, now, CONTEXT_LINES);
    size += old.length + now.length - 2 * (start + tail);
    if (size > MAX_BYTES) return undefined;
    const cut = (content: Buffer) => content.subarray(start, content.length - tail);
    if (!isUtf8(cut(old)) || !isUtf8(cut(now))) return undefined;
    kept.push({
      path: file.path,
      line: lineAt(old, start),
      ...(file.content && { before: cut(old).toString() }),
      ...(after && { after: cut(now).toString() }),
    });
  }
  return kept.length > 0 ? kept : undefined;
}

/** Reports whether a changed file may hold a private key, on one side or the other. */
export function isOfKey({ file, after }: ChangedFile): boolean {
  return holdsKey(file.content ?? NOTHING) || holdsKey(after ?? NOTHING);
}

function lineAt(content: Buffer, offset: number): number {
  let line = 1;
  for (let at = content.indexOf(NEWLINE); at >= 0 && at < offset; at = content.indexOf(NEWLINE, at + 1)) line++;
  return line;
}
