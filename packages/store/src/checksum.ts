import { createVersionDigest } from '@jinn/core';

/** A row of `entries`, as far as its checksum covers it. The content is covered by `beforeVersion`. */
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
}

/**
 * A sum over everything in an entry that a restore goes by, so that damage of the database shows. A CRC-32 is enough
 * against accidents; node:crypto alone takes several milliseconds to load.
 */
export function checksumOfEntry(entry: EntryFacts): string {
  const { id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size } = entry;
  return sumOf([id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size]);
}

/** Length and CRC-32 of values, as a short text. */
export function sumOf(values: readonly (string | number | null)[]): string {
  return versionOf(Buffer.from(JSON.stringify(values)));
}

/** The version token of a content, as HistoryEntry has it. */
export function versionOf(content: Uint8Array): string {
  const digest = createVersionDigest();
  digest.update(content);
  return digest.digest();
}
