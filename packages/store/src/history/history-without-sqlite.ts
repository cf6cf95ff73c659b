import type { Archive, History } from '@jinn/workspace';
import type { SqliteMissing } from '../sqlite.ts';
import { goOnWithoutUndo, toUndoError } from '../state-fault.ts';

/**
 * Opens a substitute for the history if there is no SQLite: files are changed without undo, and the first change of a
 * process says so. Throws `write_failed` if `setting`, "history" of config.json, does not allow that.
 */
export function openHistoryWithoutSqlite(setting: unknown, cause: SqliteMissing): History {
  let warnings = [goOnWithoutUndo('undo is unavailable', cause, setting)];
  return {
    prepare: async () => undefined,
    commit: async () => false,
    unsettled: async () => [],
    settle: async () => {},
    archive: async (): Promise<Archive> => {
      throw toUndoError('undo is unavailable', cause);
    },
    takeWarnings: () => {
      const told = warnings;
      warnings = [];
      return told;
    },
  };
}
