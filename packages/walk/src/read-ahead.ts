import type { Listing, WalkedDirectory } from './walked-directory.ts';

/** Enough that Node's threads never sleep between two: to wake one costs more than to read a small directory. */
const MAX_READING = 64;
/** Directories that are read, or being read, before the walk comes to them; each may hold a descriptor. */
const MAX_AHEAD = 96;
/** Entries that may wait for their visit before nothing more is read ahead. */
const MAX_ENTRIES = 20_000;

/** Reads directories a bounded number ahead of the walk, in the order in which it will come to them. */
export class ReadAhead {
  readonly #read: (directory: WalkedDirectory) => Promise<Listing>;
  readonly #onDemand: boolean;
  /** Directories whose content is not known yet, the next one last. */
  #unknown: WalkedDirectory[] = [];
  readonly #open = new Set<WalkedDirectory>();
  /** Those that wait to be taken, with the number of their entries. */
  readonly #ahead = new Map<WalkedDirectory, number>();
  #entries = 0;
  #reading = 0;

  /** With `onDemand`, nothing is read before it is taken. */
  constructor(read: (directory: WalkedDirectory) => Promise<Listing>, { onDemand }: { onDemand: boolean }) {
    this.#read = read;
    this.#onDemand = onDemand;
  }

  /** Gives what a directory holds, which stays open until it is left. */
  async take(directory: WalkedDirectory): Promise<Listing> {
    const listing = await this.#begin(directory);
    // Kept here it would keep the whole tree in memory.
    directory.listing = undefined;
    this.#forget(directory);
    this.#readMore();
    return listing;
  }

  /** Closes a directory. One that was not taken is given up, with all that was read ahead below it. */
  leave(directory: WalkedDirectory): void {
    directory.isLeft = true;
    this.#forget(directory);
    if (!directory.listing) {
      this.#close(directory);
      return;
    }
    const giveUp = (children: readonly WalkedDirectory[]) => {
      for (const child of children) this.leave(child);
      this.#close(directory);
    };
    directory.listing.then(
      ({ children }) => giveUp(children),
      () => giveUp([]),
    );
  }

  /** Waits for what is being read, and closes everything. */
  async close(): Promise<void> {
    this.#unknown = [];
    await Promise.allSettled([...this.#open].map(({ listing }) => listing));
    for (const directory of this.#open) directory.close();
  }

  #close(directory: WalkedDirectory): void {
    this.#open.delete(directory);
    directory.close();
  }

  #begin(directory: WalkedDirectory): Promise<Listing> {
    if (directory.listing) return directory.listing;
    this.#open.add(directory);
    this.#ahead.set(directory, 0);
    this.#reading++;
    directory.listing = this.#finish(directory, this.#read(directory));
    // A walk that ends early never asks for it.
    directory.listing.catch(() => {});
    return directory.listing;
  }

  async #finish(directory: WalkedDirectory, reading: Promise<Listing>): Promise<Listing> {
    try {
      const listing = await reading;
      if (!this.#onDemand) this.#replace(directory, directory.isLeft ? [] : listing.children);
      if (this.#ahead.has(directory)) {
        this.#ahead.set(directory, listing.entries.length);
        this.#entries += listing.entries.length;
      }
      return listing;
    } finally {
      this.#reading--;
      this.#readMore();
    }
  }

  /** Puts what a directory holds in its place. It stands near the end, above what was found since it was begun. */
  #replace(directory: WalkedDirectory, children: readonly WalkedDirectory[]): void {
    const at = this.#unknown.lastIndexOf(directory);
    if (at < 0 && directory.entry) return;
    const later = this.#unknown.splice(Math.max(at, 0)).slice(1);
    for (let i = children.length - 1; i >= 0; i--) this.#unknown.push(children[i] as WalkedDirectory);
    for (const next of later) this.#unknown.push(next);
  }

  #readMore(): void {
    const unknown = this.#unknown;
    for (let i = unknown.length - 1; i >= 0 && this.#mayReadMore(); i--) {
      const directory = unknown[i] as WalkedDirectory;
      if (directory.isLeft && !directory.listing) {
        if (i === unknown.length - 1) unknown.pop();
      } else {
        void this.#begin(directory);
      }
    }
  }

  #mayReadMore(): boolean {
    return this.#reading < MAX_READING && this.#ahead.size < MAX_AHEAD && this.#entries < MAX_ENTRIES;
  }

  #forget(directory: WalkedDirectory): void {
    this.#entries -= this.#ahead.get(directory) ?? 0;
    this.#ahead.delete(directory);
  }
}
