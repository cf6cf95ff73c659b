import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { SnapshotFiles } from '@jinn/store/history/open-archive';
import { readHistorySetting, StoredHistory } from '@jinn/store/history/open-history';
import { randomId } from '@jinn/store/state-database';
import { NoHome } from '@jinn/store/state-fault';
import type { StateOwner } from '@jinn/store/state-owner';
import type { Statements } from '@jinn/store/statements';
import { type History, makePrivateDirectory } from '@jinn/workspace';

const OWN = "workspace = ? AND person = ? AND state = 'committed'";

/** Opens the undo history of the user. Entries are in PostgreSQL, and contents in the state directory of the server that made them. */
export async function openSharedHistory(
  statements: Statements,
  workspace: string,
  { person, directory, limits }: StateOwner,
): Promise<History> {
  const snapshots = openSnapshotFiles(directory, workspace);
  const known = async () =>
    new Set(idsOf(await statements.read('SELECT id FROM entries WHERE workspace = ?', workspace)));
  // Removes contents whose entries another server removed, or a killed process never made.
  const tidy = () => snapshots.sweep(known);
  await tidy();
  const own = [workspace, person];
  return new StoredHistory(
    {
      statements,
      snapshots,
      // Locks of files are in the state directory, so that only its servers can tell whether the call of an entry still runs.
      get prepared() {
        return `prepared in ${snapshots.placeId()}`;
      },
      isForeign: () => false,
      tidy,
      takeWarnings: () => [],
      archive: async () => {
        const { openArchive } = await import('@jinn/store/history/open-archive');
        const clear = async () => {
          const gone = idsOf(await statements.read(`SELECT id FROM entries WHERE ${OWN}`, ...own));
          const removed = await statements.write(`DELETE FROM entries WHERE ${OWN}`, ...own);
          await snapshots.remove(gone);
          return removed;
        };
        return openArchive({ statements, snapshots, clear, damaged: () => [] }, { workspace, person });
      },
    },
    { workspace, person, ...(limits && { limits }), setting: () => readHistorySetting(directory) },
  );
}

function idsOf(rows: readonly unknown[]): string[] {
  return (rows as readonly { id: string }[]).map(({ id }) => id);
}

/** A file that is younger may belong to an entry that is being written. */
const MIN_AGE_MS = 3_600_000;
const sync = promisify(fs.fsync);
const MAX_OPEN = 32;
const ID = /^[0-9a-f]{10}$/;

interface OpenSnapshotFiles extends SnapshotFiles {
  /** Returns an id of the state directory, as against those of other servers. Throws the error of the system. */
  placeId(): string;
  /** Removes files that no entry has any more, at most once an hour. `known` returns the ids of all entries. */
  sweep(known: () => Promise<ReadonlySet<string>>): Promise<void>;
}

/** Keeps the contents of a workspace in the state directory, a file each. */
export function openSnapshotFiles(state: string | undefined, workspace: string): OpenSnapshotFiles {
  const all = () => {
    if (state === undefined) throw new NoHome();
    return `${state}/snapshots`;
  };
  const directory = () => `${all()}/${createHash('sha256').update(workspace).digest('hex').slice(0, 16)}`;
  /** Returns the file of an entry. Security: refuses an id that would lead elsewhere. It comes from the database. */
  const fileOf = (id: string) => (ID.test(id) ? `${directory()}/${id}` : undefined);
  const remove = async (ids: Iterable<string>) => {
    const files = state === undefined ? [] : [...ids].map(fileOf).filter((file) => file !== undefined);
    await Promise.all(files.map((file) => rm(file, { force: true })));
  };
  let place: string | undefined;
  let swept = -Infinity;
  return {
    placeId: () => {
      place ??= readPlace(all());
      return place;
    },
    keep: async (contents) => {
      const target = directory();
      makePrivateDirectory(target);
      for (let from = 0; from < contents.length; from += MAX_OPEN) {
        const group = contents.slice(from, from + MAX_OPEN);
        const written = group.map(([id, content]) => writeSynced(`${target}/${id}`, content));
        // All names are there by now, of the groups before too.
        const isLast = from + MAX_OPEN >= contents.length;
        const work = [...written, ...(isLast ? [syncDirectory(target)] : [])];
        await Promise.allSettled(work);
        await Promise.all(work);
      }
    },
    read: (id) => {
      const file = state === undefined ? undefined : fileOf(id);
      return file !== undefined && fs.existsSync(file) ? fs.readFileSync(file) : undefined;
    },
    remove,
    sweep: async (known) => {
      if (state === undefined || Date.now() - swept < MIN_AGE_MS) return;
      swept = Date.now();
      const old = oldFiles(directory());
      if (old.length === 0) return;
      const kept = await known();
      await remove(old.filter((id) => !kept.has(id)));
    },
  };
}

function readPlace(directory: string): string {
  const file = `${directory}/place`;
  makePrivateDirectory(directory);
  if (!fs.existsSync(file)) {
    // The first process names it: a link does not replace another.
    const draft = `${directory}/place-${randomId()}`;
    fs.writeFileSync(draft, randomId(), { mode: 0o600, flush: true });
    try {
      fs.linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      fs.rmSync(draft, { force: true });
    }
  }
  return fs.readFileSync(file, 'utf8');
}

function oldFiles(directory: string): string[] {
  const until = Date.now() - MIN_AGE_MS;
  try {
    return fs.readdirSync(directory).filter((name) => {
      const stat = fs.statSync(`${directory}/${name}`, { throwIfNoEntry: false });
      return stat !== undefined && stat.mtimeMs < until;
    });
  } catch {
    return [];
  }
}

// The file is there when this returns, and on the disk when it resolves.
async function writeSynced(file: string, content: Buffer): Promise<void> {
  const opened = fs.openSync(file, 'wx', 0o600);
  try {
    fs.writeFileSync(opened, content);
    await sync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const opened = fs.openSync(directory, 'r');
  try {
    await sync(opened);
  } finally {
    fs.closeSync(opened);
  }
}
