import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { type Archive, type FileChange, type FileState, type HistoryEntry, versionOf } from '@jinn/workspace';
import { diffLines, type LineChange, linesIn } from './line-diff.ts';
import { cutList, groupBy, groupByOperation } from './undo-list.ts';

/** The effect of a restore on a file. */
export interface FileRestore {
  readonly entry: HistoryEntry;
  readonly change: FileChange;
  /** Changes of jinn that were made since and still count, oldest first. */
  readonly later: readonly HistoryEntry[];
  /** `alone`: later changes stay. `refused`: they would be lost too, and no one asked for that. */
  readonly kind: 'whole' | 'alone' | 'refused';
}

/** An undo of several calls may have taken any of them. More combinations are not tried. */
const MAX_TRIES = 500;

/**
 * Returns the oldest changes to undo, so that these and all later ones in the same files and calls are undone.
 */
export async function withLaterChanges(archive: Archive, entries: readonly HistoryEntry[]): Promise<HistoryEntry[]> {
  const oldest = new Map<string, HistoryEntry>();
  const open = [...entries];
  for (const entry of open) {
    if ((oldest.get(entry.path)?.order ?? Infinity) <= entry.order) continue;
    oldest.set(entry.path, entry);
    for (const { operationId } of await standingSince(archive, entry)) open.push(...(await archive.find(operationId)));
  }
  return [...oldest.values()];
}

/** Returns the entries of the last operations that were not undone, and are no undo themselves, newest first. */
export async function lastOperations(archive: Archive, count: number): Promise<HistoryEntry[]> {
  const all = await archive.list();
  const standing = await standingOperations(archive, all);
  const own = all.filter(({ operationId, otherPerson }) => standing.has(operationId) && otherPerson === undefined);
  const operations = groupByOperation(own);
  if (operations.length < count) {
    const most = operations.length;
    throw new ToolError(
      'not_found',
      `there ${most === 1 ? 'is' : 'are'} ${counted(most, 'call')} to undo, not ${count} (nothing was changed)`,
      { suggestion: most > 0 ? `pass last: ${most}` : 'use {"action":"list"} to see what the history holds' },
    );
  }
  const ids = operations.slice(0, count).map(([entry]) => (entry as HistoryEntry).operationId);
  const found: HistoryEntry[] = [];
  for (const id of ids) found.push(...(await archive.find(id)));
  return found;
}

/** Returns the ids of the operations that no undo has reverted. An undo is none of them. The entries come newest first. */
export async function standingOperations(archive: Archive, entries: readonly HistoryEntry[]): Promise<Set<string>> {
  const standing = new Set<string>();
  for (const ofFile of groupBy(entries.toReversed(), (entry) => entry.path)) {
    for (const { operationId } of await withoutUndone(archive, ofFile)) standing.add(operationId);
  }
  return standing;
}

async function withoutUndone(archive: Archive, entries: readonly HistoryEntry[]): Promise<readonly HistoryEntry[]> {
  let standing: readonly HistoryEntry[] = [];
  /** The entries that were in effect when the file had a version. */
  const known = new Map([[entries[0]?.beforeVersion, standing]]);
  const isOfMode = ({ beforeVersion, afterVersion }: HistoryEntry) => beforeVersion === afterVersion;
  for (const entry of entries) {
    if (entry.tool !== 'undo') standing = [...standing, entry];
    else if (isOfMode(entry)) standing = standing.toSpliced(standing.findLastIndex(isOfMode), 1);
    else standing = known.get(entry.afterVersion) ?? (await withoutTaken(archive, standing, entry));
    known.set(entry.afterVersion, standing);
  }
  return standing;
}

