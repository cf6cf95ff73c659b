import { versionOf } from '@jinn/core';

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
  readonly workspace: string;
  readonly tool: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly beforeVersion: string | null;
  readonly afterVersion: string | null;
  readonly mode: number | null;
  readonly size: number | null;
  readonly newDirectories: number;
}

/**
 * Returns a sum over everything in an entry that a restore relies on, so that damage of the database shows. A CRC-32 is
 * enough against accidents; node:crypto alone takes several milliseconds to load.
 */
export function checksumOfEntry(entry: EntryFacts): string {
  const { id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size } = entry;
  // Versions of jinn that did not know of new directories left them out of the sum.
  const added = entry.newDirectories > 0 ? [entry.newDirectories] : [];
  return sumOf([id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size, ...added]);
}

/** Returns the length and CRC-32 of values as a short text. */
export function sumOf(values: readonly (string | number | null)[]): string {
  return versionOf(Buffer.from(JSON.stringify(values)));
}
