import fs from 'node:fs';
import path from 'node:path';
import { FileNames, toPattern } from './file-names.ts';

/** A tree of more entries is not searched to its end. */
const MAX_ENTRIES = 1_000_000;
const MAX_FOUND = 5_000;
const SLICE = 5_000;

export interface SearchOptions {
  readonly first?: boolean;
}

/**
 * Finds the files of these names in a directory, in all below it, and in those above it, as absolute paths in order;
 * FileNames says what a name may be. Directories that are hidden, secret, or ignored by git are searched too, since build
 * tools search them. Returns undefined if there are more than 5,000 files, or more than a million entries to look at.
 */
export async function findNamed(
  root: string,
  names: readonly string[],
  { first = false }: SearchOptions = {},
): Promise<readonly string[] | undefined> {
  const wanted = new FileNames(names);
  const found = new Set(above(root).flatMap((directory) => filesIn(directory, names, wanted)));
  const waiting = [root];
  let looked = 0;
  let turnAt = SLICE;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (first && found.size > 0) break;
    for (const entry of entriesOf(directory)) {
      if (++looked > MAX_ENTRIES) return undefined;
      for (const file of filesAt(directory, entry, wanted)) found.add(file);
      if (entry.isDirectory()) waiting.push(path.join(directory, entry.name));
    }
    if (!first && found.size > MAX_FOUND) return undefined;
    if (looked < turnAt) continue;
    turnAt = looked + SLICE;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...found].sort();
}

function above(directory: string): string[] {
  const parents: string[] = [];
  for (let at = directory; at !== path.dirname(at); ) {
    at = path.dirname(at);
    parents.push(at);
  }
  return parents;
}

/**
 * Finds the files of these names in a directory above the workspace. It may hold very many others, so it is listed only
 * for names with `*`.
 */
function filesIn(directory: string, names: readonly string[], wanted: FileNames): string[] {
  const exact = names.filter((name) => !name.includes('*')).flatMap((name) => resolveRest(directory, name));
  if (!names.some((name) => name.includes('*'))) return exact;
  return [...exact, ...entriesOf(directory).flatMap((entry) => filesAt(directory, entry, wanted))];
}

function entriesOf(directory: string): fs.Dirent[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function filesAt(directory: string, entry: fs.Dirent, wanted: FileNames): string[] {
  const file = path.join(directory, entry.name);
  const below = wanted.below(entry.name).flatMap((rest) => resolveRest(file, rest));
  return !entry.isDirectory() && wanted.has(entry.name) ? [file, ...below] : below;
}

function resolveRest(directory: string, rest: string): string[] {
  const target = path.join(directory, rest).replace(/\/$/, '');
  if (!rest.includes('*')) return isMeant(target, /^$|\/$/.test(rest)) ? [target] : [];
  const pattern = toPattern(path.basename(target));
  const names = entriesOf(path.dirname(target)).map(({ name }) => name);
  const files = names.filter((name) => pattern.test(name.toLowerCase()));
  return files.map((name) => path.join(path.dirname(target), name)).filter((file) => isMeant(file, false));
}

function isMeant(target: string, isDirectory: boolean): boolean {
  try {
    // Throwing and catching an error would take longer.
    return fs.existsSync(target) && fs.statSync(target).isDirectory() === isDirectory;
  } catch {
    return false;
  }
}
