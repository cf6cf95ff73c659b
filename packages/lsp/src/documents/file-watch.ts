import path from 'node:path';
import { watchDirectory } from '@jinn/process';
import type { Workspace } from '@jinn/workspace';
import { EXCLUDED_DIRECTORIES, type WalkEntry, walk } from '@jinn/workspace/walk';
import type { FileChangeType } from 'vscode-languageserver-protocol';
import { toUri } from '../client/positions.ts';

/** Beyond these, servers only hear of files that jinn changes or has open. */
const MAX_FILES = 50_000;
const MAX_DIRECTORIES = 5_000;
/** The numbers of the protocol. Its own constants would load its whole library. */
export const CREATED: FileChangeType = 1;
export const CHANGED: FileChangeType = 2;
const DELETED: FileChangeType = 3;
const MAX_EVENTS = 1_000;

/**
 * Returns a text by path that changes when the file does, or undefined if nothing can have changed since the last call.
 */
export type ListFiles = () => Promise<ReadonlyMap<string, string> | undefined>;

export interface FileEvent {
  readonly path: string;
  readonly type: FileChangeType;
}

/** Finds the changes of others, by comparing lists: servers watch nothing themselves. */
export class FileWatch {
  readonly #list: ListFiles;
  #known: ReadonlyMap<string, string> | undefined;
  /** The first list, which is made while the first server starts. */
  #first: ReturnType<ListFiles> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(list: ListFiles) {
    this.#list = list;
  }

  /** The changes since the last call, or none at the first, which does not wait for the list. */
  changes(): Promise<FileEvent[]> {
    const mine = this.#turn.then(() => this.#compare());
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #compare(): Promise<FileEvent[]> {
    if (!this.#first) {
      this.#first = this.#list();
      this.#first.catch(() => {}); // The next call rejects with it.
      return [];
    }
    this.#known ??= await this.#first;
    const known = this.#known;
    const now = await this.#list();
    if (now === undefined) return [];
    this.#known = now;
    return known ? difference(known, now) : [];
  }
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): FileEvent[] {
  const events: FileEvent[] = [];
  for (const [path, stat] of after) {
    const old = before.get(path);
    if (old === undefined) events.push({ path, type: CREATED });
    else if (old !== stat) events.push({ path, type: CHANGED });
  }
  for (const path of before.keys()) if (!after.has(path)) events.push({ path, type: DELETED });
  return events;
}

/** Makes the events for files that jinn changed. `before` and `after` are contents, undefined if there was no file. */
export function toEvents(
  files: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[],
): FileEvent[] {
  return files.map(({ path, before, after }) => ({
    path,
    type: after === undefined ? DELETED : before === undefined ? CREATED : CHANGED,
  }));
}

/** Makes notifications of at most 1,000 changes each. */
export function toNotifications(root: string, events: readonly FileEvent[]): object[] {
  const batches: object[] = [];
  for (let start = 0; start < events.length; start += MAX_EVENTS) {
    const changes = events.slice(start, start + MAX_EVENTS).map(({ path, type }) => ({ uri: toUri(root, path), type }));
    batches.push({ changes });
  }
  return batches;
}

/** Servers also know files in directories such as `vendor`, if git tracks them. */
const LISTED = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, entersTracked: true };

/** Lists the files of the workspace that git does not ignore. */
export async function listUnignored(workspace: Workspace, checkpoint: () => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  await walk(workspace, '.', { ...LISTED, checkpoint }, (entry) => {
    if (entry.kind === 'file') paths.push(entry.path);
    return undefined;
  });
  return paths;
}

/**
 * The files in the directories that git does not ignore. After the first reading, the system reports which directories to read again. If
 * it cannot, the whole tree is read each time.
 */
export class WatchedFiles {
  readonly #workspace: Workspace;
  readonly #files = new Map<string, string>();
  readonly #watched = new Map<string, () => void>();
  readonly #changed = new Set<string>();
  #isWatching = false;
  #isComplete = false;
  #isClosed = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Undefined if nothing can have changed since the last time. */
  async list(): Promise<ReadonlyMap<string, string> | undefined> {
    await turn(); // Pending events of the system arrive now.
    if (!this.#isWatching) await this.#readAll();
    else if (this.#changed.size === 0) return undefined;
    else await this.#readChanged();
    return new Map(this.#files);
  }

  /** Undefined if the list may be incomplete, or changes are not seen. */
  get paths(): Iterable<string> | undefined {
    const isKnown = this.#isComplete && this.#isWatching && this.#files.size < MAX_FILES;
    return isKnown ? this.#files.keys() : undefined;
  }

  /** Undefined if changes to the file are not seen. */
  statOf(path: string): string | undefined {
    return this.#isWatching ? this.#files.get(path) : undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#endWatching();
  }

  async #readAll(): Promise<void> {
    this.#endWatching();
    this.#isComplete = false;
    this.#files.clear();
    this.#changed.clear();
    this.#isWatching = this.#watch('.');
    await this.#read('.', undefined, (entry) => {
      if (entry.kind === 'directory') this.#isWatching &&= this.#watch(entry.path);
      else this.#add(entry);
    });
    if (!this.#isWatching) this.#endWatching();
    this.#isComplete = true;
  }

  async #readChanged(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    let isSameTree = true;
    for (const directory of changed) {
      const below = new Set(
        [...this.#watched.keys()].filter((name) => name !== '.' && path.posix.dirname(name) === directory),
      );
      for (const file of this.#files.keys()) if (path.posix.dirname(file) === directory) this.#files.delete(file);
      await this.#read(directory, 1, (entry) => {
        if (entry.kind !== 'directory') this.#add(entry);
        else if (!below.delete(entry.path)) isSameTree = false;
      }).catch(() => {
        isSameTree = false;
      });
      if (below.size > 0) isSameTree = false;
    }
    if (!isSameTree) await this.#readAll();
  }

  async #read(directory: string, maxDepth: number | undefined, visit: (entry: WalkEntry) => void): Promise<void> {
    // A server also reads files that git ignores, such as generated ones.
    const decide = (entry: WalkEntry, ignored: boolean) => !ignored || entry.kind === 'file';
    await walk(this.#workspace, directory, { ...LISTED, decide, maxDepth, checkpoint: turn }, (entry) => {
      visit(entry);
      return undefined;
    });
  }

  #add(entry: WalkEntry): void {
    if (this.#files.size >= MAX_FILES) return;
    // A file that is too fresh to show a later change counts as changed the next time.
    const stat = entry.fingerprint()?.join(':') ?? `at ${performance.now()}`;
    this.#files.set(entry.path, stat);
  }

  #watch(directory: string): boolean {
    if (this.#isClosed || this.#watched.size >= MAX_DIRECTORIES) return false;
    const lose = () => {
      this.#isWatching = false;
    };
    const end = watchDirectory(path.join(this.#workspace.root, directory), () => this.#changed.add(directory), lose);
    if (end) this.#watched.set(directory, end);
    return end !== undefined;
  }

  #endWatching(): void {
    this.#isWatching = false;
    for (const end of this.#watched.values()) end();
    this.#watched.clear();
  }
}

/** Lets other work of the process run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
