import { inTurns } from './in-turns.ts';
import type { NamedEntry } from './names.ts';
import { filesFirst, WalkEntry } from './walk-entry.ts';
import type { Decider, TakenFiles, WalkOptions } from './walk-options.ts';
import type { WalkedDirectory } from './walked-directory.ts';

const DOT = 46;
/** How much is decided before other work gets its turn: entries, times the patterns that each is matched against. */
const WORK_PER_TURN = 20_000;

/** The part of a directory that is reported. */
export interface Chosen {
  /** Files that the caller takes at once; they are not among the entries. Undefined for no file. */
  readonly files: TakenFiles | undefined;
  readonly entries: readonly WalkEntry[];
}

/** An entry is reported, or a rule excludes it, or it is hidden or secret. */
type Fate = WalkEntry | 'excluded' | 'unseen';
type FateOf = (named: NamedEntry) => Fate;

/** Chooses what of a directory is reported. Returns a promise only where so much is to be decided that others get a turn. */
export function choose(at: WalkedDirectory, options: WalkOptions): Chosen | Promise<Chosen> {
  const decider = options.decideIn?.(at.directory, at.names);
  // A secret is hidden or not ASCII, so plain names need no look at each of them.
  const isPlain = at.names.isPlain && !at.directory.hasClosedPaths;
  const fateOf = isPlain ? byRules(at, options, decider) : bySight(at, options, byRules(at, options, decider));
  return options.takeFiles
    ? chooseInBulk(at, options, fateOf, isPlain ? findDoubtful(at, decider) : at.names.files.toArray())
    : chooseEach(at, options, fateOf);
}

/** Asks about every entry. */
function chooseEach(at: WalkedDirectory, options: WalkOptions, fateOf: FateOf): Chosen | Promise<Chosen> {
  const entries: WalkEntry[] = [];
  const waiting = inTurns(
    at.names.inOrder,
    options.checkpoint,
    (named) => {
      const fate = fateOf(named);
      if (fate instanceof WalkEntry) entries.push(fate);
    },
    itemsPerTurn(at),
  );
  const finish = () => ({ files: undefined, entries: options.filesFirst ? entries.sort(filesFirst) : entries });
  return waiting === undefined ? finish() : waiting.then(finish);
}

/** Takes all files but the doubtful ones unseen, and asks about those and about what is no file. */
function chooseInBulk(
  at: WalkedDirectory,
  options: WalkOptions,
  fateOf: FateOf,
  doubtful: readonly string[],
): Chosen | Promise<Chosen> {
  const { files, others } = at.names;
  const entries: WalkEntry[] = [];
  const refused = new Set<string>();
  let areAll = true;
  const waiting = inTurns(
    doubtful.length === 0 ? others : [...doubtful.map(toFile), ...others],
    options.checkpoint,
    (named) => {
      const fate = fateOf(named);
      if (named.kind !== 'file') {
        if (fate instanceof WalkEntry) entries.push(fate);
      } else if (!(fate instanceof WalkEntry)) {
        refused.add(named.name);
        if (fate === 'excluded') areAll = false;
      }
    },
    itemsPerTurn(at),
  );
  const finish = () => {
    const names = files.without(refused);
    const taken = names.isEmpty ? undefined : { names, areAll };
    return { files: taken, entries: options.filesFirst ? entries.sort(filesFirst) : entries };
  };
  return waiting === undefined ? finish() : waiting.then(finish);
}

/** Leaves out hidden entries, unless they are asked for, and secrets. */
function bySight({ directory }: WalkedDirectory, { hidden, onSecret }: WalkOptions, fateOf: FateOf): FateOf {
  return (named) => {
    const { name, kind } = named;
    if (!hidden && name.charCodeAt(0) === DOT) return 'unseen';
    if (!directory.isSecret(name)) return fateOf(named);
    onSecret?.(directory.pathOf(name), kind === 'directory');
    return 'unseen';
  };
}

/** Leaves out what the rules exclude. */
function byRules(at: WalkedDirectory, options: WalkOptions, decider: Decider | undefined): FateOf {
  const decide = decider?.decide ?? options.decide;
  const { rules } = at;
  return ({ name, kind }) => {
    const isDirectory = kind === 'directory';
    if (isDirectory && options.excludeDirectories?.has(name)) return 'excluded';
    const rule = rules.find(name, isDirectory);
    const ignored = rules.ignoresAll || rule?.excludes === true;
    if (ignored && !decide) return 'excluded';
    const entry = new WalkEntry(name, kind, at);
    return !decide || decide(entry, ignored, rule) ? entry : 'excluded';
  };
}

/** The files on which a rule might decide. All names must be plain. */
function findDoubtful({ rules, names }: WalkedDirectory, decider: Decider | undefined): readonly string[] {
  const ignorable = rules.filesInDoubt(names.files);
  const others = decider?.filesInDoubt(names.files) ?? [];
  return ignorable.length + others.length < 2 ? [...ignorable, ...others] : [...new Set([...ignorable, ...others])];
}

function itemsPerTurn({ rules }: WalkedDirectory): number {
  return Math.ceil(WORK_PER_TURN / (1 + rules.cost));
}

function toFile(name: string): NamedEntry {
  return { name, kind: 'file' };
}
