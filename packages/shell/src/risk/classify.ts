import type { Risk } from '@jinn/core';
import { CommandClassifier } from './command-classifier.ts';
import type { CommandFinding, Danger } from './judging/command-findings.ts';
import { type StatusCommand, statusCommand } from './status-command.ts';
import { type ParsedCommand, parse } from './syntax/parse-bash.ts';
import { Limits, Unparsable } from './syntax/word-builder.ts';
import { type WatchedText, watchPipelines } from './watch-pipelines.ts';

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
 * length.
 */
export function readCommand(command: string): CommandReading {
  const limits = new Limits(command.length);
  const isTooLong = command.length > MAX_LENGTH;
  const parsed = parse(isTooLong ? '' : command, limits);
  const { risk, reason, part, dangers, unseen, inputs, places } = isTooLong
    ? unclassified('is longer than a command line can be')
    : classifyParsed(parsed, limits);
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

function classifyParsed(parsed: ParsedCommand, limits: Limits): CommandFinding {
  if (parsed.text.includes('\0')) return unclassified('holds a NUL, which no command line can');
  const classifier = new CommandClassifier(parsed.text, limits);
  try {
    classifier.text(parsed);
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
