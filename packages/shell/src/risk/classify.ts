import type { Risk } from '@jinn/core';
import { wordsIn } from './arguments.ts';
import { CommandClassifier } from './command-classifier.ts';
import type { CommandFinding, Danger } from './judging/command-findings.ts';
import { deciderOf, type StatusCommand, statusCommand } from './status-command.ts';
import { type BashCommand, type Compound, fieldsOf, type Item, type Script, type Simple } from './syntax/fields.ts';
import { type ParsedCommand, parse } from './syntax/parse-bash.ts';
import { Limits, Unparsable } from './syntax/word-builder.ts';

/** No system passes a longer argument to `bash -c` (MAX_ARG_STRLEN of Linux). */
const MAX_LENGTH = 128 * 1024;
const MAX_PART = 100;

export interface Classification {
  readonly risk: Risk;
  /** Why, in a few words that follow on the command: "removes files — irreversible". */
  readonly reason: string;
  /** The piece of the command that decided, cut to about 100 characters. Absent if it is the text as a whole. */
  readonly part?: string;
}

/** A classification, and how the command can be run so that its parts report how they ended. */
export interface RunnableCommand extends Classification {
  /** Finds the command that decides the exit status, or undefined if the text does not tell. */
  findDecider(): StatusCommand | undefined;
  /** Puts a report after each pipeline, as `watchPipelines` does. */
  watch(reportOf: (index: number) => string): WatchedText | undefined;
}

/** Everything that is known of a command before it runs. The command is parsed and classified once. */
export interface CommandReading extends RunnableCommand {
  /** Each dangerous part with its reason, worst first. Parts are cut as `part` is. */
  readonly dangers: readonly Danger[];
  /** Why not all that the command runs is in its text, such as a script. Undefined if all of it is there. */
  readonly unseen: string | undefined;
  /** The files whose content the command takes, from the directory where it starts. */
  readonly inputs: readonly string[];
  /** The files that it changes or removes, in the same way. */
  readonly places: readonly string[];
  readonly parsed: ParsedCommand;
}

/** Classifies a command as `readCommand` does. */
export function classify(command: string): Classification {
  const { risk, reason, part } = readCommand(command);
  return { risk, reason, ...(part !== undefined && { part }) };
}

/**
 * Classifies what a bash command may do (docs/risk.md), from its text only: `dangerous` is to be refused unless forced,
 * `caution` may change something or cannot be vouched for, `safe` only reads. Never throws. Takes time linear in the
 * length. `typed` is what was typed so far for a job: what takes commands or code from its input is judged by that.
 */
export function readCommand(command: string, typed?: string): CommandReading {
  const limits = new Limits(command.length + 2 * (typed?.length ?? 0));
  const isTooLong = command.length > MAX_LENGTH;
  const parsed = parse(isTooLong ? '' : command, limits);
  const { risk, reason, part, dangers, unseen, inputs, places } = isTooLong
    ? unclassified('is longer than a command line can be')
    : classifyParsed(parsed, limits, typed);
  return {
    risk,
    reason,
    ...(part !== undefined && { part: cut(part) }),
    dangers: worstFirst(dangers),
    unseen,
    inputs,
    places,
    parsed,
    findDecider: () => statusCommand(parsed),
    watch: (reportOf) => watchPipelines(parsed, reportOf),
  };
}

/** What reaches beyond the files of the project, and what rules over the machine, by its reason. */
const REACHES_OUT =
  /others|server|cloud|forge|registry|release|cluster|another machine|secret|credential|password|environments|infrastructure/;
const RULES_MACHINE = /disk|device|system|stops the machine|rights|kernel|firewall|who may use|cannot be (told|seen)/;

function worstFirst(dangers: readonly Danger[]): Danger[] {
  const levelOf = ({ reason }: Danger) => (REACHES_OUT.test(reason) ? 0 : RULES_MACHINE.test(reason) ? 1 : 2);
  return dangers
    .toSorted((a, b) => levelOf(a) - levelOf(b))
    .map(({ reason, part }) => ({ reason, part: part === undefined ? undefined : cut(part) }));
}

function classifyParsed(parsed: ParsedCommand, limits: Limits, typed: string | undefined): CommandFinding {
  if (parsed.text.includes('\0')) return unclassified('holds a NUL, which no command line can');
  const classifier = new CommandClassifier(parsed.text, limits);
  try {
    classifier.text(parsed, typed === undefined ? undefined : { fed: typed !== '', text: typed, isTyped: true });
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error;
    return unclassified(`is ${error.message}`);
  }
  return classifier.finding;
}

function unclassified(reason: string): CommandFinding {
  return {
    risk: 'dangerous',
    reason,
    part: undefined,
    dangers: [{ reason, part: undefined }],
    unseen: reason,
    inputs: [],
    places: [],
  };
}

