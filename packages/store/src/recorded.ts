import { ToolError } from '@jinn/core';

/** What SQLite's refusals mean, in words. */
const REASONS: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'no space left on the disk',
  SQLITE_BUSY: 'another process keeps it locked',
  SQLITE_READONLY: 'state.db is read-only',
  SQLITE_CORRUPT: 'state.db is damaged',
  SQLITE_NOTADB: 'state.db is damaged',
};

/** Runs work that writes to the history; throws `write_failed` when that fails. */
export function recorded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? '';
    const reason = REASONS[code] ?? 'state.db cannot be written';
    throw new ToolError('write_failed', `the change cannot be recorded for undo: ${reason}`, {
      suggestion: 'tell the user; --no-history changes files without undo',
      cause,
    });
  }
}
