import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { makePrivateDirectory } from '@jinn/workspace';
import type { SnapshotFiles } from '../history/open-history.ts';
import { randomId } from '../state-database.ts';
import { NoHome } from '../state-fault.ts';

/** A file that is younger may belong to an entry that is being written. */
const MIN_AGE_MS = 3_600_000;
const sync = promisify(fs.fsync);
/** How many files are open at once. A process may have few. */
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
  /** Returns the file of an entry. Security: refuses an id that would lead elsewhere; it comes from the database. */
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
        await allDone([...written, ...(isLast ? [syncDirectory(target)] : [])]);
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

/** Returns the name that a directory got when it was first used. */
function readPlace(directory: string): string {
  const file = `${directory}/place`;
  makePrivateDirectory(directory);
  if (!fs.existsSync(file)) {
    // Whoever is first names it: a link does not take the place of another.
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

/** Returns the files that are old; none if the system refuses to say, since nothing depends on it. */
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

/** Creates a file before it returns; resolves when the disk has it. Other calls go on meanwhile. */
async function writeSynced(file: string, content: Buffer): Promise<void> {
  const opened = fs.openSync(file, 'wx', 0o600);
  try {
    fs.writeFileSync(opened, content);
    await sync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

/** Waits for the end of each, and throws the error of the first that has failed. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

async function syncDirectory(directory: string): Promise<void> {
  const opened = fs.openSync(directory, 'r');
  try {
    await sync(opened);
  } finally {
    fs.closeSync(opened);
  }
}
