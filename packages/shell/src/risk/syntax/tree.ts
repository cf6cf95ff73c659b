/** A list of commands, as between the parentheses of `$(…)` or the braces of a function. */
export interface Script {
  readonly items: readonly Item[];
}

export interface Item {
  readonly pipeline: Pipeline;
  /** The operator behind it; a semicolon at the end. */
  readonly operator: '&&' | '||' | ';' | '&';
}

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly BashCommand[];
}

export type BashCommand = Simple | Compound;

interface Node {
  /** The text that `start` and `end` count in: the whole command, or what a backquote or a here-document holds. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
  readonly redirects: readonly Redirect[];
}

export interface Simple extends Node {
  readonly kind: 'simple';
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
}

export interface Compound extends Node {
  readonly kind: 'group' | 'subshell' | 'if' | 'loop' | 'case' | 'test' | 'arithmetic' | 'function' | 'coproc';
  /** The name of a function or a coprocess, or the variable of a loop. */
  readonly name?: string | undefined;
  readonly scripts: readonly Script[];
  readonly words: readonly Word[];
}

export interface Redirect {
  readonly operator: string;
  /** The variable of `{name}>file`, which bash sets to the number of the descriptor. */
  readonly variable: string | undefined;
  /** The file or the descriptor; the text of a here-string or of a here-document. */
  readonly target: Word;
}

export interface Word {
  readonly pieces: readonly WordPiece[];
  /** The scripts of all its substitutions, however deep they stand in quotes, parameters and arithmetic. */
  readonly scripts: readonly Script[];
  /** The side effects of expanding the word, beside these scripts. */
  readonly effects: readonly WordEffect[];
}

export type WordEffect =
  /** Runs commands that the parser does not read as such: those in a variable, or in quotes that do not quote. */
  | { readonly kind: 'runs'; readonly what: string }
  /** Gives a variable a value, as `${NAME:=value}` and `((NAME = 1))` do. */
  | { readonly kind: 'sets'; readonly name: string; readonly value?: string };

/** A part of a word without its quotes. `text` is undefined for an expansion, whose result only bash can tell. */
export interface WordPiece {
  readonly text: string | undefined;
  readonly quoted: boolean;
  /** The name in a plain `$name` or `${name}`. */
  readonly name: string | undefined;
}

/** Returns the text of a word without quotes and expansions, which may be a keyword. */
export function bareText(word: Word | undefined): string | undefined {
  const [piece] = word?.pieces ?? [];
  return word?.pieces.length === 1 && piece && !piece.quoted ? piece.text : undefined;
}

/** Returns the first word of a simple command, if it has neither quotes nor expansions; the empty text if there is none. */
export function firstWord(command: BashCommand): string {
  return command.kind === 'simple' ? (bareText(command.words[0]) ?? '') : '';
}
