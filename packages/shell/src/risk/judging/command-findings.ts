import type { Risk } from '@jinn/core';
import { isSecretPath } from '../classifiers/named-paths.ts';
import type { StandardInput } from '../context.ts';
import { INITIALIZERS } from '../rules/runners.ts';
import {
  type BashCommand,
  fieldsOf,
  firstWord,
  hasHole,
  type Script,
  type Simple,
  type Trust,
  type Word,
  type WordPiece,
  withoutGlobs,
} from '../syntax/fields.ts';

/** More are not kept. A question shows far fewer. */
const MAX_DANGERS = 1_000;
/** Parts that start alike are shown alike. */
const MAX_KEY = 200;
const LEVEL: Readonly<Record<Risk, number>> = { safe: 0, caution: 1, dangerous: 2 };

export interface TextSpan {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** A dangerous part of a command, as it is written, or undefined for the text as a whole. */
export interface Danger {
  readonly reason: string;
  readonly part: string | undefined;
}

export interface CommandFinding extends Danger {
  readonly risk: Risk;
  /** Every dangerous part, in the order in which they were found. */
  readonly dangers: readonly Danger[];
  /** Why what runs is not all in the text. Undefined if it is. */
  readonly unseen: string | undefined;
  /** The files whose content the command takes. */
  readonly inputs: readonly string[];
  /** The files that the command changes or removes, as far as its words name them. */
  readonly places: readonly string[];
}

/** Collects what is found in a command, and keeps the worst. */
export class FindingCollector {
  /** The command that is being judged. */
  span: TextSpan | undefined;
  reports = 0;
  #worst: { readonly risk: Risk; readonly danger: Danger } = {
    risk: 'safe',
    danger: { reason: 'runs nothing', part: undefined },
  };
  readonly #dangers = new Map<string, Danger>();
  readonly #inputs = new Set<string>();
  readonly #places = new Set<string>();
  #unseen: string | undefined;