function cut(part: string): string {
  if (part.length <= MAX_PART) return part;
  return `${part
    .slice(0, MAX_PART)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}

/** A command to which reports were added: each of its pipelines shows how its parts ended. */
export interface WatchedText {
  readonly text: string;
  /** The parts of each pipeline, by the index that its report was made with. */
  readonly pipelines: readonly (readonly PipelinePart[])[];
}

export interface PipelinePart {
  /** What the part is called in an answer, such as `go test`. */
  readonly name: string;
  /** The command that decides the status of the part, or undefined if the text does not tell. */
  readonly decider: StatusCommand | undefined;
}

const MOST_PARTS = 100;
const SHOWN_NAME = 40;
/** Values that a report would change, or that show the text of the command. */
const VALUES = /PIPESTATUS|BASH_|\$\{?_\b/;
/** Commands that would run the report, change what it does, or list it among the processes. */
const COMMANDS = new Set(wordsIn('trap alias enable ulimit ps pgrep pkill pidof top htop pstree'));
const VERBOSE = /^-\w*v|^verbose$/;
/** What runs its scripts where it is. A function runs where it is called, which may be a part of a pipeline. */
const IN_PLACE: ReadonlySet<Compound['kind']> = new Set<Compound['kind']>(['group', 'subshell', 'if', 'loop', 'case']);
const READS = new Set(['<', '<<', '<<-', '<<<']);

/**
 * Puts a report after each pipeline: shell text that finds `$?` and `PIPESTATUS` as the pipeline left them, and must
 * end with that `$?`. Pipelines in functions, substitutions, the background and other pipelines get none. Returns
 * undefined if none can be watched, or if the command could notice it.
 */
export function watchPipelines(
  { text, script, commands }: ParsedCommand,
  reportOf: (index: number) => string,
): WatchedText | undefined {
  // A backslash at the very end stands for itself, and would no longer.
  if (!text.includes('|') || text.endsWith('\\') || VALUES.test(text)) return undefined;
  if (!script || commands.some(notices)) return undefined;
  const found = pipelinesOf(script);
  if (found.length === 0) return undefined;
  let watched = '';
  let at = 0;
  for (const [index, parts] of found.entries()) {
    const [start, end] = [parts[0]?.start, parts.at(-1)?.end];
    // On the same line, so that line numbers and here-documents stay what they are.
    watched += `${text.slice(at, start)}{ ${text.slice(start, end)};${reportOf(index)}; }`;
    at = end ?? at;
  }
  const pipelines = found.map((parts) => parts.map((part) => ({ name: nameOf(part), decider: deciderOf(part) })));
  return { text: watched + text.slice(at), pipelines };
}

function notices(command: BashCommand): boolean {
  if (command.kind !== 'simple') return false;
  const [verb = '', ...args] = wordsOf(command);
  if (verb === 'exec') return command.redirects.some(({ operator }) => operator.includes('>'));
  if (verb === 'set') return args.some((arg) => VERBOSE.test(arg));
  return COMMANDS.has(verb) || COMMANDS.has(deciderOf(command)?.words[0] ?? '');
}

function wordsOf({ words }: Simple): string[] {
  return words.flatMap((word) => fieldsOf(word, () => false));
}

function pipelinesOf({ items }: Script): (readonly BashCommand[])[] {
  return inFront(items).flatMap(({ pipeline: { commands } }) => {
    const [first] = commands;
    const isWatchable = commands.length <= MOST_PARTS && commands.every(({ kind }) => kind !== 'coproc');
    if (commands.length > 1) return isWatchable ? [commands] : [];
    return first && first.kind !== 'simple' && keepsErrors(first) ? first.scripts.flatMap(pipelinesOf) : [];
  });
}

function keepsErrors({ kind, redirects }: Compound): boolean {
  return IN_PLACE.has(kind) && redirects.every(({ operator }) => READS.has(operator));
}

/** Leaves out what runs in the background: `&` holds for all that `&&` and `||` join before it. */
function inFront(items: readonly Item[]): Item[] {
  let isBehind = false;
  const kept = items.toReversed().filter(({ operator }) => {
    if (operator !== '&&' && operator !== '||') isBehind = operator === '&';
    return !isBehind;
  });
  return kept.toReversed();
}

function nameOf(command: BashCommand): string {
  const [verb, sub = ''] = command.kind === 'simple' ? (deciderOf(command)?.words ?? []) : [];
  if (verb !== undefined) return shorten(/^[a-z][a-z-]*$/.test(sub) ? `${verb} ${sub}` : verb);
  return shorten(command.source.slice(command.start, command.end).replace(/\s+/g, ' '));
}

function shorten(text: string): string {
  return text.length <= SHOWN_NAME ? text : `${text.slice(0, SHOWN_NAME - 1)}…`;
}
