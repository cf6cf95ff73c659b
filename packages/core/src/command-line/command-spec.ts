/** The shells that a program has completions for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A flag of a command line. */
export interface Flag {
  /** What it does, in some words. */
  readonly about: string;
  /** The letter of its short form. */
  readonly short?: string;
  /** The name of its value; absent if it takes none. */
  readonly value?: string;
  /**
   * True if the value may be left out: then the value is what follows `=`, or the next word too, if the program takes
   * it so.
   */
  readonly optional?: 'equals' | 'word';
  /** True if each use of the flag adds a value. */
  readonly isList?: boolean;
  /** The values that it takes, or examples of them. */
  readonly choices?: readonly string[];
  /** What its value names. */
  readonly names?: 'file' | 'directory';
}

/** The flag that prints the help. */
export const HELP = { about: 'print this', short: 'h' } as const satisfies Flag;

export type FlagTable = Readonly<Record<string, Flag>>;

/** A program, or a command of one, with all that may follow its name. */
export interface CommandSpec {
  readonly about: string;
  /** The forms of what may follow the name, one on a line. */
  readonly usage: string;
  readonly flags: FlagTable;
  readonly commands?: Readonly<Record<string, CommandSpec>>;
  /** What its words stand for, besides commands. */
  readonly words?: 'file' | 'directory' | readonly string[];
  /** The text of the manual, in paragraphs; lines that begin with two blanks are examples. */
  readonly text?: string;
}