/** Leaves out the entries that an undo took out of the lines of a file, while others stayed. Their combinations are tried. */
async function withoutTaken(
  archive: Archive,
  standing: readonly HistoryEntry[],
  undo: HistoryEntry,
): Promise<readonly HistoryEntry[]> {
  let tries = MAX_TRIES;
  const find = async (content: Buffer, end: number): Promise<readonly HistoryEntry[] | undefined> => {
    for (let at = end - 1; at >= 0 && tries-- > 0; at--) {
      const entry = standing[at] as HistoryEntry;
      const left = await withoutEntry(archive, entry, { content });
      const taken = left && (versionOf(left) === undo.afterVersion ? [] : await find(left, at));
      if (taken) return [entry, ...taken];
    }
    return undefined;
  };
  const before = (await archive.snapshot(undo.id))?.content;
  const taken = before && (await find(before, standing.length));
  return taken ? standing.filter((entry) => !taken.includes(entry)) : standing;
}

/** Undoes some entries of a file, the newest first. Throws for a file that is another one now. */
export async function planRestores(
  archive: Archive,
  entries: readonly HistoryEntry[],
  file: FileState,
  withLater: boolean,
): Promise<FileRestore> {
  let state = file;
  let plan: FileRestore | undefined;
  for (const entry of entries) {
    const next: FileRestore = await planRestore(archive, entry, state, withLater);
    const kind = plan && plan.kind !== 'whole' ? plan.kind : next.kind;
    if (plan?.kind === 'refused') break;
    const { content, mode = state.mode } = next.change;
    state = { ...state, content, mode, version: content && versionOf(content) };
    plan = { ...next, kind, change: { ...next.change, file, mode: next.change.mode ?? plan?.change.mode } };
  }
  if (!plan) throw new Error('a file to restore has an entry');
  return plan;
}

async function planRestore(
  archive: Archive,
  entry: HistoryEntry,
  file: FileState,
  withLater: boolean,
): Promise<FileRestore> {
  if (file.path !== entry.path)
    throw new ToolError(
      'conflict',
      `${entry.path} is a link to another file now, and this snapshot is of the file that was there before`,
      { suggestion: 'remove the link first' },
    );
  const later = await standingSince(archive, entry);
  // A file that someone deleted has nothing to lose.
  const isDeleted = file.version === undefined && [entry, ...later].at(-1)?.afterVersion !== undefined;
  // Otherwise later text would be lost with the change, or removed text would come back.
  const isLast = isDeleted || file.version === entry.afterVersion || file.version === entry.beforeVersion;
  const content = isLast || withLater ? undefined : await withoutEntry(archive, entry, file);
  if (content) return { entry, later, kind: 'alone', change: { file, content } };
  const kind = isLast || withLater ? 'whole' : 'refused';
  return { entry, later, kind, change: { file, ...(await contentBefore(archive, entry)) } };
}

/** Returns the newer changes of a file that have an effect, or none if the entry itself was undone last. */
async function standingSince(archive: Archive, entry: HistoryEntry): Promise<HistoryEntry[]> {
  const standing = [entry];
  for (const each of await archive.newer(entry)) {
    const at = standing.findIndex(({ afterVersion }) => afterVersion === each.afterVersion);
    if (at < 0) standing.push(each);
    else standing.length = at + 1;
  }
  return standing.at(-1)?.afterVersion === entry.beforeVersion ? [] : standing.slice(1);
}

async function contentBefore(archive: Archive, entry: HistoryEntry): Promise<Omit<FileChange, 'file'>> {
  if (entry.size === undefined) return { content: undefined, emptyDirectories: entry.newDirectories };
  const snapshot = await archive.snapshot(entry.id);
  if (!snapshot)
    throw new ToolError('not_found', `the snapshot ${entry.id} has been removed since`, {
      suggestion: 'use {"action":"list"} to see the ids',
    });
  return snapshot;
}

async function withoutEntry(
  archive: Archive,
  entry: HistoryEntry,
  { content: now }: Pick<FileState, 'content'>,
): Promise<Buffer | undefined> {
  const next = (await archive.newer(entry)).find(({ beforeVersion }) => beforeVersion === entry.afterVersion);
  const after = next && (await archive.snapshot(next.id))?.content;
  const before = (await archive.snapshot(entry.id))?.content;
  return before && after && now && removeChange({ before, after, now });
}

