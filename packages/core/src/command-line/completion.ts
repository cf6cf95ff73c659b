import { type CommandSpec, type FlagTable, SHELLS } from './command-spec.ts';
import { completeBash } from './complete-bash.ts';
import { completeFish } from './complete-fish.ts';
import { completeZsh } from './complete-zsh.ts';
import { choose } from './parsed-flags.ts';

const SCRIPTS = { bash: completeBash, zsh: completeZsh, fish: completeFish };

/** Where a command line may be: behind the program, or behind one of its commands. */
export interface Place {
  /** The words that lead there, with the program's name as the first. */
  readonly path: string;
  readonly flags: FlagTable;
  /** The commands, and other known words, with a description of each. */
  readonly words: ReadonlyMap<string, string>;
  /** What other words stand for. */
  readonly names: 'file' | 'directory' | undefined;
}

/** Returns the script that completes a program in a shell. Throws FlagError for another shell. */
export function completionScript(shell: string, program: string, spec: CommandSpec): string {
  return SCRIPTS[choose('completion', SHELLS, shell)](program, placesOf(program, spec));
}

function placesOf(path: string, { flags, commands = {}, words }: CommandSpec): Place[] {
  const isNamed = words === 'file' || words === 'directory';
  const known = [
    ...Object.entries(commands).map(([word, { about }]) => [word, about] as const),
    ...(isNamed || words === undefined ? [] : words.map((word) => [word, ''] as const)),
  ];
  const place = { path, flags, words: new Map(known), names: isNamed ? words : undefined };
  return [place, ...Object.entries(commands).flatMap(([word, command]) => placesOf(`${path} ${word}`, command))];
}
