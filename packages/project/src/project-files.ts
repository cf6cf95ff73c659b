import { posix } from 'node:path';
import type { OpenDirectory } from '@jinn/core';
import { listOpen, type NamedEntry } from '@jinn/walk';
import { isConfigFile, NESTED, type Nested } from './config-files.ts';
import type { Note } from './manifest.ts';

/** How many are named of one directory below the top, and how many are looked into that may have any name. */
const MAX_NESTED = 100;

interface Keeping {
  readonly isKept: (name: string, kind: NamedEntry['kind']) => boolean;
  /** True for a link to a file. */
  readonly leadsToFile: (name: string) => boolean;
  readonly note: Note;
}

/** The configuration files of a directory that is open and listed, sorted, as far as they are kept. */
export function configFilesIn(
  directory: OpenDirectory,
  listed: readonly NamedEntry[],
  { isKept, ...keeping }: Keeping,
): string[] {
  const here = listed.filter(({ name, kind }) => kind !== 'directory' && isConfigFile(name));
  return [...here, ...nestedIn({ directory, listed, path: '', ...keeping }, NESTED)]
    .filter(({ name, kind }) => isKept(name, kind))
    .map(({ name }) => name)
    .sort();
}

/** The first of these files, to be listed; that there are more is noted. */
export function firstFiles(names: readonly string[], most: number, where: string, note: Note): readonly string[] {
  if (names.length > most) note(`${where}: it has ${names.length} config files, and ${most} are listed`);
  return names.slice(0, most);
}

interface Level extends Omit<Keeping, 'isKept'> {
  readonly directory: OpenDirectory;
  readonly listed: readonly NamedEntry[];
  /** From the top. */
  readonly path: string;
}

/** Looks only into directories that the listing shows, so that none costs anything where it is not. */
function nestedIn(level: Level, { files, directories, others }: Nested): NamedEntry[] {
  const named = level.listed.flatMap((entry) => {
    const nested = directories?.get(entry.name);
    return nested ? filesBelow(level, entry, nested) : [];
  });
  if (!others) return named;
  const rest = level.listed.filter(({ name, kind }) => kind !== 'file' && !files?.test(name)).slice(0, MAX_NESTED);
  return [...named, ...rest.flatMap((entry) => filesBelow(level, entry, others))];
}

/** What cannot be opened holds nothing; links are not followed. */
function filesBelow(level: Level, { name, kind }: NamedEntry, nested: Nested): NamedEntry[] {
  const path = posix.join(level.path, name);
  if (kind === 'link' && !level.leadsToFile(path)) level.note(`${path}: a link, which is not followed`);
  if (kind !== 'directory') return [];
  let directory: OpenDirectory | undefined;
  try {
    directory = level.directory.child(name);
    const below = { ...level, directory, listed: listOpen(directory, directory.path), path };
    return [...filesIn(below, nested), ...nestedIn(below, nested)];
  } catch {
    return [];
  } finally {
    directory?.close();
  }
}

function filesIn({ listed, path, note }: Level, { files }: Nested): NamedEntry[] {
  const found = files ? listed.filter(({ name }) => files.test(name)) : [];
  if (found.length > MAX_NESTED) note(`${path}: ${MAX_NESTED} of its ${found.length} config files are listed`);
  return found.slice(0, MAX_NESTED).map((entry) => ({ ...entry, name: `${path}/${entry.name}` }));
}
