import { visitInTurns } from './in-turns.ts';
import { isPlain, type NamedEntry, toFile } from './names.ts';
import { toBytes } from './rules/rule-file.ts';
import { filesFirst, WalkEntry } from './walk-entry.ts';
import type { Decider, TakenFiles, WalkOptions } from './walk-options.ts';
import type { WalkedDirectory } from './walked-directory.ts';

const DOT = 46;
const LEFT_OUT = 'skipped by name, although git tracks files there';
/** How much is decided before other work gets its turn: entries, times the patterns for each. */
const WORK_PER_TURN = 20_000;
/** How much may be decided at once if only names and patterns are looked at. */
const WORK_AT_ONCE = 50 * WORK_PER_TURN;

export interface ChosenEntries {
  readonly files: TakenFiles | undefined;
  readonly entries: readonly WalkEntry[];
}

type DecisionFunction = (named: NamedEntry) => WalkEntry | 'excluded' | 'unseen';

/** Chooses the entries of a directory to report. Returns a promise only if other work must get a turn. */
export function chooseEntries(at: WalkedDirectory, options: WalkOptions): ChosenEntries | Promise<ChosenEntries> {
  const decider = options.decideIn?.(at.directory, at.names);
  const decisionOf = byVisibility(at, options, byRules(at, options, decider));
  const choice = { at, options, decisionOf, perTurn: Math.ceil(WORK_PER_TURN / costOf(at, decider)) };
  return options.takeFiles ? chooseInBulk(choice, findUndecided(at, decider)) : chooseEach(choice);
}

interface Choice {
  readonly at: WalkedDirectory;
  readonly options: WalkOptions;
  readonly decisionOf: DecisionFunction;
  readonly perTurn: number;
}

function chooseEach({ at, options, decisionOf, perTurn }: Choice): ChosenEntries | Promise<ChosenEntries> {
  const entries: WalkEntry[] = [];
  const waiting = visitInTurns(
    at.names.inOrder,
    options.checkpoint,
    (named) => {
      const decision = decisionOf(named);
      if (decision instanceof WalkEntry) entries.push(decision);
    },
    perTurn,
  );
  const finish = () => ({ files: undefined, entries: options.filesFirst ? entries.sort(filesFirst) : entries });
  return waiting === undefined ? finish() : waiting.then(finish);
}

/** Takes all files but the undecided ones without a question, and asks about those and about other entries. */
function chooseInBulk(
  { at, options, decisionOf, perTurn }: Choice,
  undecided: readonly string[],
): ChosenEntries | Promise<ChosenEntries> {
  const { files, oddFiles, others } = at.names;
  const entries: WalkEntry[] = [];
  const refused = new Set<string>();
  let areAll = true;
  const waiting = visitInTurns(
    undecided.length === 0 ? others : [...undecided.map(toFile), ...others],
    options.checkpoint,
    (named) => {
      const decision = decisionOf(named);
      if (named.kind !== 'file') {
        if (decision instanceof WalkEntry) entries.push(decision);
      } else if (!(decision instanceof WalkEntry)) {
        refused.add(named.name);
        if (decision === 'excluded') areAll = false;
      }
    },
    perTurn,
  );
  const finish = () => {
    const names = refused.size === 0 ? files : files.filter((name) => !refused.has(name));
    const arePlain = oddFiles.every((name) => refused.has(name));
    const taken = names.length === 0 ? undefined : { names, areAll, arePlain };
    return { files: taken, entries: options.filesFirst ? entries.sort(filesFirst) : entries };
  };
  return waiting === undefined ? finish() : waiting.then(finish);
}

/** Secrets have names that are hidden or not ASCII. */
function byVisibility(
  { directory }: WalkedDirectory,
  { hidden, onSecret }: WalkOptions,
  decisionOf: DecisionFunction,
): DecisionFunction {
  return (named) => {
    const { name, kind } = named;
    if (!hidden && name.charCodeAt(0) === DOT) return 'unseen';
    if ((isPlain(name) && !directory.hasClosedPaths) || !directory.isSecret(name)) return decisionOf(named);
    onSecret?.(directory.pathOf(name), kind === 'directory');
    return 'unseen';
  };
}

function byRules(at: WalkedDirectory, options: WalkOptions, decider: Decider | undefined): DecisionFunction {
  const decide = decider?.decide ?? options.decide;
  const { directory, rules, isIgnored, isTracked } = at;
  return ({ name, kind }) => {
    const isDirectory = kind === 'directory';
    if (isDirectory && options.excludeDirectories?.has(name) && !isEntered(at, options, name)) return 'excluded';
    const rule = rules.find(toBytes(name), isDirectory);
    const excluded = isIgnored || rule?.excludes === true;
    const ignored = excluded && (rule?.coversTracked === true || !isTracked?.(directory.pathOf(name), isDirectory));
    if (ignored && !decide) return 'excluded';
    const entry = new WalkEntry(name, kind, at);
    return !decide || decide(entry, ignored, excluded && !ignored ? undefined : rule) ? entry : 'excluded';
  };
}

function isEntered({ directory, isTracked, warnings }: WalkedDirectory, { entersTracked }: WalkOptions, name: string) {
  const path = directory.pathOf(name);
  if (!isTracked?.(path, true)) return false;
  if (!entersTracked) warnings.leftOut.add(LEFT_OUT, path);
  return entersTracked === true;
}

function findUndecided(at: WalkedDirectory, decider: Decider | undefined): readonly string[] {
  const { directory, rules, isIgnored, names } = at;
  const isCostly = names.files.length * costOf(at, decider) > WORK_AT_ONCE;
  if (isIgnored || directory.hasClosedPaths || isCostly) return names.files;
  const undecided = [names.oddFiles, rules.filesInDoubt(names.files), decider?.filesInDoubt(names.files) ?? []];
  const [only = [], ...more] = undecided.filter((files) => files.length > 0);
  return more.length === 0 ? only : [...new Set([...only, ...more.flat()])];
}

function costOf({ rules }: WalkedDirectory, decider: Decider | undefined): number {
  return 1 + rules.cost + (decider?.cost ?? 0);
}
