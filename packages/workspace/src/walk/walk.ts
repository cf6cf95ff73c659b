import { fromSystemError, isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import type { OpenDirectory, Workspace } from '../guard/index.ts';
import { type ChosenEntries, chooseEntries } from './choose.ts';
import { addOwnRules, findExcludes, rulesAbove } from './git/repository.ts';
import { TrackedFiles } from './git/tracked-files.ts';
import type { DirectoryNames } from './names.ts';
import { NamesCache } from './names-cache.ts';
import { Cascade } from './rules/cascade.ts';
import { type Rule, toBytes } from './rules/rule-file.ts';
import { byPath, type WalkEntry } from './walk-entry.ts';
import type { TakenFiles, WalkOptions } from './walk-options.ts';
import { namesOf, openChild, type ReadDirectory, type WalkedDirectory } from './walked-directory.ts';
import { showPath, Warnings } from './warnings.ts';

/** How much is done between two checkpoints, in visits. */
const WORK_PER_TURN = 1024;
const NO_RULES = new Cascade<Rule>();
/** Reading a directory takes as long as this many visits. */
const WORK_OF_DIRECTORY = 64;
/** The guard opens no longer path. */
const MAX_SEGMENTS = 256;

/** For a directory, 'skip' means that the walk does not enter it. A promise is awaited before the walk continues. */
export type EntryVisitor = (entry: WalkEntry) => undefined | 'skip' | Promise<undefined | 'skip'>;

export interface WalkResult {
  readonly warnings: readonly string[];
}

/**
 * Visits everything below `start` in a stable order: a directory right before its content, and entries by code units
 * with a directory compared as `name/`. Secrets are never visited, and links never followed. A directory that cannot be
 * read becomes a warning. Throws ToolError if `start` is refused, missing or not a directory, and the errors of `visit`
 * and `checkpoint`.
 */
export function walk(
  workspace: Workspace,
  start: string,
  options: WalkOptions,
  visit: EntryVisitor,
): Promise<WalkResult> {
  return workspace.withDirectory(start, (directory) => new Walk(workspace, options, visit).run(directory));
}

class Walk {
  readonly #workspace: Workspace;
  readonly #options: WalkOptions;
  readonly #visit: EntryVisitor;
  readonly #cache: NamesCache | undefined;
  readonly #warnings: Warnings;
  #work = WORK_PER_TURN;

  constructor(workspace: Workspace, options: WalkOptions, visit: EntryVisitor) {
    this.#workspace = workspace;
    this.#options = options;
    this.#warnings = new Warnings(options.leftOut);
    this.#visit = visit;
    this.#cache = NamesCache.of(workspace);
  }

  async run(directory: OpenDirectory): Promise<WalkResult> {
    const { gitignore, rulesFrom } = this.#options;
    const above = gitignore ? await rulesAbove(this.#workspace, directory, this.#warnings, rulesFrom) : NO_RULES;
    const names = this.#readStart(directory);
    const rules = this.#rulesIn(directory, names, above);
    const isTracked = gitignore ? this.#trackedFrom(directory) : undefined;
    const warnings = this.#warnings;
    await this.#report({ directory, names, rules, isTracked, warnings, isIgnored: false, depth: 1, prefix: '' });
    return { warnings: this.#warnings.all() };
  }

  #readStart(directory: OpenDirectory): DirectoryNames {
    try {
      return namesOf(directory, this.#cache);
    } catch (error) {
      throw fromSystemError(error, showPath(directory.path));
    }
  }

  #enter(parent: WalkedDirectory, entry: WalkEntry): Promise<void> | undefined {
    const opened = this.#open(parent, entry);
    if (!opened) return undefined;
    let waiting: Promise<void> | undefined;
    try {
      waiting = this.#report(this.#toWalked(parent, entry.name, opened))?.finally(() => opened.directory.close());
    } finally {
      if (waiting === undefined) opened.directory.close();
    }
    return waiting;
  }

  #open(parent: WalkedDirectory, { name, path }: WalkEntry): ReadDirectory | undefined {
    try {
      return openChild(parent.directory, name, this.#cache);
    } catch (error) {
      if (isOutOfDescriptors(error)) throw fromSystemError(error, path);
      this.#warnings.add(`${showPath(path)}: ${reasonOf(error)}`);
      return undefined;
    }
  }

  #toWalked(parent: WalkedDirectory, name: string, { directory, names }: ReadDirectory): WalkedDirectory {
    const bytes = toBytes(name);
    const isTop = parent.isTracked !== undefined && names.has('.git');
    const rule = parent.rules.find(bytes, true);
    const isCovered = rule?.excludes === true && rule.coversTracked === true;
    // A submodule has rules of its own, despite those above it.
    const isSubmodule = isTop && !isCovered && parent.isTracked?.(directory.path, false) === true;
    const isIgnored = (parent.isIgnored || rule?.excludes === true) && !isSubmodule;
    const rules = isIgnored ? NO_RULES : this.#rulesIn(directory, names, parent.rules.open(bytes));
    const tracked = isTop ? this.#trackedFrom(directory) : parent.isTracked;
    const isTracked = isCovered ? undefined : tracked;
    const [depth, prefix] = [parent.depth + 1, `${parent.prefix}${name}/`];
    return { directory, names, rules, isTracked, warnings: parent.warnings, isIgnored, depth, prefix };
  }

  #trackedFrom({ path }: OpenDirectory): TrackedFiles['holds'] {
    let found: readonly [TrackedFiles | undefined] | undefined;
    return (entry, isDirectory) => {
      found ??= [TrackedFiles.find(this.#workspace, path)];
      return found[0]?.holds(entry, isDirectory) ?? false;
    };
  }

  /** The top of another repository starts its own rules. */
  #rulesIn(directory: OpenDirectory, names: DirectoryNames, above: Cascade<Rule>): Cascade<Rule> {
    if (!this.#options.gitignore) return above;
    const [workspace, warnings, has] = [this.#workspace, this.#warnings, (name: string) => names.has(name)];
    const excludes = names.has('.git') ? findExcludes(above, directory, { workspace, warnings }) : undefined;
    return addOwnRules(excludes ?? above, directory, { warnings, has });
  }

  /** Returns undefined if it did not wait: 1,250 promises made `jinni -l` take 116 ms of processor time instead of 102. */
  #report(at: WalkedDirectory): Promise<void> | undefined {
    this.#work += WORK_OF_DIRECTORY;
    this.#warnOfUnreadable(at);
    const chosen = chooseEntries(at, this.#options);
    if (!(chosen instanceof Promise) && chosen.entries.length === 0) return this.#take(at, chosen.files);
    return this.#visitAll(at, chosen);
  }

  async #visitAll(at: WalkedDirectory, pending: ChosenEntries | Promise<ChosenEntries>): Promise<void> {
    const { files, entries } = await pending;
    const runs = this.#splitFiles(files, entries);
    const enters = this.#mayEnter(at, entries);
    const taking = this.#take(at, runs[0]);
    if (taking !== undefined) await taking;
    for (const [i, entry] of entries.entries()) {
      if (++this.#work > WORK_PER_TURN) await this.#turn();
      const answer = this.#visit(entry);
      const skips = (typeof answer === 'object' ? await answer : answer) === 'skip';
      const waiting = enters && entry.kind === 'directory' && !skips ? this.#enter(at, entry) : undefined;
      if (waiting !== undefined) await waiting;
      const taking = this.#take(at, runs[i + 1]);
      if (taking !== undefined) await taking;
    }
  }

  #splitFiles(files: TakenFiles | undefined, entries: readonly WalkEntry[]): readonly (TakenFiles | undefined)[] {
    return files && !this.#options.filesFirst ? splitBetween(files, entries) : [files];
  }

  #take({ directory }: WalkedDirectory, files: TakenFiles | undefined): Promise<void> | undefined {
    return files && this.#options.takeFiles?.(directory, files);
  }

  #mayEnter(at: WalkedDirectory, entries: readonly WalkEntry[]): boolean {
    if (at.depth >= (this.#options.maxDepth ?? Number.POSITIVE_INFINITY)) return false;
    if (segmentsOf(at) < MAX_SEGMENTS - 1 || !entries.some(({ kind }) => kind === 'directory')) return true;
    this.#warnings.add(`${showPath(at.directory.path)}: its directories lie too deep and were not entered`);
    return false;
  }

  #warnOfUnreadable({ directory, names: { unreadable } }: WalkedDirectory): void {
    if (unreadable === 0) return;
    const names = unreadable === 1 ? 'name that is' : 'names that are';
    this.#warnings.add(`${showPath(directory.path)}: left out ${unreadable} ${names} not UTF-8`);
  }

  async #turn(): Promise<void> {
    this.#work = 0;
    await this.#options.checkpoint();
  }
}

function splitBetween(taken: TakenFiles, entries: readonly WalkEntry[]): (TakenFiles | undefined)[] {
  const all = taken.names;
  let at = 0;
  const takeUntil = (end: number) => {
    const names = all.slice(at, end);
    at = end;
    return names.length === 0 ? undefined : { ...taken, names };
  };
  const runs = entries.map((entry) => {
    let end = at;
    while (end < all.length && byPath({ name: all[end] as string, kind: 'file' }, entry) < 0) end++;
    return takeUntil(end);
  });
  return [...runs, takeUntil(all.length)];
}

function segmentsOf({ directory: { path } }: WalkedDirectory): number {
  return path === '.' ? 0 : path.split('/').length;
}

function reasonOf(error: unknown): string {
  if (error instanceof ToolError) return 'changed while the tree was walked, and was skipped';
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied, its content was skipped';
    case 'ENOENT':
      return 'vanished while the tree was walked';
    case 'ENOTDIR':
    case 'ELOOP':
      return 'changed while the tree was walked, and was skipped';
    default:
      return 'could not be read, its content was skipped';
  }
}
