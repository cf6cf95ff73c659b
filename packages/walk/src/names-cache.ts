import fs from 'node:fs';
import type { DirectoryStat, OpenDirectory, Workspace } from '@jinn/core';
import type { DirectoryNames } from './names.ts';
import { NamesFile } from './names-file.ts';

/** A directory that changed less than this before it was read may change again within one tick of the clock. */
const SETTLED_MS = 2_000;
/** The most names that are kept; each takes some 100 bytes. */
const MAX_NAMES = 250_000;
/**
 * Linux file systems that set a directory's time of change whenever a name in it is added, removed, or changes its
 * kind: btrfs, ext, f2fs, overlayfs, tmpfs, xfs, zfs. Others answer from elsewhere (FUSE, network shares) or keep no
 * such time.
 */
const RELIABLE = new Set([0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x01021994, 0x58465342, 0x2fc12fc1]);

/** From so many directories on, their names are saved for the next process; fewer are soon read. */
const WORTH_SAVING = 200;
/** Reading a directory takes as long as saving so many. */
const SAVED_PER_READ = 10;

/**
 * The names in directories as they were last read, for as long as the directories' stats stay the same: a walk of a
 * tree that was walked before reads only what has changed. Each workspace has one; a file in the cache directory
 * outlives the process.
 */
export class NamesCache {
  static readonly #caches = new WeakMap<Workspace, NamesCache>();
  readonly #kept = new Map<string, readonly [DirectoryStat, DirectoryNames]>();
  /** Whether the file system of each device is one of the reliable ones. */
  readonly #devices = new Map<number, boolean>();
  readonly #workspace: Pick<Workspace, 'root' | 'cacheDirectory'> | undefined;
  /** What an earlier process saved; undefined until it is needed. */
  #file: NamesFile | 'none' | undefined;
  /** Directories whose names came from the file, and are not kept. */
  #used: DirectoryStat[] = [];
  #names = 0;
  #unsaved = 0;
  #walks = 0;

  /** Without a workspace, nothing outlives the process. */
  constructor(workspace: Pick<Workspace, 'root' | 'cacheDirectory'> | undefined) {
    this.#workspace = workspace;
  }

  static of(workspace: Workspace): NamesCache {
    const known = NamesCache.#caches.get(workspace);
    if (known) return known;
    const cache = new NamesCache(workspace);
    NamesCache.#caches.set(workspace, cache);
    return cache;
  }

  /** True in the first walk when no earlier process saved anything: asking would take longer than reading. */
  get knowsNothing(): boolean {
    return this.#walks === 0 && this.#load() === undefined;
  }

  /** The names in an open directory, if it is certain that they have not changed. */
  getOf(directory: OpenDirectory): DirectoryNames | undefined {
    const { stat } = directory;
    return stat && this.#isReliable(stat.dev, directory) ? this.get(stat) : undefined;
  }

  /** Does the same by a directory's stat. Returns undefined also while no directory of its device has been open. */
  get(stat: DirectoryStat): DirectoryNames | undefined {
    const kept = this.#kept.size > 0 ? this.#kept.get(keyOf(stat)) : undefined;
    if (kept) return kept[0].ctimeMs === stat.ctimeMs ? kept[1] : undefined;
    const saved = this.#devices.get(stat.dev) ? this.#load()?.get(stat) : undefined;
    // A tree that is walked once is not kept: to make room takes longer than to look names up in the file again.
    if (saved && this.#walks > 0) this.#keep(stat, saved);
    else if (saved) this.#used.push(stat);
    return saved;
  }

  /** Keeps the names that were read from a directory at that time (Unix time in milliseconds), or later. */
  set(directory: OpenDirectory, names: DirectoryNames, readAt: number): void {
    const { stat } = directory;
    if (!stat || readAt - stat.ctimeMs < SETTLED_MS || names.unreadable > 0) return;
    if (!this.#isReliable(stat.dev, directory)) return;
    this.#keep(stat, names);
    this.#unsaved++;
  }

  /** Must be called when a walk ends. Saves the names for the next process if many of them are new. */
  endWalk(): void {
    this.#walks++;
    const { root, cacheDirectory } = this.#workspace ?? {};
    const known = this.#kept.size + this.#used.length;
    if (known < WORTH_SAVING || this.#unsaved * SAVED_PER_READ < known) return;
    if (root === undefined || cacheDirectory === undefined) return;
    NamesFile.save(cacheDirectory, root, this.#known());
    this.#unsaved = 0;
  }

  *#known(): Generator<readonly [DirectoryStat, DirectoryNames]> {
    yield* this.#kept.values();
    for (const stat of this.#used) {
      const names = this.#kept.has(keyOf(stat)) ? undefined : this.#load()?.get(stat);
      if (names) yield [stat, names];
    }
  }

  #load(): NamesFile | undefined {
    this.#file ??= this.#find() ?? 'none';
    return this.#file === 'none' ? undefined : this.#file;
  }

  #find(): NamesFile | undefined {
    const { root, cacheDirectory } = this.#workspace ?? {};
    return root === undefined || cacheDirectory === undefined ? undefined : NamesFile.load(cacheDirectory, root);
  }

  #keep({ dev, ino, ctimeMs }: DirectoryStat, names: DirectoryNames): void {
    const key = keyOf({ dev, ino });
    this.#drop(key);
    this.#kept.set(key, [{ dev, ino, ctimeMs }, names]);
    this.#names += names.count;
    for (const oldest of this.#kept.keys()) {
      if (this.#names <= MAX_NAMES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#names -= this.#kept.get(key)?.[1].count ?? 0;
    this.#kept.delete(key);
  }

  #isReliable(device: number, { location }: OpenDirectory): boolean {
    let known = this.#devices.get(device);
    if (known === undefined) {
      // The system gives some of these numbers as negative ones, so 32 bits are compared.
      known = location !== undefined && RELIABLE.has(fs.statfsSync(location).type >>> 0);
      this.#devices.set(device, known);
    }
    return known;
  }
}

function keyOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
