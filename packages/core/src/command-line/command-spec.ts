export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export interface Flag {
  readonly about: string;
  readonly short?: string;
  readonly value?: string;
  /** An optional value follows `=`, or, if the program takes it so, is the next word. */
  readonly optional?: 'equals' | 'word';
  readonly isList?: boolean;
  readonly choices?: readonly string[];
  readonly names?: 'file' | 'directory';
}

export const HELP = { about: 'Print this help', short: 'h' } as const satisfies Flag;

export type FlagTable = Readonly<Record<string, Flag>>;

export interface CommandSpec {
  readonly about: string;
  readonly usage: string;
  readonly flags: FlagTable;
  readonly commands?: Readonly<Record<string, CommandSpec>>;
  readonly words?: 'file' | 'directory' | readonly string[];
  /** The text of the manual, in paragraphs. Lines that start with two blanks are examples. */
  readonly text?: string;
}
