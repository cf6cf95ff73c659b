import { inTurns } from './in-turns.ts';
import { joinNames, type NamedEntry, type Names, splitNames } from './names.ts';
import { WalkEntry } from './walk-entry.ts';
import type { Decide, Decider, WalkOptions } from './walk-options.ts';
import type { TakenFiles, WalkedDirectory } from './walked-directory.ts';

const DOT = 46;
/** How much may be decided, in entries and patterns tried, before others get their turn. */
const WORK_PER_TURN = 20_000;

/** What of one directory is reported. */
export interface Chosen {
  readonly taken: TakenFiles | undefined;
  readonly entries: WalkEntry[];
}

/** Chooses what of one directory is reported; lets others have their turn where there is much to decide. */
export function choose(at: WalkedDirectory, names: Names, options: WalkOptions): Chosen | Promise<Chosen> {
  return new Chooser(at, names, options).choose();
}

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
    const perTurn = Math.ceil(WORK_PER_TURN / (1 + this.#at.rules.cost));
    const waits = inTurns(this.#asked, this.#options.checkpoint, (named) => this.#decideOn(named), perTurn);
    return waits === undefined ? this.#chosen : waits.then(() => this.#chosen);
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

  #decideOn(named: NamedEntry): void {
    const isFile = this.#inDoubt !== undefined && named.kind === 'file';
    const isSeen = this.#isPlain || !this.#isUnseen(named);
    const entry = isSeen ? this.#report(named) : undefined;
    if (entry && !isFile) this.#entries.push(entry);
    if (entry || !isFile) return;
    this.#refused.push(named.name);
    this.#leavesOut ||= isSeen;
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

/** The names in the order of the walk, unless that does not matter; the order is kept with them. */
function inOrder(names: Names, { sorted }: WalkOptions): readonly NamedEntry[] {
  return (sorted?.() ?? true) ? names.inOrder() : names.entries;
}
