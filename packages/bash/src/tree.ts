/** A run of commands, as between the parentheses of `$(…)` or the braces of a function. */
export interface Script {
  readonly items: readonly Item[];
}

export interface Item {
  readonly pipeline: Pipeline;
  /** What follows it; empty at the end. */
  readonly operator: '&&' | '||' | ';' | '&' | '';
}

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly Command[];
}

export type Command = Simple | Compound;

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
  /** Of a function. */
  readonly name?: string | undefined;
  readonly scripts: readonly Script[];
  readonly words: readonly Word[];
}

export interface Redirect {
  readonly operator: string;
  /** The file or the descriptor; the text of a here-string or, once it is read, of a here-document. */
  target: Word;
}

export interface Word {
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
  /** The scripts of all its substitutions, however deep they stand in quotes, parameters and arithmetic. */
  readonly scripts: readonly Script[];
}

/** A part of a word after removal of quotes; `text` is undefined where only bash can tell what comes out. */
export interface Piece {
  readonly text: string | undefined;
  readonly quoted: boolean;
  /** Of a plain `$name` or `${name}`; `@P` of a parameter whose value is expanded once more. */
  readonly name: string | undefined;
}

/** The text of a word that has no quotes and no expansion: what may be a keyword. */
export function bareText(word: Word | undefined): string | undefined {
  const [piece] = word?.pieces ?? [];
  return word?.pieces.length === 1 && piece && !piece.quoted ? piece.text : undefined;
}
