import type { Workspace } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import { list } from './listing.ts';
import { NamesCache } from './names-cache.ts';
import { Notes } from './notes.ts';
import { rulesAbove } from './repository.ts';
import type { WalkEntry } from './walk-entry.ts';
import type { WalkOptions } from './walk-options.ts';
import { type Listing, type TakenFiles, WalkedDirectory } from './walked-directory.ts';

/** How much is done between two looks at the clock, in visits. */
const WORK_PER_TURN = 1024;
/** To read a directory takes as long as this many. */
const WORK_OF_DIRECTORY = 64;

/** Sees one entry. Of a directory, 'skip' means: do not enter. A promise is awaited before the walk goes on. */
export type Visit = (entry: WalkEntry) => undefined | 'skip' | Promise<undefined | 'skip'>;

export interface WalkResult {
  /** What could not be read or was left out for a reason that a user should know; a bounded number of sentences. */
  readonly notes: readonly string[];
}

/**
 * Visits everything below `start`, which itself is not visited. In stable order: a directory right before what it
 * holds, siblings by code units with a directory compared as `name/`, so that the whole sequence is the sorted list of
 * paths. Secrets are never visited, links never followed. An unreadable directory is a note. Throws ToolError when
 * `start` is refused, missing, or no directory, and whatever `visit` or `checkpoint` throw.
 */
export function walk(workspace: Workspace, start: string, options: WalkOptions, visit: Visit): Promise<WalkResult> {
  return workspace.withDirectory(start, async (directory) => {
    const notes = new Notes();
    const rules = options.gitignore
      ? await rulesAbove(workspace, directory, (sentence) => notes.add(sentence), options.rulesFrom)
      : DirectoryRules.NONE;
    await new Walk(workspace, notes, options, visit).enter(WalkedDirectory.start(directory, rules));
    NamesCache.of(workspace).endWalk();
    return { notes: notes.all() };
  });
}

/**
 * Reads one directory after the other, each at once: Node's threads take longer to wake than a directory takes to read.
 */
class Walk {
  readonly #workspace: Workspace;
  readonly #notes: Notes;
  readonly #options: WalkOptions;
  readonly #visit: Visit;
  /** Since the last look at the clock. */
  #work = WORK_PER_TURN;

  constructor(workspace: Workspace, notes: Notes, options: WalkOptions, visit: Visit) {
    this.#workspace = workspace;
    this.#notes = notes;
    this.#options = options;
    this.#visit = visit;
  }

  /** Visits what a directory holds, and all below it; gives undefined when nothing had to be waited for. */
  enter(directory: WalkedDirectory): Promise<void> | undefined {
    let visiting: Promise<void> | undefined;
    try {
      const listing = list(directory, this.#workspace, this.#options);
      if (listing instanceof Promise || listing.entries.length > 0) visiting = this.#visitAll(directory, listing);
      else visiting = this.#begin(directory, listing)?.finally(() => directory.close());
    } finally {
      if (visiting === undefined) directory.close();
    }
    return visiting;
  }

  async #visitAll(directory: WalkedDirectory, pending: Listing | Promise<Listing>): Promise<void> {
    try {
      const listing = await pending;
      const begun = this.#begin(directory, listing);
      if (begun !== undefined) await begun;
      let nextChild = 0;
      for (let i = 0; i < listing.entries.length; i++) {
        const entry = listing.entries[i] as WalkEntry;
        if (++this.#work > WORK_PER_TURN) await this.#turn();
        const answer = this.#visit(entry);
        const skips = (typeof answer === 'object' ? await answer : answer) === 'skip';
        const child = listing.children[nextChild];
        if (child?.entry === entry) {
          nextChild++;
          const entered = skips ? undefined : this.enter(child);
          if (entered !== undefined) await entered;
        }
        const taken = this.#take(directory, listing.files[i + 1]);
        if (taken !== undefined) await taken;
      }
    } finally {
      directory.close();
    }
  }

  /** Reports what comes before the entries. */
  #begin(directory: WalkedDirectory, { notes, files }: Listing): Promise<void> | undefined {
    this.#work += WORK_OF_DIRECTORY;
    for (const sentence of notes) this.#notes.add(sentence);
    return this.#take(directory, files[0]);
  }

  #take({ directory }: WalkedDirectory, files: TakenFiles | undefined): Promise<void> | undefined {
    return files && this.#options.takeFiles?.(directory, files);
  }

  async #turn(): Promise<void> {
    this.#work = 0;
    await this.#options.checkpoint();
  }
}
