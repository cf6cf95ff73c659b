import { splitNames } from '@jinn/walk';
import { type Candidate, type CollectOptions, collect, type TakenDirectory } from './collect.ts';
import { ContentReader } from './content.ts';
import { reasonOf } from './read-fault.ts';
import type { TargetPlan } from './targets.ts';
import { hasTextName, haveTextNames } from './text-names.ts';

/** So many files are looked into, whatever their names; more would cost a listing more than the walk. */
const LOOKED_INTO = 100;

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
 * Gives the files that a dump would hold, in its order. In a tree of more than 100 files, the names of text (`.ts`,
 * `.md` and their like) are believed from there on; every other file is looked into.
 */
export async function listFiles(
  plan: TargetPlan,
  options: CollectOptions & { readonly sizes?: boolean },
  { take, takeAll }: ListTaker,
): Promise<void> {
  const reader = new ContentReader();
  let count = 0;
  const { sizes = false, warn, explain } = options;
  const visit = (candidate: Candidate) => {
    const { path } = candidate;
    if (!sizes && ++count > LOOKED_INTO && hasTextName(path)) {
      take({ path, size: undefined });
      return;
    }
    try {
      const size = candidate.read((file) => (reader.isText(file) ? file.size : undefined));
      if (size === undefined) explain?.({ path, isDirectory: false, included: false, reason: 'binary' });
      else take({ path, size: sizes ? size : undefined });
    } catch (error) {
      warn(`${path}: ${reasonOf(error)}`);
    }
  };
  const takeFiles = ({ prefix, candidateOf }: TakenDirectory, names: string) => {
    if (takeAll && !sizes && count >= LOOKED_INTO && haveTextNames(names)) takeAll(prefix, names);
    else for (const name of splitNames(names)) visit(candidateOf(name));
  };
  await collect(plan, { ...options, takeFiles }, visit);
}
