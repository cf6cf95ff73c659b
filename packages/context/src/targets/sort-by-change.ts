import { posix } from 'node:path';
import type { Recency } from '@jinn/git/git-log';

/** Puts the files that changed last at the end. `recent` has absolute paths, the files have paths below `outputRoot`. */
export function sortByChange<T extends { readonly path: string }>(
  files: readonly T[],
  recent: ReadonlyMap<string, Recency>,
  outputRoot: string,
): T[] {
  const ageOf = ({ path }: T) => recent.get(posix.resolve(outputRoot, path))?.age ?? Number.MAX_SAFE_INTEGER;
  const ages = new Map(files.map((file) => [file, ageOf(file)]));
  return files.toSorted((a, b) => (ages.get(b) as number) - (ages.get(a) as number));
}
