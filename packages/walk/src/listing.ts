import { fromSystemError, ToolError, type Workspace } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import { joinNames, type NamedEntry, type Names, splitNames } from './names.ts';
import { NamesCache } from './names-cache.ts';
import { showPath } from './notes.ts';
import { readNames } from './read-names.ts';
import { findExcludes, type Note, readOwnRules } from './repository.ts';
import { byPath, filesFirst, WalkEntry } from './walk-entry.ts';
import type { Decide, Decider, WalkOptions } from './walk-options.ts';
import type { Listing, TakenFiles, WalkedDirectory } from './walked-directory.ts';

/** The segments of the longest path that the guard opens. */
const MAX_SEGMENTS = 256;
const DOT = 46;
/** How much may be decided, in entries and patterns tried, before others get their turn. */
const WORK_PER_TURN = 20_000;

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
      `${shownPath(at)}: left out ${names.unreadable} ${names.unreadable === 1 ? 'name' : 'names'} that are not UTF-8`,
    );
  }
  if (options.gitignore) at.rules = rulesIn(at, names, workspace, note);
  const chooser = new Chooser(at, names, options);
  if (chooser.takesAll) return { files: [chooser.all], entries: [], children: [], notes };
  return toListing(at, chooser, options, notes);
}

async function toListing(
  at: WalkedDirectory,
  chooser: Chooser,
  options: WalkOptions,
  notes: string[],
): Promise<Listing> {
  const taken = await chooser.chooseFiles();
  const entries = await chooser.chooseEntries();
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
    const known = cache.isEmpty ? undefined : at.recall(cache);
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

/** Chooses what of one directory is reported. */
class Chooser {
  readonly #at: WalkedDirectory;
  readonly #names: Names;
  readonly #options: WalkOptions;
  readonly #decide: Decide | undefined;
  /** True when no name is hidden or a secret; that is not asked of each then. */
  readonly #isPlain: boolean;
  /** The files of which a rule may say something; undefined when files are not taken all at once. */
  readonly #inDoubt: readonly string[] | undefined;
  #mayIgnore: boolean | undefined;
  /** How many a rule has left out. */
  #leftOut = 0;

  constructor(at: WalkedDirectory, names: Names, options: WalkOptions) {
    const decider = options.decideIn?.(at.directory, names);
    this.#at = at;
    this.#names = names;
    this.#options = options;
    this.#decide = decider?.decide ?? options.decide;
    this.#isPlain = at.directory.holdsPlainNames(names.joined);
    if (options.takeFiles) this.#inDoubt = this.#filesInDoubt(decider);
  }

  /** True for the most of directories: it holds files alone, and no rule says anything of them. */
  get takesAll(): boolean {
    return this.#inDoubt?.length === 0 && this.#names.others.length === 0;
  }

  get all(): TakenFiles | undefined {
    const { files } = this.#names;
    return files === '/' ? undefined : { names: files, areAll: true };
  }

  /** The files that are taken all at once, if they are; decides on those alone of which a rule may say something. */
  async chooseFiles(): Promise<TakenFiles | undefined> {
    const { files } = this.#names;
    if (!this.#inDoubt) return undefined;
    const refused = new Set(this.#inDoubt);
    for (const { name } of await this.#choose([...refused].map((name) => ({ name, kind: 'file' }))))
      refused.delete(name);
    if (refused.size === 0) return this.all;
    const left = splitNames(files).filter((name) => !refused.has(name));
    return left.length === 0 ? undefined : { names: joinNames(left), areAll: this.#leftOut === 0 };
  }

  /** All others. */
  async chooseEntries(): Promise<WalkEntry[]> {
    return this.#choose(this.#inDoubt ? this.#names.others : inOrder(this.#names, this.#options));
  }

  #filesInDoubt(decider: Decider | undefined): readonly string[] {
    const { files } = this.#names;
    if (!this.#isPlain) return splitNames(files);
    const ignorable = this.#at.rules.filesInDoubt(files);
    const others = decider?.filesInDoubt(files);
    return others && others.length > 0 ? [...ignorable, ...others] : ignorable;
  }

  async #choose(names: readonly NamedEntry[]): Promise<WalkEntry[]> {
    const { excludeDirectories, checkpoint } = this.#options;
    const { rules } = this.#at;
    const decide = this.#decide;
    const turn = Math.ceil(WORK_PER_TURN / (1 + rules.cost));
    const chosen: WalkEntry[] = [];
    let seen = 0;
    for (const named of names) {
      if (++seen % turn === 0) await checkpoint();
      const { name, kind } = named;
      if (!this.#isPlain && this.#isUnseen(named)) continue;
      const isDirectory = kind === 'directory';
      if (isDirectory && excludeDirectories?.has(name)) continue;
      const ignored = (isDirectory || this.#mayIgnoreFiles()) && rules.ignores(name, isDirectory);
      const entry = ignored && !decide ? undefined : new WalkEntry(name, kind, this.#at);
      if (entry && (!decide || decide(entry, ignored))) chosen.push(entry);
      else this.#leftOut++;
    }
    return chosen;
  }

  /** False when no gitignore rule says anything of a file in the directory. */
  #mayIgnoreFiles(): boolean {
    this.#mayIgnore ??= !this.#isPlain || this.#at.rules.filesInDoubt(this.#names.joined).length > 0;
    return this.#mayIgnore;
  }

  /** Hidden, unless that is asked for, or secret. */
  #isUnseen({ name, kind }: NamedEntry): boolean {
    const { hidden, onSecret } = this.#options;
    const { directory } = this.#at;
    if (!hidden && name.charCodeAt(0) === DOT) return true;
    if (!directory.isSecret(name)) return false;
    onSecret?.(directory.pathOf(name), kind === 'directory');
    return true;
  }
}

/** The files that come before each entry in the order of the walk, and those after the last. */
function splitBetween({ names, areAll }: TakenFiles, entries: readonly WalkEntry[]): (TakenFiles | undefined)[] {
  if (entries.length === 0) return [{ names, areAll }];
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

/** The names in the order of the walk, unless that does not matter; the order is kept with them. */
function inOrder(names: Names, { sorted }: WalkOptions): readonly NamedEntry[] {
  return (sorted?.() ?? true) ? names.inOrder() : names.entries;
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
