import { CommandClassifier } from './command-classifier.ts';
import type { Danger, Finding } from './judging/command-findings.ts';
import type { Risk } from './rule.ts';
import { Limits, Unparsable } from './syntax/parse-limits.ts';

/** No system passes a longer argument to `bash -c` (MAX_ARG_STRLEN of Linux). */
const MAX_LENGTH = 128 * 1024;
const MAX_PART = 100;

export interface Classification {
  readonly risk: Risk;
  /** Why, in a few words that follow on the command: "removes files — irreversible". */
  readonly reason: string;
  /** The piece of the command that decided, cut to about 100 characters; absent if it is the text as a whole. */
  readonly part?: string;
}

/** Everything that is known of a command before it runs. */
export interface CommandReading extends Classification {
  /** Each dangerous part with its reason, worst first; parts are cut as `part` is. */
  readonly dangers: readonly Danger[];
  /** Why not all that the command runs is in its text, such as a script; undefined if all of it is there. */
  readonly unseen: string | undefined;
  /** The files whose content the command takes, from the directory where it starts. */
  readonly inputs: readonly string[];
}

/**
 * Judges what a bash command may do (docs/risk.md), from its text alone: `dangerous` is to be refused unless forced,
 * `caution` may change something or cannot be vouched for, `safe` only reads. Never throws; takes time linear in the
 * length.
 */
export function classify(command: string): Classification {
  const { risk, reason, part } = classifyCommand(command);
  return part === undefined ? { risk, reason } : { risk, reason, part: cut(part) };
}

/** Returns the same as `classify`, and what a question about the command needs. Never throws. */
export function readCommand(command: string): CommandReading {
  const { risk, reason, part, dangers, unseen, inputs } = classifyCommand(command);
  return {
    risk,
    reason,
    ...(part !== undefined && { part: cut(part) }),
    dangers: worstFirst(dangers),
    unseen,
    inputs,
  };
}

/** What reaches beyond the files of the project, and what rules over the machine, by its reason. */
const REACHES_OUT =
  /others|server|cloud|forge|registry|release|cluster|another machine|secret|credential|password|environments|infrastructure/;
const RULES_MACHINE = /disk|device|system|stops the machine|rights|kernel|firewall|who may use|cannot be (told|seen)/;

function worstFirst(dangers: readonly Danger[]): CommandReading['dangers'] {
  const levelOf = ({ reason }: Danger) => (REACHES_OUT.test(reason) ? 0 : RULES_MACHINE.test(reason) ? 1 : 2);
  return dangers
    .toSorted((a, b) => levelOf(a) - levelOf(b))
    .map(({ reason, part }) => ({ reason, part: part === undefined ? undefined : cut(part) }));
}

function classifyCommand(command: string): Finding {
  if (command.length > MAX_LENGTH) return unclassified('is longer than a command line can be');
  if (command.includes('\0')) return unclassified('holds a NUL, which no command line can');
  const limits = new Limits(command.length);
  const judging = new CommandClassifier(command, limits);
  try {
    judging.text(command);
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error;
    return unclassified(`is ${error.message}`);
  }
  return judging.finding;
}

function unclassified(reason: string): Finding {
  return {
    risk: 'dangerous',
    reason,
    part: undefined,
    dangers: [{ reason, part: undefined }],
    unseen: reason,
    inputs: [],
  };
}

function cut(part: string): string {
  if (part.length <= MAX_PART) return part;
  return `${part
    .slice(0, MAX_PART)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}
