import { versionOf } from '@jinn/guard';

/** Ids of operations begin with this; ids of entries do not. */
export const OPERATION_PREFIX = 'op-';

/** Makes a short id. It need not be secret, and the table refuses one that it has already. */
export function randomId(): string {
  return Math.floor(Math.random() * 2 ** 40)
    .toString(16)
    .padStart(10, '0');
}

/** The part of a row of `entries` that its checksum covers. `beforeVersion` covers the content. */
export interface EntryFacts {
  readonly id: string;
  readonly operationId: string;
  /** The real path of the workspace root. */
  readonly workspace: string;
  readonly tool: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly beforeVersion: string | null;
  readonly afterVersion: string | null;
  readonly mode: number | null;
  readonly size: number | null;
  /** How many of the directories above the file the change made. */
  readonly newDirectories: number;
  /** Whose call it was; empty for a person without a name. */
  readonly person: string;
}

/**
 * Returns a sum over everything in an entry that a restore relies on, so that damage of the database shows. A CRC-32 is
 * enough against accidents; node:crypto alone takes several milliseconds to load.
 */
export function checksumOfEntry(entry: EntryFacts): string {
  const { id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size } = entry;
  // Versions of jinn that did not know of new directories and of people left them out of the sum.
  const added = [entry.newDirectories, entry.person].filter(Boolean);
  return sumOf([id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size, ...added]);
}

/** Returns the length and CRC-32 of values as a short text. */
export function sumOf(values: readonly (string | number | null)[]): string {
  return versionOf(Buffer.from(JSON.stringify(values)));
}