/** The ids of the operations to undo. */
export type AskedFor = ReadonlySet<string>;

/** Describes what would be lost too: the calls by their ids, and changes that jinn did not make. */
export function describeLater(restores: readonly FileRestore[], asked: AskedFor): string {
  const later = restores.flatMap((restore) => othersIn(restore, asked));
  const calls = new Map(later.map(({ operationId, tool }) => [operationId, tool]));
  const named = [...calls].map(([id, tool]) => `${id} (${tool})`);
  const foreign = restores.filter(isForeign).map(({ entry }) => `what was done to ${entry.path} without jinn`);
  return [named, foreign]
    .filter((each) => each.length > 0)
    .map((each) => cutList(each))
    .join(', ');
}

function othersIn({ later }: FileRestore, asked: AskedFor): HistoryEntry[] {
  return later.filter(({ operationId }) => !asked.has(operationId));
}

/** Reports whether another program wrote the file meanwhile. False if its content is as before all changes. */
function isForeign({ entry, change: { file }, later }: FileRestore): boolean {
  if (file.version === entry.beforeVersion) return false;
  const found = [...later.map(({ beforeVersion }) => beforeVersion), file.version];
  return [entry, ...later].some(({ afterVersion }, i) => afterVersion !== found[i]);
}

/** Returns the refusal of restores that would lose more than was requested, or undefined if none would. */
export function restoreError(restores: readonly FileRestore[], asked: AskedFor): ToolError | undefined {
  const refused = restores.filter(({ kind }) => kind === 'refused');
  if (refused.length === 0) return undefined;
  const paths = refused.map(({ entry }) => entry.path);
  const message = `later changes of ${cutList(paths)} would be lost: ${describeLater(refused, asked)} (nothing was changed)`;
  if (refused.every((restore) => othersIn(restore, asked).length === 0)) {
    const suggestion = 'look at the difference with preview, or pass with_later: true to lose these changes';
    return new ToolError('stale_file', message, { suggestion });
  }
  return new ToolError('conflict', message, {
    suggestion: 'restore these first, newest to oldest, or pass with_later: true to undo them too',
  });
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_EDITS = 1_000;

/** Returns undefined if one of its lines, or a line next to them, has changed since, or the content is no text or too large. */
export function removeChange({
  before,
  after,
  now,
}: {
  before: Buffer;
  after: Buffer;
  now: Buffer;
}): Buffer | undefined {
  const contents = [after, before, now];
  const bytes = contents.reduce((sum, content) => sum + content.length, 0);
  if (bytes > MAX_BYTES || contents.some((content) => content.includes(0))) return undefined;
  const [left = [], old = [], current = []] = contents.map((content) => linesIn(content.toString('latin1')));
  const since = diffLines(left, current, MAX_EDITS);
  const parts: string[] = [];
  let [next, seen, shift] = [0, 0, 0];
  for (const change of diffLines(left, old, MAX_EDITS)) {
    for (let each = since[seen]; each && each.end < change.start; each = since[++seen]) shift += growthOf(each);
    const other = since[seen];
    if (other && other.start <= change.end) {
      if (!isSame(change, old, other, current)) return undefined;
      continue;
    }
    parts.push(current.slice(next, change.start + shift).join(''));
    parts.push(old.slice(change.otherStart, change.otherEnd).join(''));
    next = change.end + shift;
  }
  return Buffer.from(parts.concat(current.slice(next)).join(''), 'latin1');
}

function growthOf({ start, end, otherStart, otherEnd }: LineChange): number {
  return otherEnd - otherStart - (end - start);
}

function isSame(one: LineChange, lines: readonly string[], other: LineChange, others: readonly string[]): boolean {
  const mine = lines.slice(one.otherStart, one.otherEnd).join('');
  const theirs = others.slice(other.otherStart, other.otherEnd).join('');
  return one.start === other.start && one.end === other.end && mine === theirs;
}
