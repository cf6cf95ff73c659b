import { fromSystemError, type OpenDirectory, ToolError, type Workspace } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import { NamesCache } from './names-cache.ts';
import { showPath } from './notes.ts';
import { type NamedEntry, type Names, readNames } from './read-names.ts';
import { findExcludes, type Note, readOwnRules } from './repository.ts';
import { byPath, filesFirst, WalkEntry } from './walk-entry.ts';
import type { WalkOptions } from './walk-options.ts';
import type { Listing, WalkedDirectory } from './walked-directory.ts';

/** The segments of the longest path that the guard opens. */
const MAX_SEGMENTS = 256;
const DOT = 46;
/** How much may be decided, in entries and patterns tried, before others get their turn. */
const WORK_PER_TURN = 20_000;

/**
 * Opens and reads a directory, and chooses what of it the walk reports. What is wrong with the directory becomes a
 * note; with the start, an error.
 */
export async function list(at: WalkedDirectory, workspace: Workspace, options: WalkOptions): Promise<Listing> {
  const notes: string[] = [];
  const note: Note = (sentence) => notes.push(sentence);
  const names = tryToRead(at, workspace, note);
  if (!names) return { files: undefined, entries: [], children: [], notes };
  if (names.unreadable > 0) {
    note(
      `${shownPath(at)}: left out ${names.unreadable} ${names.unreadable === 1 ? 'name' : 'names'} that are not UTF-8`,
    );
  }
  if (options.gitignore) at.rules = rulesIn(at, names, workspace, note);
  const decider = options.decideIn?.(at.directory, (name) => has(names, name));
  const isPlain = at.directory.holdsPlainNames(names.joined);
  const mayIgnoreFiles = !isPlain || at.rules.mayIgnoreFiles(names.joined);
  const takesAllFiles = options.takeFiles && !mayIgnoreFiles && decider?.takesAll?.(names.joined);
  const { files, others } = takesAllFiles ? split(names) : { others: inOrder(names, options) };
  const decide = decider?.decide ?? options.decide;
  const entries = await choose(others, at, { ...options, decide, isPlain, mayIgnoreFiles });
  if (options.filesFirst) entries.sort(filesFirst);
  const directories = at.depth < (options.maxDepth ?? Number.POSITIVE_INFINITY) ? entries.filter(isDirectory) : [];
  if (directories.length > 0 && segmentsOf(at) >= MAX_SEGMENTS - 1) {
    note(`${shownPath(at)}: its directories lie too deep and were not entered`);
    return { files, entries, children: [], notes };
  }
  return { files, entries, children: directories.map((entry) => at.child(entry)), notes };
}

function tryToRead(at: WalkedDirectory, workspace: Workspace, note: Note): Names | undefined {
  try {
    const cache = NamesCache.of(workspace);
    const known = cache.isEmpty ? undefined : at.recall(cache);
    if (known) return known;
    at.open();
    const kept = cache.get(at.directory);
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
  const excludes = has(names, '.git') ? findExcludes(workspace, at.directory, note) : undefined;
  const rules = excludes ? DirectoryRules.NONE.with(excludes) : at.rules;
  return has(names, '.gitignore') ? rules.with(readOwnRules(at.directory, note)) : rules;
}

interface ChoiceOptions extends WalkOptions {
  /** True when no name of the directory is hidden or a secret; what is ruled out for all is not asked of each. */
  readonly isPlain: boolean;
  /** False when no rule says anything of a file in the directory. */
  readonly mayIgnoreFiles: boolean;
}

async function choose(names: readonly NamedEntry[], at: WalkedDirectory, options: ChoiceOptions): Promise<WalkEntry[]> {
  const { excludeDirectories, checkpoint, decide, isPlain, mayIgnoreFiles } = options;
  const { rules, directory } = at;
  const turn = Math.ceil(WORK_PER_TURN / (1 + rules.cost));
  const chosen: WalkEntry[] = [];
  let seen = 0;
  for (const named of names) {
    if (++seen % turn === 0) await checkpoint();
    const { name, kind } = named;
    if (!isPlain && isUnseen(named, directory, options)) continue;
    const isDirectory = kind === 'directory';
    if (isDirectory && excludeDirectories?.has(name)) continue;
    const ignored = (isDirectory || mayIgnoreFiles) && rules.ignores(name, isDirectory);
    if (ignored && !decide) continue;
    const entry = new WalkEntry(name, kind, at);
    if (!decide || decide(entry, ignored)) chosen.push(entry);
  }
  return chosen;
}

/** Hidden, unless that is asked for, or secret. */
function isUnseen({ name, kind }: NamedEntry, directory: OpenDirectory, { hidden, onSecret }: ChoiceOptions): boolean {
  if (!hidden && name.charCodeAt(0) === DOT) return true;
  if (!directory.isSecret(name)) return false;
  onSecret?.(directory.pathOf(name), kind === 'directory');
  return true;
}

function has({ joined }: Names, wanted: string): boolean {
  return joined.includes(`/${wanted}/`);
}

/** The names in the order of the walk, unless that does not matter; the order is kept with them. */
function inOrder(names: Names, { sorted }: WalkOptions): readonly NamedEntry[] {
  if (!names.sorted && (sorted?.() ?? true)) {
    names.entries.sort(byPath);
    names.sorted = true;
  }
  return names.entries;
}

/** Most directories are such that no rule says anything of their files, which then need no look at each. */
function split({ entries }: Names): { files: string[]; others: NamedEntry[] } {
  const files: string[] = [];
  const others: NamedEntry[] = [];
  for (const entry of entries) {
    if (entry.kind === 'file') files.push(entry.name);
    else others.push(entry);
  }
  return { files: files.sort(), others };
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
