import { fromSystemError, ToolError, type Workspace } from '@jinn/core';
import { type Chosen, choose } from './choose.ts';
import { DirectoryRules } from './directory-rules.ts';
import { joinNames, type Names, splitNames } from './names.ts';
import { NamesCache } from './names-cache.ts';
import { showPath } from './notes.ts';
import { readNames } from './read-names.ts';
import { findExcludes, type Note, readOwnRules } from './repository.ts';
import { byPath, filesFirst, type WalkEntry } from './walk-entry.ts';
import type { WalkOptions } from './walk-options.ts';
import type { Listing, TakenFiles, WalkedDirectory } from './walked-directory.ts';

/** The segments of the longest path that the guard opens. */
const MAX_SEGMENTS = 256;

/**
 * Reads a directory, and chooses what of it the walk reports. What is wrong with the directory becomes a note; with the
 * start, an error.
 */
export function list(at: WalkedDirectory, workspace: Workspace, options: WalkOptions): Listing | Promise<Listing> {
  const notes: string[] = [];
  const note: Note = (sentence) => notes.push(sentence);
  const names = tryToRead(at, workspace, note);
  if (!names) return { files: [], entries: [], children: [], notes };
  if (names.unreadable > 0) {
    note(
      `${shownPath(at)}: left out ${names.unreadable} ${names.unreadable === 1 ? 'name that is' : 'names that are'} not UTF-8`,
    );
  }
  if (options.gitignore) at.rules = rulesIn(at, names, workspace, note);
  const chosen = choose(at, names, options);
  if (chosen instanceof Promise) return chosen.then((waited) => toListing(at, waited, options, notes));
  return toListing(at, chosen, options, notes);
}

function toListing(at: WalkedDirectory, { taken, entries }: Chosen, options: WalkOptions, notes: string[]): Listing {
  if (entries.length === 0) return { files: [taken], entries, children: [], notes };
  if (options.filesFirst) entries.sort(filesFirst);
  const files = taken && !options.filesFirst ? splitBetween(taken, entries) : [taken];
  const directories = at.depth < (options.maxDepth ?? Number.POSITIVE_INFINITY) ? entries.filter(isDirectory) : [];
  if (directories.length > 0 && segmentsOf(at) >= MAX_SEGMENTS - 1) {
    notes.push(`${shownPath(at)}: its directories lie too deep and were not entered`);
    return { files, entries, children: [], notes };
  }
  return { files, entries, children: directories.map((entry) => at.child(entry)), notes };
}

function tryToRead(at: WalkedDirectory, workspace: Workspace, note: Note): Names | undefined {
  try {
    const cache = NamesCache.of(workspace);
    const known = cache.knowsNothing ? undefined : at.recall(cache);
    if (known) return known;
    at.open();
    const kept = cache.getOf(at.directory);
    if (kept) return kept;
    const now = Date.now();
    const names = readNames(at.directory);
    cache.set(at.directory, names, now);
    return names;
  } catch (error) {
    if (!at.entry) throw fromSystemError(error, shownPath(at));
    note(`${shownPath(at)}: ${reasonOf(error)}`);
    return undefined;
  }
}

function rulesIn(at: WalkedDirectory, names: Names, workspace: Workspace, note: Note): DirectoryRules {
  if (at.rules.ignoresAll) return at.rules;
  const excludes = names.has('.git') ? findExcludes(workspace, at.directory, note) : undefined;
  const rules = excludes ? DirectoryRules.NONE.with(excludes) : at.rules;
  return names.has('.gitignore') ? rules.with(readOwnRules(at.directory, note)) : rules;
}

/** The files that come before each entry in the order of the walk, and those after the last. */
function splitBetween({ names, areAll }: TakenFiles, entries: readonly WalkEntry[]): (TakenFiles | undefined)[] {
  const all = splitNames(names);
  let at = 0;
  const runTo = (end: number) => {
    const run = all.slice(at, end);
    at = end;
    return run.length === 0 ? undefined : { names: joinNames(run), areAll };
  };
  const runs = entries.map((entry) => {
    let end = at;
    while (end < all.length && byPath({ name: all[end] as string, kind: 'file' }, entry) < 0) end++;
    return runTo(end);
  });
  return [...runs, runTo(all.length)];
}

function isDirectory({ kind }: WalkEntry): boolean {
  return kind === 'directory';
}

function shownPath({ entry, directory }: WalkedDirectory): string {
  return showPath(entry?.path ?? directory.path);
}

function segmentsOf({ directory: { path } }: WalkedDirectory): number {
  return path === '.' ? 0 : path.split('/').length;
}

function reasonOf(error: unknown): string {
  if (error instanceof ToolError) return 'changed while the tree was walked, and was left out';
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied, its content was left out';
    case 'ENOENT':
      return 'vanished while the tree was walked';
    case 'ENOTDIR':
    case 'ELOOP':
      return 'changed while the tree was walked, and was left out';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many open files, its content was left out';
    default:
      return 'could not be read, its content was left out';
  }
}
