import fs from 'node:fs';
import type { OpenDirectory, Workspace } from '@jinn/core';
import type { Names } from './read-names.ts';

/** A directory that changed less than this before it was read may change again within one tick of the clock. */
const SETTLED_MS = 2_000;
/** Names that are kept in all; some 100 bytes each. */
const MAX_NAMES = 250_000;
/**
 * Linux file systems that stamp a directory whenever a name in it comes, goes or changes its kind: btrfs, ext, f2fs,
 * overlayfs, tmpfs, xfs, zfs. Others answer from elsewhere (FUSE, network shares) or keep no such time.
 */
const STAMPING = new Set([0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x01021994, 0x58465342, 0x2fc12fc1]);

interface Kept {
  readonly changed: number;
  readonly names: Names;
}

/**
 * What directories held when they were last read, for as long as their stamps stay the same: a walk of a tree that a
 * session has walked before reads only what changed. One a workspace.
 */
export class NamesCache {
  static readonly #caches = new WeakMap<Workspace, NamesCache>();
  readonly #kept = new Map<string, Kept>();
  readonly #stamping = new Map<number, boolean>();
  #names = 0;

  static of(workspace: Workspace): NamesCache {
    const known = NamesCache.#caches.get(workspace);
    if (known) return known;
    const cache = new NamesCache();
    NamesCache.#caches.set(workspace, cache);
    return cache;
  }

  /** The names of a directory, if they are certain to be those that it holds now. */
  get({ stamp }: OpenDirectory): Names | undefined {
    if (!stamp) return undefined;
    const kept = this.#kept.get(keyOf(stamp));
    return kept?.changed === stamp.ctimeMs ? kept.names : undefined;
  }

  /** Keeps the names that were read from a directory at that time (Unix time in milliseconds), or later. */
  set(directory: OpenDirectory, names: Names, readAt: number): void {
    const { stamp, location } = directory;
    if (!stamp || location === undefined || readAt - stamp.ctimeMs < SETTLED_MS || names.unreadable > 0) return;
    if (!this.#isStamping(stamp.dev, location)) return;
    const key = keyOf(stamp);
    this.#drop(key);
    this.#kept.set(key, { changed: stamp.ctimeMs, names });
    this.#names += names.entries.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#names <= MAX_NAMES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#names -= this.#kept.get(key)?.names.entries.length ?? 0;
    this.#kept.delete(key);
  }

  #isStamping(device: number, location: string): boolean {
    let known = this.#stamping.get(device);
    if (known === undefined) {
      // As 32 bits: the system gives some of these numbers with their sign.
      known = STAMPING.has(fs.statfsSync(location).type >>> 0);
      this.#stamping.set(device, known);
    }
    return known;
  }
}

function keyOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
