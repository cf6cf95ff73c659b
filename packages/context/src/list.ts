import { type Candidate, type CollectOptions, collect } from './collect.ts';
import { ContentReader } from './content.ts';
import { reasonOf } from './read-fault.ts';
import type { TargetPlan } from './targets.ts';
import { hasTextName } from './text-names.ts';

/** So many files are looked into, whatever their names; more would cost a listing more than the walk. */
const LOOKED_INTO = 500;

export interface ListedFile {
  readonly path: string;
  /** Bytes; undefined unless asked for. */
  readonly size: number | undefined;
}

/**
 * Gives the files that a dump would hold, in its order. In a tree of more than 500 files, the names of text (`.ts`,
 * `.md` and their like) are believed from there on; every other file is looked into.
 */
export async function listFiles(
  plan: TargetPlan,
  options: CollectOptions & { readonly sizes?: boolean },
  take: (file: ListedFile) => void,
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
  await collect(plan, options, visit);
}
