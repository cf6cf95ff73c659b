import { ToolError } from '@jinn/errors';
import type { Archive, History } from '@jinn/guard';
import { readConfig } from '../read-config.ts';
import { SqliteMissing } from '../sqlite.ts';
import { toUndoError } from '../state-fault.ts';

/**
 * Stands for the history where there is no SQLite: files are changed without undo, and the first change of a process says
 * so. Throws `write_failed` where config.json has `"history": "require"`, or another value that is not known.
 */
export function openHistoryWithoutSqlite(state: string | undefined, cause: SqliteMissing): History {
  const { history } = (state === undefined ? {} : readConfig(state)) ?? { history: 'require' };
  if (history === 'require') throw toUndoError('undo is unavailable', cause);
  if (history !== undefined && history !== 'optional') throw unknownSetting(history);
  const reason = `files are changed without undo: ${cause.message}; ${SqliteMissing.SUGGESTION}`;
  let warnings = [reason];
  return {
    prepare: () => undefined,
    commit: () => false,
    unsettled: () => [],
    settle: () => {},
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

function unknownSetting(history: unknown): ToolError {
  const shown = JSON.stringify(history).slice(0, 60);
  return new ToolError('write_failed', `config.json: "history" must be "require" or "optional", not ${shown}`, {
    suggestion: 'ask the user to mend config.json in the configuration directory of jinn',
  });
}
