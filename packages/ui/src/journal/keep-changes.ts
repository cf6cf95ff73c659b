import { isUtf8 } from 'node:buffer';
import { differingRegion } from '@jinn/core/text/differing-region';
import type { ChangedFile } from '@jinn/workspace';
import { holdsKey } from '@jinn/workspace/secrets/content';
import type { KeptChange } from './journal-record.ts';

const CONTEXT_LINES = 3;
/** The most that is kept of all files of a call: half the limit for JSON, in which a line end takes two characters. */
const MAX_BYTES = 262_144;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);
const WHOLE = { start: 0, tail: 0 };

/**
 * Returns the parts of changed files that differ, of which a reader makes a diff: making it here would take as long as
 * all other work of a call. Returns undefined if there are none, or if they are not UTF-8, or too large.
 */
export function keepChanges(files: readonly ChangedFile[]): readonly KeptChange[] | undefined {
  let size = 0;
  const kept: KeptChange[] = [];
  for (const changed of files) {
    const { file, after } = changed;
    const [old, now] = [file.content ?? NOTHING, after ?? NOTHING];
    // A part that is equal on both sides lost its change when a secret was removed.
    if (file.content && after && old.equals(now)) continue;
    if (old.includes(0) || now.includes(0)) return undefined;
    // Security: the remaining lines of a private key would not be recognized.
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

/** Reports whether a changed file may hold a private key, before or after the change. */
export function isOfKey({ file, after }: ChangedFile): boolean {
  return holdsKey(file.content ?? NOTHING) || holdsKey(after ?? NOTHING);
}

function lineAt(content: Buffer, offset: number): number {
  let line = 1;
  for (let at = content.indexOf(NEWLINE); at >= 0 && at < offset; at = content.indexOf(NEWLINE, at + 1)) line++;
  return line;
}
