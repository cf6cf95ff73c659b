import type { Workspace } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import { list } from './listing.ts';
import { NamesCache } from './names-cache.ts';
import { Notes } from './notes.ts';
import { rulesAbove } from './repository.ts';
import type { WalkEntry } from './walk-entry.ts';
import type { WalkOptions } from './walk-options.ts';
import { WalkedDirectory } from './walked-directory.ts';

/** Visits between two looks at the clock, within one directory. */
const VISITS_PER_TURN = 1024;

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
  #visits = 0;

  constructor(workspace: Workspace, notes: Notes, options: WalkOptions, visit: Visit) {
    this.#workspace = workspace;
    this.#notes = notes;
    this.#options = options;
    this.#visit = visit;
  }

  /** Visits what a directory holds, and all below it. */
  async enter(directory: WalkedDirectory): Promise<void> {
    const { checkpoint, takeFiles } = this.#options;
    await checkpoint();
    try {
      const listing = list(directory, this.#workspace, this.#options);
      const { files, entries, children, notes } = listing instanceof Promise ? await listing : listing;
      for (const sentence of notes) this.#notes.add(sentence);
      let next = 0;
      for (let at = 0; at <= entries.length; at++) {
        const run = files[at];
        if (run) takeFiles?.(directory.directory, run);
        const entry = entries[at];
        if (!entry) break;
        if (++this.#visits % VISITS_PER_TURN === 0) await checkpoint();
        const answer = this.#visit(entry);
        const skips = (typeof answer === 'object' ? await answer : answer) === 'skip';
        const child = children[next];
        if (child?.entry !== entry) continue;
        next++;
        if (!skips) await this.enter(child);
      }
    } finally {
      directory.close();
    }
  }
}
