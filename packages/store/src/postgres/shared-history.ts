import type { History } from '@jinn/workspace';
import { readHistorySetting } from '../history/history-setting.ts';
import { type HistoryLimits, StoredHistory } from '../history/open-history.ts';
import type { Statements } from '../statements.ts';
import { openSnapshotFiles } from './snapshot-files.ts';

const OWN = "workspace = ? AND person = ? AND state = 'committed'";

interface SharedHistoryOptions {
  /** The name of the workspace in the database. */
  readonly workspace: string;
  readonly person: string;
  readonly directory: string | undefined;
  readonly limits?: HistoryLimits | undefined;
}

/**
 * Opens the undo history of a workspace whose entries are in PostgreSQL, and whose contents are in the state directory of the server
 * that made the change.
 */
export async function openSharedHistory(statements: Statements, options: SharedHistoryOptions): Promise<History> {
  const { workspace, person, directory, limits } = options;
  const snapshots = openSnapshotFiles(directory, workspace);
  const known = async () =>
    new Set(idsOf(await statements.read('SELECT id FROM entries WHERE workspace = ?', workspace)));
  // What another server removed, and what a killed process left.
  const tidy = () => snapshots.sweep(known);
  await tidy();
  const own = [workspace, person];
  return new StoredHistory(
    {
      statements,
      snapshots,
      /** Whether the call of an entry still runs is told by the lock of its file, which is in the state directory. */
      get prepared() {
        return `prepared in ${snapshots.placeId()}`;
      },
      isForeign: () => false,
      tidy,
      takeWarnings: () => [],
      archive: async () => {
        const { openArchive } = await import('../history/open-archive.ts');
        const clear = async () => {
          const gone = idsOf(await statements.read(`SELECT id FROM entries WHERE ${OWN}`, ...own));
          const removed = await statements.write(`DELETE FROM entries WHERE ${OWN}`, ...own);
          await snapshots.remove(gone);
          return removed;
        };
        return openArchive({ statements, snapshots, clear, damaged: () => [] }, { workspace, person });
      },
    },
    {
      workspace,
      person,
      ...(limits && { limits }),
      setting: () => readHistorySetting(directory),
    },
  );
}

function idsOf(rows: readonly unknown[]): string[] {
  return (rows as readonly { id: string }[]).map(({ id }) => id);
}
