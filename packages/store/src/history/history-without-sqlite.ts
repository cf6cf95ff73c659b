import type { Archive, History } from '@jinn/workspace';
import type { SqliteMissing } from '../sqlite.ts';
import { goOnWithoutUndo, toUndoError } from '../state-fault.ts';

/** Opens a substitute without SQLite: files are changed without undo, and a warning says so. Throws `write_failed` by the settings. */
export function openHistoryWithoutSqlite(setting: unknown, cause: SqliteMissing): History {
  const warnings = [goOnWithoutUndo('undo is unavailable', cause, setting)];
  return {
    prepare: async () => undefined,
    commit: async () => false,
    unsettled: async () => [],
    settle: async () => {},
    archive: async (): Promise<Archive> => {
      throw toUndoError('undo is unavailable', cause);
    },
    takeWarnings: () => warnings.splice(0),
  };
}
