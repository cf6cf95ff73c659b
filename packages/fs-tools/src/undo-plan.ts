import { type Archive, type FileChange, type FileState, type HistoryEntry, ToolError } from '@jinn/core';
import { takeOut } from './take-out.ts';

const MAX_NAMED = 10;

/** What a restore makes of a file. */
export interface FileRestore {
  /** The change that is taken back. */
  readonly entry: HistoryEntry;
  readonly change: FileChange;
  /** Changes of jinn that were made since and still count, oldest first. */
  readonly later: readonly HistoryEntry[];
  /** Alone: what was changed since stays. Refused: it would go too, and nobody asked for that. */
  readonly kind: 'whole' | 'alone' | 'refused';
}

/** Returns the oldest changes to take back so that these and all that came later, in the same files and calls, are. */
export function withLaterChanges(archive: Archive, entries: readonly HistoryEntry[]): HistoryEntry[] {
  const oldest = new Map<string, HistoryEntry>();
  const open = [...entries];
  for (const entry of open) {
    if ((oldest.get(entry.path)?.order ?? Infinity) <= entry.order) continue;
    oldest.set(entry.path, entry);
    for (const { operationId } of standingSince(archive, entry)) open.push(...archive.find(operationId));
  }
  return [...oldest.values()];
}

/** Returns what the file of an entry becomes when the entry is taken back. Throws for a file that is another one now. */
export function planRestore(archive: Archive, entry: HistoryEntry, file: FileState, withLater: boolean): FileRestore {
  if (file.path !== entry.path) throw movedAway(entry);
  const later = standingSince(archive, entry);
  // Else something would go with the change, or what is gone already would come back.
  const isLast = file.version === entry.afterVersion || file.version === entry.beforeVersion;
  const content = isLast || withLater ? undefined : withoutEntry(archive, entry, file);
  if (content) return { entry, later, kind: 'alone', change: { file, content } };
  const kind = isLast || withLater ? 'whole' : 'refused';
  return { entry, later, kind, change: { file, ...contentBefore(archive, entry) } };
}

/**
 * The newer changes of a file without those that were taken back: they left it as it was before them. None if the entry
 * itself was taken back last.
 */
function standingSince(archive: Archive, entry: HistoryEntry): HistoryEntry[] {
  const standing = [entry];
  for (const each of archive.newer(entry)) {
    const at = standing.findIndex(({ afterVersion }) => afterVersion === each.afterVersion);
    if (at < 0) standing.push(each);
    else standing.length = at + 1;
  }
  return standing.at(-1)?.afterVersion === entry.beforeVersion ? [] : standing.slice(1);
}

function contentBefore(archive: Archive, entry: HistoryEntry): Omit<FileChange, 'file'> {
  if (entry.size === undefined) return { content: undefined, emptyDirectories: entry.newDirectories };
  const snapshot = archive.snapshot(entry.id);
  if (!snapshot) throw goneMeanwhile(entry);
  return snapshot;
}

/** What the file holds, without what this entry changed; undefined if that cannot be told for certain. */
function withoutEntry(archive: Archive, entry: HistoryEntry, { content: now }: FileState): Buffer | undefined {
  const next = archive.newer(entry).find(({ beforeVersion }) => beforeVersion === entry.afterVersion);
  const after = next && archive.snapshot(next.id)?.content;
  const before = archive.snapshot(entry.id)?.content;
  return before && after && now && takeOut({ before, after, now });
}

/** Says what would go too: the calls by their ids, and what was not done by jinn. */
export function describeLater(restores: readonly FileRestore[]): string {
  const calls = new Map(restores.flatMap(({ later }) => later.map(({ operationId, tool }) => [operationId, tool])));
  const named = [...calls].slice(0, MAX_NAMED).map(([id, tool]) => `${id} (${tool})`);
  const more = calls.size > MAX_NAMED ? [`and ${calls.size - MAX_NAMED} more`] : [];
  const foreign = restores.filter(isForeign).map(({ entry }) => `what was done to ${entry.path} without jinn`);
  return [...named, ...more, ...foreign.slice(0, MAX_NAMED)].join(', ');
}

/** True if the file was not always what the change before had made of it, and now is not what it was before them all. */
function isForeign({ entry, change: { file }, later }: FileRestore): boolean {
  if (file.version === entry.beforeVersion) return false;
  const found = [...later.map(({ beforeVersion }) => beforeVersion), file.version];
  return [entry, ...later].some(({ afterVersion }, i) => afterVersion !== found[i]);
}

/** The refusal of a restore with which more would go than was asked for; undefined if nothing would. */
export function refusalOf(restores: readonly FileRestore[]): ToolError | undefined {
  const refused = restores.filter(({ kind }) => kind === 'refused');
  if (refused.length === 0) return undefined;
  const paths = refused.slice(0, MAX_NAMED).map(({ entry }) => entry.path);
  const message = `later changes of ${paths.join(', ')} would be lost: ${describeLater(refused)}; nothing was changed`;
  if (refused.every(({ later }) => later.length === 0)) {
    const suggestion = 'look at the difference with preview, or pass with_later: true to lose these changes';
    return new ToolError('stale_file', message, { suggestion });
  }
  return new ToolError('conflict', message, {
    suggestion: 'restore these first, the newest before the others, or pass with_later: true to take them back too',
  });
}

function movedAway({ path }: HistoryEntry): ToolError {
  return new ToolError(
    'conflict',
    `${path} is a link to another file now, and this snapshot is of the file that was there before`,
    {
      suggestion: 'remove the link first',
    },
  );
}

function goneMeanwhile({ id }: HistoryEntry): ToolError {
  return new ToolError('not_found', `the snapshot ${id} has been removed since`, {
    suggestion: 'use {"action":"list"} to see the ids',
  });
}
