import { CommandClassifier, type Finding } from './command-classifier.ts';
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

/**
 * Judges what a bash command may do (docs/risk.md), from its text alone: `dangerous` is to be refused unless forced,
 * `caution` may change something or cannot be vouched for, `safe` only reads. Never throws; takes time linear in the
 * length.
 */
export function classify(command: string): Classification {
  const { risk, reason, part } = classifyCommand(command);
  return part === undefined ? { risk, reason } : { risk, reason, part: cut(part) };
}

/**
 * Returns why not all that a command runs is in its text: it runs a script, for example, or what a substitution prints.
 * Returns undefined if all of it is there. Never throws.
 */
export function findUnseen(command: string): string | undefined {
  return classifyCommand(command).unseen;
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
  return { risk: 'dangerous', reason, part: undefined, unseen: reason };
}

function cut(part: string): string {
  if (part.length <= MAX_PART) return part;
  return `${part
    .slice(0, MAX_PART)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}
