import type { Trust } from './fields.ts';
import type { Risk } from './rule.ts';

/** One program about to be run: its name and arguments, wrappers taken off. */
export interface Call {
  /** The last part of the path, in lower case. */
  readonly name: string;
  /** The arguments; holes stand for what cannot be told. */
  readonly args: readonly string[];
  /** True when standard input comes from a pipe, a file or a here-document. */
  readonly fed: boolean;
  /** What comes in on standard input, when the command tells. */
  readonly input: string | undefined;
}

/** What the judges of single programs work with. */
export interface Context {
  readonly trusts: Trust;
  /** How many findings there are so far. */
  readonly notes: number;
  /** Takes account of a finding. */
  note(risk: Risk, reason: string): void;
  /** Judges a command that this one runs. */
  run(argv: readonly string[], call: Call): void;
  /** Notes a program that is dangerous whatever its arguments: the word may be the command, or belong to an option. */
  runIfDangerous(verb: string): void;
  /** Judges a text that this command has a shell run. */
  runText(code: string, call: Call): void;
  /** Judges `NAME=value`. */
  assign(name: string, value: string): void;
}

export type Special = (call: Call, context: Context) => void;
