import type { Workspace } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import { list } from './listing.ts';
import { Notes } from './notes.ts';
import { ReadAhead } from './read-ahead.ts';
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
    const ahead = new ReadAhead((found) => list(found, workspace, options), {
      onDemand: options.onThisThread ?? false,
    });
    try {
      await new Walk(ahead, notes, options, visit).enter(WalkedDirectory.start(directory, rules));
    } finally {
      await ahead.close();
    }
    return { notes: notes.all() };
  });
}

class Walk {
  readonly #ahead: ReadAhead;
  readonly #notes: Notes;
  readonly #checkpoint: () => Promise<void>;
  readonly #takeFiles: WalkOptions['takeFiles'];
  readonly #visit: Visit;
  #visits = 0;

  constructor(ahead: ReadAhead, notes: Notes, { checkpoint, takeFiles }: WalkOptions, visit: Visit) {
    this.#ahead = ahead;
    this.#notes = notes;
    this.#checkpoint = checkpoint;
    this.#takeFiles = takeFiles;
    this.#visit = visit;
  }

  /** Visits what a directory holds, and all below it. */
  async enter(directory: WalkedDirectory): Promise<void> {
    await this.#checkpoint();
    const { files, entries, children, notes } = await this.#ahead.take(directory);
    for (const sentence of notes) this.#notes.add(sentence);
    if (files && files.length > 0) this.#takeFiles?.(directory.directory, files);
    let next = 0;
    for (const entry of entries) {
      if (++this.#visits % VISITS_PER_TURN === 0) await this.#checkpoint();
      const answer = this.#visit(entry);
      const skips = (typeof answer === 'object' ? await answer : answer) === 'skip';
      const child = children[next];
      if (child?.entry !== entry) continue;
      next++;
      if (!skips) await this.enter(child);
      this.#ahead.leave(child);
    }
  }
}
