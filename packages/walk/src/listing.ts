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
      `${shownPath(at)}: left out ${names.unreadable} ${names.unreadable === 1 ? 'name that is' : 'names that are'} not UTF-8`,
    );
  }
  if (options.gitignore) at.rules = rulesIn(at, names, workspace, note);
  const chosen = new Chooser(at, names, options).choose();
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

interface Chosen {
  readonly taken: TakenFiles | undefined;
  readonly entries: WalkEntry[];
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
  readonly #entries: WalkEntry[] = [];
  /** Files that are not taken. */
  readonly #refused: string[] = [];
  /** True when some of them were left out by a rule. */
  #leavesOut = false;

  constructor(at: WalkedDirectory, names: Names, options: WalkOptions) {
    const decider = options.decideIn?.(at.directory, names);
    this.#at = at;
    this.#names = names;
    this.#options = options;
    this.#decide = decider?.decide ?? options.decide;
    this.#isPlain = at.directory.holdsPlainNames(names.joined);
    if (options.takeFiles) this.#inDoubt = this.#filesInDoubt(decider);
  }

  /** Decides on what must be looked at one by one: of most directories, on nothing. */
  choose(): Chosen | Promise<Chosen> {
    const asked = this.#asked;
    const turn = Math.ceil(WORK_PER_TURN / (1 + this.#at.rules.cost));
    if (asked.length > turn) return this.#chooseInTurns(asked, turn);
    this.#decideOn(asked);
    return this.#chosen;
  }

  async #chooseInTurns(asked: readonly NamedEntry[], turn: number): Promise<Chosen> {
    for (let from = 0; from < asked.length; from += turn) {
      await this.#options.checkpoint();
      this.#decideOn(asked.slice(from, from + turn));
    }
    return this.#chosen;
  }

  get #asked(): readonly NamedEntry[] {
    if (!this.#inDoubt) return inOrder(this.#names, this.#options);
    const { others } = this.#names;
    return this.#inDoubt.length === 0 ? others : [...this.#inDoubt.map(toFile), ...others];
  }

  get #chosen(): Chosen {
    const names = this.#inDoubt ? this.#taken : '/';
    return { taken: names === '/' ? undefined : { names, areAll: !this.#leavesOut }, entries: this.#entries };
  }

  get #taken(): string {
    const { files } = this.#names;
    if (this.#refused.length === 0) return files;
    const refused = new Set(this.#refused);
    return joinNames(splitNames(files).filter((name) => !refused.has(name)));
  }

  #filesInDoubt(decider: Decider | undefined): readonly string[] {
    const { files } = this.#names;
    if (!this.#isPlain) return splitNames(files);
    const ignorable = this.#at.rules.filesInDoubt(files);
    const others = decider?.filesInDoubt(files);
    return others && others.length > 0 ? [...ignorable, ...others] : ignorable;
  }

  #decideOn(asked: readonly NamedEntry[]): void {
    for (const named of asked) {
      const isFile = this.#inDoubt !== undefined && named.kind === 'file';
      const isSeen = this.#isPlain || !this.#isUnseen(named);
      const entry = isSeen ? this.#report(named) : undefined;
      if (entry && !isFile) this.#entries.push(entry);
      if (entry || !isFile) continue;
      this.#refused.push(named.name);
      this.#leavesOut ||= isSeen;
    }
  }

  /** Undefined for what a rule leaves out. */
  #report({ name, kind }: NamedEntry): WalkEntry | undefined {
    const { rules } = this.#at;
    const decide = this.#decide;
    const isDirectory = kind === 'directory';
    if (isDirectory && this.#options.excludeDirectories?.has(name)) return undefined;
    const ignored = (isDirectory || this.#mayIgnoreFiles()) && rules.ignores(name, isDirectory);
    if (ignored && !decide) return undefined;
    const entry = new WalkEntry(name, kind, this.#at);
    return !decide || decide(entry, ignored) ? entry : undefined;
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

function toFile(name: string): NamedEntry {
  return { name, kind: 'file' };
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
