import type { Machine } from '@jinn/core';
import type { FlagTable } from '@jinn/core/command-line';
import { ToolError } from '@jinn/core/errors';
import { toVisible } from '@jinn/core/text';
import { pad, toTerminalLine, widthOf } from '@jinn/views/terminal/terminal-text';
import { createSurvey, placesOf, type Survey } from '../custom-toolset.ts';

/** What commands may use of the program that runs them. */
export interface CommandHost {
  readonly machine: Machine;
  /** The names of the built-in tools, each with its toolset. */
  readonly builtIn: ReadonlyMap<string, string>;
  readonly version: string;
  /** The columns of the terminal. */
  readonly width: number;
  readonly color: boolean;
  /** True if a grant counts for everybody in the workspace. */
  readonly forAll?: boolean;
  write(text: string): void;
  /** Reads all of standard input. */
  readInput(): string;
  /** Puts a question at the terminal and returns the line. Absent if there is no terminal. */
  ask?(question: string): Promise<string>;
}

/** The words after a command, and its flags. */
export interface CommandArgs {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

export interface TerminalCommand {
  /** The words after `jinn tools`. */
  readonly usage: string;
  readonly about: string;
  readonly flags: FlagTable;
  /** The most words that it accepts. */
  readonly maxWords: number;
  readonly help: string;
  /** Runs the command, and returns the exit status. Throws ToolError. */
  run(given: CommandArgs, host: CommandHost): Promise<number>;
}

/** Looks at all folders of tools. */
export function survey({ machine, builtIn }: CommandHost): Promise<Survey> {
  return createSurvey({ machine, builtIn })();
}

/** Formats how many approvals were revoked. */
export function describeRevoked(count: number): string {
  return `revoked ${count} ${count === 1 ? 'approval' : 'approvals'}`;
}

/** Returns the directory of the user's own tools. Throws `write_failed` if there is no home. */
export function toolsDirectory({ machine }: CommandHost): string {
  const own = placesOf(machine).find(({ origin }) => origin === 'user');
  if (own) return own.directory;
  throw new ToolError('write_failed', 'there is no directory for tools', {
    suggestion: 'set JINN_CONFIG_DIR or HOME',
  });
}

/**
 * Asks the user to confirm. Returns false for any answer but yes. Security: without a terminal and without `--yes`, which a
 * person or their script must have given, it throws.
 */
export async function confirm(question: string, { flags }: CommandArgs, host: CommandHost): Promise<boolean> {
  if (flags['yes'] === true) return true;
  if (!host.ask) {
    throw new ToolError('approval_required', 'approval required, but no terminal is attached', {
      suggestion: 'run it in a terminal, or add --yes',
    });
  }
  return /^y(es)?$/i.test((await host.ask(`${toVisible(question)} [y/N] `)).trim());
}

/** Puts a question at the terminal, on standard error, and returns the line. */
export async function askAtTerminal(question: string): Promise<string> {
  const { createInterface } = process.getBuiltinModule('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}

/** Returns the word at a position. Throws `invalid_args` if it is missing. */
export function requiredWord({ words }: CommandArgs, at: number, what: string): string {
  const word = words[at];
  if (word !== undefined && word !== '') return word;
  throw invalid(`${what} is missing`, 'see --help');
}

export function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}

/** Formats rows in columns. Cells may hold foreign text. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(toTerminalLine));
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => widthOf(row[at] ?? ''))));
  const lines = shown.map((row) =>
    row
      .map((cell, at) => pad(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