  get finding(): CommandFinding {
    const { risk, danger } = this.#worst;
    return {
      risk,
      ...danger,
      dangers: [...this.#dangers.values()],
      unseen: this.#unseen,
      inputs: [...this.#inputs],
      places: [...this.#places],
    };
  }

  /** Adds a finding. The worst one decides, of equal ones the first, or one that `replacesEqual`. */
  report(risk: Risk, reason: string, { replacesEqual = false } = {}): void {
    const decides = LEVEL[risk] + (replacesEqual ? 1 : 0) > LEVEL[this.#worst.risk] || this.reports === 0;
    this.reports++;
    if (!decides && risk !== 'dangerous') return;
    const { span } = this;
    const danger = { reason, part: span?.source.slice(span.start, span.end) };
    if (decides) this.#worst = { risk, danger };
    if (risk === 'dangerous') this.#addDanger(danger);
  }

  #addDanger({ reason, part }: Danger): void {
    const key = `${reason}\0${part?.slice(0, MAX_KEY)}`;
    if (this.#dangers.size < MAX_DANGERS) this.#dangers.set(key, { reason, part });
  }

  unseen(reason: string): void {
    this.#unseen ??= reason;
  }

  /** Notes a file whose content the command takes, as seen from a directory. Empty for the one where it starts. */
  reads(path: string, directory: string): void {
    const from = joined(path, directory);
    if (hasHole(from) || from.includes('$')) this.unseen('reads unknown files');
    else this.#inputs.add(from);
  }

  /** Notes a file that the command changes or removes, in the same way. */
  changes(path: string, directory: string): void {
    const from = joined(path, directory).replace(/^\$HOME(?=\/|$)/, '~');
    if (hasHole(from) || from.includes('$')) this.unseen('changes unknown files');
    else this.#places.add(from);
  }
}

function joined(path: string, directory: string): string {
  return directory === '' || /^[/~$]/.test(path) ? path : `${directory}/${path}`;
}

/** Commands that run the text, or the file, that they are given. */
const RUNS_TEXT = /^(eval|source|\.|(\/bin\/|\/usr\/bin\/)?(ba|da|z)?sh)$/;
const SUBSTITUTED = /^([\ue100\ue101]|\/dev\/fd\/63)$/;

export function wordsOf({ words }: Simple, trusts: Trust): string[] {
  return words.flatMap((word) => fieldsOf(word, trusts));
}

/** Returns words with a text in place of the variables whose value is known. */
export function withValues(words: readonly Word[], textFor: (piece: WordPiece) => string | undefined): Word[] {
  const filled = (piece: WordPiece): WordPiece => {
    const text = textFor(piece);
    return text === undefined ? piece : { text, quoted: true, name: undefined };
  };
  return words.map((word) => ({ ...word, pieces: word.pieces.map(filled) }));
}

/** Returns the programs of all commands in scripts, as they are written. */
export function programsIn(scripts: readonly Script[]): string[] {
  const commands = scripts.flatMap(({ items }) => items.flatMap(({ pipeline }) => pipeline.commands));
  return commands.flatMap((each) => (each.kind === 'simple' ? [firstWord(each)] : programsIn(each.scripts)));
}

function printing(command: BashCommand, trusts: Trust): readonly string[] {
  return command.kind === 'simple' && command.redirects.length === 0 ? wordsOf(command, trusts) : [];
}

function echoed([verb, ...args]: readonly string[]): string | undefined {
  if (verb !== 'echo' && verb !== 'printf') return undefined;
  const text = args.join(' ');
  return hasHole(text) || text.includes('\\') ? undefined : text;
}

/** Returns the standard input that a command hands to the next one of a pipeline, and the words that it prints. */
export function pipedFrom(command: BashCommand, trusts: Trust): { input: StandardInput; printed: readonly string[] } {
  const words = printing(command, trusts);
  const [verb = '', file = '', ...others] = words;
  const isFile = verb === 'cat' && others.length === 0 && /^[^-]/.test(file) && !hasHole(file);
  return {
    input: { fed: true, text: echoed(words), source: isFile ? file : undefined, isPiped: true },
    printed: /^(echo|printf)$/.test(verb) ? words.slice(1) : [],
  };
}

/**
 * Returns what a shell runs that is given the output of one command: the text, as in `bash <(echo ls)`, or `settings`,
 * as in `eval "$(ssh-agent -s)"`. Undefined for anything else.
 */
export function substitutedIn(
  { words }: Simple,
  argv: readonly string[],
  trusts: Trust,
): string | Settings | undefined {
  const [verb = '', given = '', ...others] = argv;
  const scripts = words.flatMap((word) => word.scripts);
  const commands = scripts.flatMap(({ items }) => items.flatMap(({ pipeline }) => pipeline.commands));
  const [command] = commands;
  const isOne = others.length === 0 && scripts.length === 1 && commands.length === 1;
  if (!command || !isOne || !RUNS_TEXT.test(verb) || !SUBSTITUTED.test(given)) return undefined;
  const printer = printing(command, trusts);
  return INITIALIZERS.test(printer.join(' ')) ? SETTINGS : echoed(printer);
}

/** Stands for settings that a program prints for the shell. */
export const SETTINGS = Symbol('settings');
export type Settings = typeof SETTINGS;

/** More secret files of one variable tell nothing new. */
const MAX_FILES = 4;
const MAX_VARIABLES = 32;

/** The secret files that the variables of a command name. All parameters of a function or a script count as one. */
export class NamedSecrets {
  readonly #byVariable = new Map<string, readonly string[]>();

  /** True if there are too many variables to look at. */
  get isFull(): boolean {
    return this.#byVariable.size > MAX_VARIABLES;
  }

  /** Notes a value of a variable, if it names a secret file. */
  add(variable: string | undefined, value: string): void {
    const path = withoutGlobs(value);
    if (variable === undefined || this.isFull || !isSecretPath(path)) return;
    const before = this.#byVariable.get(variable) ?? [];
    if (before.length < MAX_FILES) this.#byVariable.set(variable, [...before, path]);
  }

  /** Notes that a variable may name the secret files of those in a word. */
  handOn(variable: string | undefined, { pieces }: Word): void {
    for (const path of pieces.flatMap((piece) => this.of(piece))) this.add(variable, path);
  }

  /** Returns the secret files that a part of a word may stand for. */
  of({ text, name }: WordPiece): readonly string[] {
    if (text !== undefined || this.#byVariable.size === 0) return [];
    if (name === undefined) return [...this.#byVariable.values()].flat().slice(0, MAX_FILES);
    return this.#byVariable.get(/^[\d@*]/.test(name) ? '1' : name) ?? [];
  }
}
