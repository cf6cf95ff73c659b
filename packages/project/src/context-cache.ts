import { posix } from 'node:path';
import { type StateFiles, ToolError } from '@jinn/core';
import { isUnchanged } from '@jinn/walk';
import type { ContextIndex, SeenColumns } from './context-index.ts';
import type { ContextSource } from './context-sources.ts';
import type { Client } from './context-types.ts';

/** Of the format, and of all that decides what an index holds. */
const VERSION = 4;

export interface CachedIndex extends ContextIndex {
  readonly version: number;
  /** What was indexed, in order. */
  readonly sources: readonly string[];
  /** When it was built, as ISO 8601. */
  readonly built: string;
}

/** The fingerprints are written as base64: to read so many numbers as JSON takes as long as all the rest of it. */
type Kept = Omit<CachedIndex, 'seen'> & { readonly seen: Omit<SeenColumns, 'fingerprint'> & { fingerprint: string } };

/** The index of a client as it was kept, when it still says what is on the disk; otherwise undefined. */
export function readCache(
  files: StateFiles,
  client: Client,
  sources: readonly ContextSource[],
): CachedIndex | undefined {
  const kept = parse(files, client);
  if (kept?.version !== VERSION || !isSound(kept) || !sameSources(kept.sources, sources)) return undefined;
  const index = { ...kept, seen: { ...kept.seen, fingerprint: toNumbers(kept.seen.fingerprint) } };
  return isAsItWas(index.seen, sources) ? index : undefined;
}

/** Keeps an index; gives why it could not, if so. */
export function writeCache(files: StateFiles, client: Client, index: CachedIndex): string | undefined {
  try {
    const { seen } = index;
    const fingerprint = Buffer.from(seen.fingerprint.buffer).toString('base64');
    files.write(nameOf(client), JSON.stringify({ ...index, seen: { ...seen, fingerprint } } satisfies Kept));
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) return `the index is not kept: ${error.message}`;
    throw error;
  }
}

export function toCached(index: ContextIndex, sources: readonly ContextSource[], built: Date): CachedIndex {
  return { version: VERSION, sources: sources.map(identityOf), built: built.toISOString(), ...index };
}

function nameOf(client: Client): string {
  return `context-index-${client}.json`;
}

/** What is damaged, or no file at all, is as good as none. */
function parse(files: StateFiles, client: Client): Partial<Kept> | undefined {
  try {
    return JSON.parse(files.read(nameOf(client))?.toString() ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function isSound(index: Partial<Kept>): index is Kept {
  const { entries, postings, seen, notes, sources, averageLength, built } = index;
  return (
    [entries?.source, entries?.length, seen?.source, notes, sources].every(Array.isArray) &&
    [entries?.path, entries?.name, entries?.title, entries?.words, seen?.path, postings, built].every(isText) &&
    [entries?.description, entries?.origin, seen?.fingerprint].every(isText) &&
    typeof averageLength === 'number'
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Four numbers for each thing that was seen; what is too short matches nothing. */
function toNumbers(base64: string): Float64Array {
  const bytes = Buffer.from(base64, 'base64');
  return new Float64Array(new Uint8Array(bytes.subarray(0, bytes.length & ~7)).buffer);
}

function sameSources(before: readonly string[], now: readonly ContextSource[]): boolean {
  return before.length === now.length && now.every((source, i) => identityOf(source) === before[i]);
}

function identityOf({ root, start, type, plugin = '' }: ContextSource): string {
  return JSON.stringify([posix.join(root.root, start), root.root, type, plugin]);
}

/** A loop over plain lists: it runs once in a process, and most of its time before it is compiled. */
function isAsItWas({ source, path, fingerprint }: SeenColumns, sources: readonly ContextSource[]): boolean {
  const roots = sources.map(({ root }) => root.root);
  const paths = path.split('\n');
  for (let i = 0; i < source.length; i++) {
    const root = roots[source[i] as number];
    if (root === undefined || !isUnchanged(root, paths[i] as string, fingerprint, 4 * i)) return false;
  }
  return true;
}
