import type { OpenDirectory } from '@jinn/core';
import { listOpen, type NamedEntry } from '@jinn/walk';
import { isConfigFile, NESTED } from './config-files.ts';
import type { Note } from './manifest.ts';

/** How many are named of one directory below the top. */
const MAX_NESTED = 100;

interface Keeping {
  readonly isKept: (name: string, kind: NamedEntry['kind']) => boolean;
  readonly note: Note;
}

/** The configuration files of a directory that is open and listed, sorted, as far as they are kept. */
export function configFilesIn(
  directory: OpenDirectory,
  listed: readonly NamedEntry[],
  { isKept, note }: Keeping,
): string[] {
  const nested = listed.filter(({ name }) => NESTED.has(name));
  const here = listed.filter(({ name, kind }) => kind !== 'directory' && isConfigFile(name));
  const all = [...here, ...nested.flatMap(({ name }) => nestedIn(directory, name, note))];
  return all
    .filter(({ name, kind }) => isKept(name, kind))
    .map(({ name }) => name)
    .sort();
}

/** The first of these files, to be listed; that there are more is noted. */
export function firstFiles(names: readonly string[], most: number, where: string, note: Note): readonly string[] {
  if (names.length > most) note(`${where}: it has ${names.length} config files, and ${most} are listed`);
  return names.slice(0, most);
}

/** Looks only into directories that the listing shows, so that none costs anything where it is not. */
function nestedIn(directory: OpenDirectory, name: string, note: Note): NamedEntry[] {
  return (NESTED.get(name) ?? []).flatMap(([path, pattern]) => {
    const segments = path === '' ? [name] : [name, path];
    const below = segments.join('/');
    const found = listBelow(directory, segments).filter((entry) => pattern.test(entry.name));
    if (found.length > MAX_NESTED) note(`${below}: ${MAX_NESTED} of its ${found.length} config files are listed`);
    return found.slice(0, MAX_NESTED).map((entry) => ({ ...entry, name: `${below}/${entry.name}` }));
  });
}

/** What cannot be opened holds nothing; links are not followed. */
function listBelow(directory: OpenDirectory, [name, ...rest]: readonly string[]): NamedEntry[] {
  if (name === undefined) return listOpen(directory, directory.path);
  let child: OpenDirectory | undefined;
  try {
    child = directory.child(name);
    return listBelow(child, rest);
  } catch {
    return [];
  } finally {
    child?.close();
  }
}
