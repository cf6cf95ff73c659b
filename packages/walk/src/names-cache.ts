import fs from 'node:fs';
import type { DirectoryStamp, OpenDirectory, Workspace } from '@jinn/core';
import type { Names } from './names.ts';
import { NamesFile } from './names-file.ts';

/** A directory that changed less than this before it was read may change again within one tick of the clock. */
const SETTLED_MS = 2_000;
/** Names that are kept in all; some 100 bytes each. */
const MAX_NAMES = 250_000;
/**
 * Linux file systems that stamp a directory whenever a name in it comes, goes or changes its kind: btrfs, ext, f2fs,
 * overlayfs, tmpfs, xfs, zfs. Others answer from elsewhere (FUSE, network shares) or keep no such time.
 */
const STAMPING = new Set([0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x01021994, 0x58465342, 0x2fc12fc1]);

/** Of so many directories what is known is left for the next process; fewer are soon read. */
const WORTH_SAVING = 200;
/** To read a directory takes as long as to leave so many. */
const SAVED_PER_READ = 10;

/**
 * What directories held when they were last read, for as long as their stamps stay the same: a walk of a tree that was
 * walked before reads only what changed. One a workspace; in the cache directory it outlives the process.
 */
export class NamesCache {
  static readonly #caches = new WeakMap<Workspace, NamesCache>();
  readonly #kept = new Map<string, readonly [DirectoryStamp, Names]>();
  readonly #stamping = new Map<number, boolean>();
  readonly #place: Pick<Workspace, 'root' | 'cacheDirectory'> | undefined;
  /** What the process before left; undefined until it is needed. */
  #file: NamesFile | 'none' | undefined;
  /** What was taken from the file, and is not kept. */
  #used: DirectoryStamp[] = [];
  #names = 0;
  #unsaved = 0;
  #walks = 0;

  /** Without a place, nothing outlives the process. */
  constructor(place: Pick<Workspace, 'root' | 'cacheDirectory'> | undefined) {
    this.#place = place;
  }

  static of(workspace: Workspace): NamesCache {
    const known = NamesCache.#caches.get(workspace);
    if (known) return known;
    const cache = new NamesCache(workspace);
    NamesCache.#caches.set(workspace, cache);
    return cache;
  }

  /** True in the first walk, when no process before left anything: to ask would take longer than to read. */
  get knowsNothing(): boolean {
    return this.#walks === 0 && this.#load() === undefined;
  }

  /** The names of a directory that is open, if they are certain to be those that it holds now. */
  getOf(directory: OpenDirectory): Names | undefined {
    const { stamp } = directory;
    return stamp && this.#isStamping(stamp.dev, directory) ? this.get(stamp) : undefined;
  }

  /** The same of one that was only seen; undefined also when none of the same device has been open yet. */
  get(stamp: DirectoryStamp): Names | undefined {
    const kept = this.#kept.size > 0 ? this.#kept.get(keyOf(stamp)) : undefined;
    if (kept) return kept[0].ctimeMs === stamp.ctimeMs ? kept[1] : undefined;
    const left = this.#stamping.get(stamp.dev) ? this.#left(stamp) : undefined;
    // What is walked once need not be kept: to make room for it takes longer than to find it again.
    if (left && this.#walks > 0) this.#keep(stamp, left);
    else if (left) this.#used.push(stamp);
    return left;
  }

  /** Keeps the names that were read from a directory at that time (Unix time in milliseconds), or later. */
  set(directory: OpenDirectory, names: Names, readAt: number): void {
    const { stamp } = directory;
    if (!stamp || readAt - stamp.ctimeMs < SETTLED_MS || names.unreadable > 0) return;
    if (!this.#isStamping(stamp.dev, directory)) return;
    this.#keep(stamp, names);
    this.#unsaved++;
  }

  /** To be called when a walk ends: leaves what is known for the next process, if much of it is new. */
  endWalk(): void {
    this.#walks++;
    const { root, cacheDirectory } = this.#place ?? {};
    const known = this.#kept.size + this.#used.length;
    if (known < WORTH_SAVING || this.#unsaved * SAVED_PER_READ < known) return;
    if (root === undefined || cacheDirectory === undefined) return;
    NamesFile.save(cacheDirectory, root, this.#known());
    this.#unsaved = 0;
  }

  *#known(): Generator<readonly [DirectoryStamp, Names]> {
    yield* this.#kept.values();
    for (const stamp of this.#used) {
      const names = this.#kept.has(keyOf(stamp)) ? undefined : this.#left(stamp);
      if (names) yield [stamp, names];
    }
  }

  #left(stamp: DirectoryStamp): Names | undefined {
    return this.#load()?.get(stamp);
  }

  #load(): NamesFile | undefined {
    this.#file ??= this.#find() ?? 'none';
    return this.#file === 'none' ? undefined : this.#file;
  }

  #find(): NamesFile | undefined {
    const { root, cacheDirectory } = this.#place ?? {};
    return root === undefined || cacheDirectory === undefined ? undefined : NamesFile.load(cacheDirectory, root);
  }

  #keep({ dev, ino, ctimeMs }: DirectoryStamp, names: Names): void {
    const key = keyOf({ dev, ino });
    this.#drop(key);
    this.#kept.set(key, [{ dev, ino, ctimeMs }, names]);
    this.#names += names.entries.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#names <= MAX_NAMES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#names -= this.#kept.get(key)?.[1].entries.length ?? 0;
    this.#kept.delete(key);
  }

  #isStamping(device: number, { location }: OpenDirectory): boolean {
    let known = this.#stamping.get(device);
    if (known === undefined) {
      // As 32 bits: the system gives some of these numbers with their sign.
      known = location !== undefined && STAMPING.has(fs.statfsSync(location).type >>> 0);
      this.#stamping.set(device, known);
    }
    return known;
  }
}

function keyOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
