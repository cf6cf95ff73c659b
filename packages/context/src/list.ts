import { splitNames } from '@jinn/walk';
import { type Candidate, type CollectOptions, collect, type TakenDirectory } from './collect.ts';
import { ContentReader } from './content.ts';
import { reasonOf } from './read-fault.ts';
import { showPath } from './show-path.ts';
import type { TargetPlan } from './targets.ts';
import { hasTextName, haveTextNames } from './text-names.ts';

/** So many files are all looked into; to do so with more would cost a listing more than the walk. */
const FEW = 100;

export interface ListedFile {
  readonly path: string;
  /** Bytes; undefined unless asked for. */
  readonly size: number | undefined;
}

export interface ListTaker {
  take(file: ListedFile): void;
  /** Takes many files of one directory: their paths are the prefix and each of the names, which stand between slashes. */
  takeAll?: (prefix: string, names: string) => void;
}

/**
 * Gives the files that a dump would hold, in its order. Where there are more than 100, the names of text (`.ts`, `.md`
 * and their like) are believed; every other file is looked into.
 */
export async function listFiles(plan: TargetPlan, options: ListOptions, taker: ListTaker): Promise<void> {
  const lister = new Lister(options, taker);
  const takeFiles = (directory: TakenDirectory, names: string) => lister.takeFiles(directory, names);
  await collect(plan, { ...options, takeFiles }, (candidate) => lister.visit(candidate));
  lister.finish();
}

interface ListOptions extends CollectOptions {
  readonly sizes?: boolean;
}

class Lister {
  readonly #options: ListOptions;
  readonly #taker: ListTaker;
  readonly #reader = new ContentReader();
  /** Files that come first, until it is known whether there are many. */
  #held: Candidate[] = [];
  #areMany = false;

  constructor(options: ListOptions, taker: ListTaker) {
    this.#options = options;
    this.#taker = taker;
  }

  takeFiles({ prefix, candidateOf }: TakenDirectory, names: string): void {
    const { takeAll } = this.#taker;
    const waits = !this.#areMany && !this.#options.sizes;
    if (waits && this.#held.length + splitNames(names).length > FEW) this.#release();
    if (this.#areMany && takeAll && haveTextNames(names)) takeAll(prefix, names);
    else for (const name of splitNames(names)) this.visit(candidateOf(name));
  }

  visit(candidate: Candidate): void {
    if (this.#options.sizes) this.#look(candidate, (use) => candidate.read(use));
    else if (this.#areMany) this.#believe(candidate, (use) => candidate.read(use));
    else if (this.#held.push(candidate) > FEW) this.#release();
  }

  /** To be called when all files have been visited. */
  finish(): void {
    for (const candidate of this.#held) this.#look(candidate, (use) => candidate.readLater(use));
  }

  /** There are many. */
  #release(): void {
    this.#areMany = true;
    for (const held of this.#held) this.#believe(held, (use) => held.readLater(use));
    this.#held = [];
  }

  #believe(candidate: Candidate, read: Candidate['read']): void {
    if (hasTextName(candidate.path)) this.#taker.take({ path: candidate.path, size: undefined });
    else this.#look(candidate, read);
  }

  #look({ path }: Candidate, read: Candidate['read']): void {
    const { sizes = false, warn, explain } = this.#options;
    try {
      const size = read((file) => (this.#reader.isText(file) ? file.size : undefined));
      if (size === undefined) explain?.({ path, isDirectory: false, included: false, reason: 'binary' });
      else this.#taker.take({ path, size: sizes ? size : undefined });
    } catch (error) {
      warn(`${showPath(path)}: ${reasonOf(error)}`);
    }
  }
}
