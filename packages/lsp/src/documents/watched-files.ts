import path from 'node:path';
import { watchDirectory } from '@jinn/process';
import type { Workspace } from '@jinn/workspace';
import { EXCLUDED_DIRECTORIES, type WalkEntry, walk } from '@jinn/workspace/walk';

/** Beyond these, servers only hear of files that jinn changes or has open. */
const MAX_FILES = 50_000;
const MAX_DIRECTORIES = 5_000;

/**
 * The files of the workspace that git does not ignore, each with a text that changes when the file does. The whole tree
 * is read once. Then the system reports which directories to read again; if it cannot, the whole tree is read each
 * time.
 */
export class WatchedFiles {
  readonly #workspace: Workspace;
  readonly #files = new Map<string, string>();
  /** The functions that end the watching of each directory. */
  readonly #watched = new Map<string, () => void>();
  readonly #changed = new Set<string>();
  #isWatching = false;
  #isComplete = false;
  #isClosed = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Lists the files; undefined if nothing can have changed since the last time. */
  async list(): Promise<ReadonlyMap<string, string> | undefined> {
    await turn(); // Pending events of the system arrive now.
    if (!this.#isWatching) await this.#readAll();
    else if (this.#changed.size === 0) return undefined;
    else await this.#readChanged();
    return new Map(this.#files);
  }

  /** The files of the last list; undefined if the list may be incomplete, or changes to the files are not seen. */
  get paths(): Iterable<string> | undefined {
    const isKnown = this.#isComplete && this.#isWatching && this.#files.size < MAX_FILES;
    return isKnown ? this.#files.keys() : undefined;
  }

  /** Returns the stat of a file in the last list; undefined if changes to it are not seen. */
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

  /** Reads the directories that have changed; everything if one has appeared or gone, which is rare enough. */
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
    const options = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, sorted: () => false, maxDepth };
    await walk(this.#workspace, directory, { ...options, checkpoint: turn }, (entry) => {
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

  /** Watches a directory. Returns false if the system cannot. */
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

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
