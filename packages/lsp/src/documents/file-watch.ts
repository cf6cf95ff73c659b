import type { FileChangeType } from 'vscode-languageserver-protocol';
import { toUri } from '../client/uris.ts';

/** The numbers of the protocol; its own constants would load its whole library. */
export const CREATED: FileChangeType = 1;
export const CHANGED: FileChangeType = 2;
const DELETED: FileChangeType = 3;
const MAX_EVENTS = 1_000;

export interface WatchedFiles {
  /** The root, absolute and real. */
  readonly root: string;
  /**
   * Returns the path of each file that servers may care for, relative to the root, with a text that changes when the
   * file does. Undefined if nothing can have changed since the last call.
   */
  list(): Promise<ReadonlyMap<string, string> | undefined>;
}

export interface FileEvent {
  readonly path: string;
  readonly type: FileChangeType;
}

/**
 * Finds the changes of others on the disk, by comparing lists: servers are notified of them and watch nothing
 * themselves.
 */
export class FileWatch {
  readonly #files: WatchedFiles;
  #known: ReadonlyMap<string, string> | undefined;
  /** The first list, which is made while the first server starts. */
  #first: ReturnType<WatchedFiles['list']> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(files: WatchedFiles) {
    this.#files = files;
  }

  /**
   * Returns what was made, changed or removed since the last call; nothing at the first, which does not wait for the
   * list.
   */
  changes(): Promise<FileEvent[]> {
    const mine = this.#turn.then(() => this.#compare());
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #compare(): Promise<FileEvent[]> {
    if (!this.#first) {
      this.#first = this.#files.list();
      this.#first.catch(() => {}); // The next call rejects with it.
      return [];
    }
    this.#known ??= await this.#first;
    const known = this.#known;
    const now = await this.#files.list();
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

/** Makes the events for files that jinn changed; `before` and `after` are contents, undefined if there was no file. */
export function toEvents(
  files: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[],
): FileEvent[] {
  return files.map(({ path, before, after }) => ({
    path,
    type: after === undefined ? DELETED : before === undefined ? CREATED : CHANGED,
  }));
}

/** Makes the notifications for changed files, with a limited number in each. */
export function toNotifications(root: string, events: readonly FileEvent[]): object[] {
  const batches: object[] = [];
  for (let start = 0; start < events.length; start += MAX_EVENTS) {
    const changes = events.slice(start, start + MAX_EVENTS).map(({ path, type }) => ({ uri: toUri(root, path), type }));
    batches.push({ changes });
  }
  return batches;
}
