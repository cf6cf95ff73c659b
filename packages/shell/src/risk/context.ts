import type { Risk } from '@jinn/core';
import type { Trust } from './syntax/fields.ts';

/** What is known of the standard input of a command. */
export interface StandardInput {
  /** True if it comes from a pipe, a file or a here-document. */
  readonly fed: boolean;
  /** The text, if the command shows it. */
  readonly text: string | undefined;
  /** The file that it is, if its name is known, and whether it comes through a pipe. */
  readonly source?: string | undefined;
  readonly isPiped?: boolean | undefined;
  /** True if it is what was typed so far for a job, which may take more. */
  readonly isTyped?: boolean | undefined;
  /** The secret files that it may name, a line each. */
  readonly listed?: readonly string[] | undefined;
}

export const NO_INPUT: StandardInput = { fed: false, text: undefined };

/** One program about to be run: its name and arguments, without the wrappers around it. */
export interface Call extends Omit<StandardInput, 'text'> {
  readonly verb: string;
  /** The last part of its path, in lower case. */
  readonly name: string;
  /** The arguments. Holes stand for text that only bash can tell. */
  readonly args: readonly string[];
  /** The text on standard input, if the command shows it. */
  readonly input: string | undefined;
}

/** The interface that the judges of single programs report to. */
export interface Context {
  readonly trusts: Trust;
  /** True unless a `cd` led out of the directory in which the command starts, or may have. */
  readonly inProject: boolean;
  /** True in a substitution whose output becomes variables, and is not shown. */
  readonly isCaptured: boolean;
  readonly reports: number;
  /** Adds a finding. The worst one decides, of equal ones the first, or one that `replacesEqual`. */
  report(risk: Risk, reason: string, options?: { readonly replacesEqual?: boolean }): void;
  /** Says that what runs is not all in the text of the command. The first reason counts. */
  unseen(reason: string): void;
  /** Notes a file whose content the command takes. */
  reads(path: string): void;
  /** Notes a file that the command changes or removes. */
  changes(path: string): void;
  /** Judges a command that this one runs. */
  run(argv: readonly string[], call: Call): void;
  /** Reports a program that is dangerous regardless of its arguments. The word may be the command, or belong to an option. */
  runIfDangerous(verb: string): void;
  /** Judges a text that this command has a shell run. */
  runText(code: string): void;
  /** Judges `NAME=value` in front of a command or in its environment. */
  assign(name: string, value: string): void;
  /** Judges a file that the code of a program reads or writes. */
  file(path: string, call: Call, how: { readonly written: boolean }): void;
  /** Judges a path that later commands may read. */
  mention(path: string): void;
  /** Judges a builtin or an expansion that gives a variable a value. Only names that programs know count. */
  set(name: string, value: string): void;
}

/** Adds a finding about what runs and is not in the text of the command: a script, or what is read. */
export function reportUnseen(context: Context, risk: Risk, reason: string): void {
  context.report(risk, reason);
  context.unseen(reason);
}

export type Special = (call: Call, context: Context) => void;
