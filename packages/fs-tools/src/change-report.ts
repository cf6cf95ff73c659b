import type { ChangedFile, MutationResult } from '@jinn/core';
import { changedLines } from './changed-lines.ts';
import { unifiedDiff } from './unified-diff.ts';

const CONTEXT_LINES = 3;
/** What the agent asked to see: larger contents are not compared line by line. */
const ASKED = { maxBytes: 20 * 1024 * 1024 };
/** What comes along unasked may cost next to nothing. */
const UNASKED = { maxBytes: 1024 * 1024, maxEdits: 200 };
/** Longer diffs stay out of `meta`: nobody reads them, and they cost the agent. */
const MAX_META_CHARACTERS = 64 * 1024;
const NOTHING = Buffer.alloc(0);

interface DiffLimits {
  readonly maxBytes: number;
  /** Beyond this, what differs is shown as replaced whole. */
  readonly maxEdits?: number;
}

/** A unified diff of what became of a file, with 3 lines of context; empty when nothing did. */
export function diffOf({ file, after = NOTHING }: ChangedFile, limits: DiffLimits = ASKED): string {
  const { path, content: before = NOTHING } = file;
  const size = before.length + after.length;
  if (size > limits.maxBytes) return `[too large to compare: ${before.length} bytes before, ${after.length} after]\n`;
  if (before.includes(0) || after.includes(0)) {
    return before.equals(after) ? '' : `Binary files a/${path} and b/${path} differ\n`;
  }
  return unifiedDiff({ path, content: before }, { path, content: after }, CONTEXT_LINES, limits.maxEdits).text;
}

/** What a program may want to know of a change. */
export interface ChangeMeta {
  readonly version?: string;
  readonly undo_id?: string;
  readonly operation_id?: string;
  readonly first_changed_line?: number;
  readonly last_changed_line?: number;
  readonly diff?: string;
  readonly unchanged?: true;
}

/** The `meta` of one changed file. */
export function changeMeta(changed: ChangedFile, { operationId }: Pick<MutationResult, 'operationId'>): ChangeMeta {
  const { version, undoId, file, after } = changed;
  const names = {
    ...(version !== undefined && { version }),
    ...(undoId !== undefined && { undo_id: undoId }),
    ...(operationId !== undefined && { operation_id: operationId }),
  };
  const lines = changedLines(file.content ?? NOTHING, after ?? NOTHING);
  if (!changed.changed) return { ...names, unchanged: true };
  const diff = diffOf(changed, UNASKED);
  return {
    ...names,
    ...(lines && { first_changed_line: lines.first, last_changed_line: lines.last }),
    ...(diff !== '' && diff.length <= MAX_META_CHARACTERS && { diff }),
  };
}
