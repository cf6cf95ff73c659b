import fs from 'node:fs';
import type { DirectoryStat, OpenDirectory, Workspace } from '../guard/index.ts';
import type { DirectoryNames } from './names.ts';

/** A directory that changed less than this before it was read may change again within one tick of the clock. */
const SETTLED_MS = 2_000;
/** The most names that are kept. Each takes some 100 bytes. */
const MAX_NAMES = 250_000;
/**
 * Linux file systems that set a directory's time of change if a name in it is added, removed, or changes its kind:
 * btrfs, ext, f2fs, overlayfs, tmpfs, xfs, zfs. Others answer from elsewhere (FUSE, network shares) or have no such
 * time.
 */
const RELIABLE = new Set([0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x01021994, 0x58465342, 0x2fc12fc1]);

/** The names in directories while the directories' stats stay the same. The third walk of a tree only reads changes. */
export class NamesCache {
  static readonly #caches = new WeakMap<Workspace, NamesCache>();
  readonly #kept = new Map<string, readonly [DirectoryStat, DirectoryNames]>();
  readonly #devices = new Map<number, boolean>();
  #names = 0;

  /** Undefined at the first call, so that a process that walks a tree once spends nothing on keeping it. */
  static of(workspace: Workspace): NamesCache | undefined {
    const known = NamesCache.#caches.get(workspace);
    if (!known) NamesCache.#caches.set(workspace, new NamesCache());
    return known;
  }

  /** Asking would take longer than reading. */
  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** Returns the names if it is certain that they have not changed. */
  getOf({ stat }: OpenDirectory): DirectoryNames | undefined {
    return stat && this.get(stat);
  }

  get(stat: DirectoryStat): DirectoryNames | undefined {
    const kept = this.#kept.get(keyOf(stat));
    return kept?.[0].ctimeMs === stat.ctimeMs ? kept[1] : undefined;
  }

  /** Keeps the names that were read at that time (Unix time in milliseconds), or later. */
  set(directory: OpenDirectory, names: DirectoryNames, readAt: number): void {
    const { stat } = directory;
    if (!stat || readAt - stat.ctimeMs < SETTLED_MS || names.unreadable > 0) return;
    if (!this.#isReliable(stat.dev, directory)) return;
    const { dev, ino, ctimeMs } = stat;
    const key = keyOf(stat);
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

function keyOf({ dev, ino }: DirectoryStat): string {
  return `${dev}:${ino}`;
}
