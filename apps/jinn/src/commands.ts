import { askAtTerminal, type CommandHost } from '@jinn/custom-tools/commands/command-host';
import { runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { runToolsCommand } from '@jinn/custom-tools/commands/tools-command';
import { builtInNames } from '@jinn/toolsets';
import { openMachine } from '@jinn/toolsets/machine';
import { wantsColor } from '@jinn/views/terminal/wants-color';

const DEFAULT_WIDTH = 80;

export interface CommandsOptions
  extends Pick<Parameters<typeof openMachine>[0], 'root' | 'home' | 'directories' | 'environment'> {
  readonly version: string;
  write(text: string): void;
  readInput(): string;
  readonly columns: number | undefined;
  /** True if the user can be asked: standard input is a terminal too. */
  readonly canAsk: boolean;
}

export type Family = 'tools' | 'lsp' | 'grants' | 'undo';

const RUN: Readonly<Record<Family, (argv: readonly string[], host: CommandHost) => Promise<number>>> = {
  tools: runToolsCommand,
  lsp: async (argv, host) => (await import('./lsp-commands.ts')).runLspCommand(argv, host),
  undo: async (argv, host) => (await import('./undo-commands.ts')).runUndoCommand(argv, host),
  grants: (argv, host) => runGrantsCommand('jinn grants', argv, host),
};

/** Runs `jinn tools`, `jinn lsp`, `jinn grants` or `jinn undo` and returns the exit status. */
export async function runCommands(family: Family, argv: readonly string[], options: CommandsOptions): Promise<number> {
  const { root, home, directories, environment, version, write, readInput, columns, canAsk } = options;
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const machine = openMachine({ root, home, directories, environment, log });
  return RUN[family](argv, {
    machine,
    version,
    builtIn: builtInNames(),
    width: columns ?? DEFAULT_WIDTH,
    color: wantsColor(environment, columns !== undefined),
    write,
    readInput,
    ...(canAsk && { ask: askAtTerminal }),
  });
}
