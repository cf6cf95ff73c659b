import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { StateFiles } from '@jinn/workspace';
import { isUnchanged } from '@jinn/workspace/walk';
import type { Client } from './agent-directories.ts';
import type { ContextIndex, SeenColumns } from './context-index.ts';
import type { ContextSource } from './context-sources.ts';

/** The version of the format, and of all code that decides the content of an index. */
const VERSION = 7;

export interface CachedIndex extends ContextIndex {
  readonly version: number;
  readonly sources: readonly string[];
  readonly built: string;
}

/** The stats are written as base64: reading so many numbers as JSON takes as long as reading the rest. */
type StoredIndex = Omit<CachedIndex, 'seen'> & {
  readonly seen: Omit<SeenColumns, 'fingerprint'> & { fingerprint: string };
};

/** Reads the cached index of a client, or undefined if there is none, or the disk has changed since. */
export function readCache(
  files: StateFiles,
  client: Client,
  sources: readonly ContextSource[],
): CachedIndex | undefined {
  const kept = parse(files, client);
  if (
    kept?.version !== VERSION ||
    !isSound(kept) ||
    JSON.stringify(kept.sources) !== JSON.stringify(sources.map(identityOf))
  )
    return undefined;
  const index = { ...kept, seen: { ...kept.seen, fingerprint: toNumbers(kept.seen.fingerprint) } };
  return isAsItWas(index.seen, sources) ? index : undefined;
}

/** Writes an index to the cache. Returns a warning if that fails. */
export function writeCache(files: StateFiles, client: Client, index: CachedIndex): string | undefined {
  try {
    const { seen } = index;
    const fingerprint = Buffer.from(seen.fingerprint.buffer).toString('base64');
    files.write(nameOf(client), JSON.stringify({ ...index, seen: { ...seen, fingerprint } } satisfies StoredIndex));
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) return `the index is not cached: ${error.message}`;
    throw error;
  }
}

export function toCached(index: ContextIndex, sources: readonly ContextSource[], built: Date): CachedIndex {
  return { version: VERSION, sources: sources.map(identityOf), built: built.toISOString(), ...index };
}

function nameOf(client: Client): string {
  return `context-index-${client}.json`;
}

function parse(files: StateFiles, client: Client): Partial<StoredIndex> | undefined {
  try {
    return JSON.parse(files.read(nameOf(client))?.toString() ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function isSound(index: Partial<StoredIndex>): index is StoredIndex {
  const { entries, postings, seen, warnings, sources, averageLength, built } = index;
  const isText = (value: unknown) => typeof value === 'string';
  return (
    [entries?.source, entries?.length, seen?.source, warnings, sources].every(Array.isArray) &&
    [entries?.path, entries?.name, entries?.title, entries?.words, seen?.path, postings, built].every(isText) &&
    [entries?.description, entries?.origin, seen?.fingerprint].every(isText) &&
    typeof averageLength === 'number'
  );
}

/** Decodes four numbers for each file and directory. A list that is too short matches nothing. */
function toNumbers(base64: string): Float64Array {
  const bytes = Buffer.from(base64, 'base64');
  return new Float64Array(new Uint8Array(bytes.subarray(0, bytes.length & ~7)).buffer);
}

function identityOf({ root, start, type, plugin = '' }: ContextSource): string {
  return JSON.stringify([posix.join(root.root, start), root.root, type, plugin]);
}

/** It loops over plain arrays, since it runs once per process, mostly uncompiled. */
function isAsItWas({ source, path, fingerprint }: SeenColumns, sources: readonly ContextSource[]): boolean {
  const roots = sources.map(({ root }) => root.root);
  const paths = path.split('\n');
  for (let i = 0; i < source.length; i++) {
    const root = roots[source[i] as number];
    if (root === undefined || !isUnchanged(root, paths[i] as string, fingerprint, 4 * i)) return false;
  }
  return true;
}
