import { posix } from 'node:path';
import type { OpenDirectory } from '@jinn/workspace';
import { listOpen, type NamedEntry } from '@jinn/workspace/walk';
import { isConfigFile, NESTED, type NestedFiles } from './config-files.ts';
import type { WarnFunction } from './manifest.ts';

/** The most files that are listed of a nested directory, and the most directories of any name that are searched. */
const MAX_NESTED = 100;

interface KeepOptions {
  readonly isKept: (name: string, kind: NamedEntry['kind']) => boolean;
  readonly leadsToFile: (name: string) => boolean;
  readonly warn: WarnFunction;
}

/** Returns the sorted configuration files of an open, listed directory, and of the known directories below it. */
export function configFilesIn(
  directory: OpenDirectory,
  listed: readonly NamedEntry[],
  { isKept, ...keeping }: KeepOptions,
): string[] {
  const here = listed.filter(({ name, kind }) => kind !== 'directory' && isConfigFile(name));
  return [...here, ...nestedIn({ directory, listed, path: '', ...keeping }, NESTED)]
    .filter(({ name, kind }) => isKept(name, kind))
    .map(({ name }) => name)
    .sort();
}

/** Returns the first files of a list. Warns if there are more. */
export function firstFiles(
  names: readonly string[],
  most: number,
  where: string,
  warn: WarnFunction,
): readonly string[] {
  if (names.length > most) warn(`${where}: it has ${names.length} config files, and ${most} are listed`);
  return names.slice(0, most);
}

interface Level extends Omit<KeepOptions, 'isKept'> {
  readonly directory: OpenDirectory;
  readonly listed: readonly NamedEntry[];
  readonly path: string;
}

/** It searches only directories that the listing shows, so that a missing one costs nothing. */
function nestedIn(level: Level, { files, directories, others }: NestedFiles): NamedEntry[] {
  const named = level.listed.flatMap((entry) => {
    const nested = directories?.get(entry.name);
    return nested ? filesBelow(level, entry, nested) : [];
  });
  if (!others) return named;
  const rest = level.listed.filter(({ name, kind }) => kind !== 'file' && !files?.test(name)).slice(0, MAX_NESTED);
  return [...named, ...rest.flatMap((entry) => filesBelow(level, entry, others))];
}

function filesBelow(level: Level, { name, kind }: NamedEntry, nested: NestedFiles): NamedEntry[] {
  const path = posix.join(level.path, name);
  if (kind === 'link' && !level.leadsToFile(path)) level.warn(`${path}: a link, which is not followed`);
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

function filesIn({ listed, path, warn }: Level, { files }: NestedFiles): NamedEntry[] {
  const found = files ? listed.filter(({ name }) => files.test(name)) : [];
  if (found.length > MAX_NESTED) warn(`${path}: ${MAX_NESTED} of its ${found.length} config files are listed`);
  return found.slice(0, MAX_NESTED).map((entry) => ({ ...entry, name: `${path}/${entry.name}` }));
}
