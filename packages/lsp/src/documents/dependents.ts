import path from 'node:path';
import type { Mentions } from './mentions.ts';
import type { WatchedFiles } from './watched-files.ts';

const MAX_DEPENDENTS = 10;
/** Files with these names are known by the name of their directory. */
const OF_DIRECTORY = /^(index|mod|__init__)$/;

export interface DependentsOptions {
  readonly watched: WatchedFiles;
  readonly mentions: Mentions;
  /** The limit in milliseconds. */
  readonly limitMs: number;
  /** Reports whether a file belongs to the server that is asked. */
  isServed(path: string): boolean;
}

/**
 * Finds files that mention the names of changed files, as imports do, at most ten. It finds nothing if the files of the
 * workspace are not known, and does not list them.
 */
export async function findDependents(changed: readonly string[], options: DependentsOptions): Promise<string[]> {
  const { watched, mentions, limitMs, isServed } = options;
  const { paths } = watched;
  if (!paths) return [];
  const others = [...paths].filter((file) => !changed.includes(file) && isServed(file));
  const end = performance.now() + limitMs;
  const found = new Set<string>();
  for (const name of new Set(changed.map(importedName))) {
    const most = MAX_DEPENDENTS - found.size;
    const left = end - performance.now();
    if (most <= 0 || left <= 0) break;
    const { paths: mentioning } = await mentions.find(name, others, { limitMs: left, most, checkpoint });
    for (const file of mentioning) found.add(file);
  }
  return [...found];
}

/** Returns the word by which others import a file: its name without extensions, or that of its directory. */
export function importedName(file: string): string {
  const name = path.posix.basename(file).replace(/(\.d)?\.[^.]+$/, '');
  const directory = path.posix.basename(path.posix.dirname(file));
  const isPackage = OF_DIRECTORY.test(name) || file.endsWith('.go');
  return isPackage && directory !== '.' ? directory : name;
}

function checkpoint(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
