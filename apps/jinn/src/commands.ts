import type { Environment } from '@jinn/core';
import { UsageError } from '@jinn/core/errors';
import { askAtTerminal, type CommandHost } from '@jinn/custom-tools/commands/command-host';
import { runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { runToolsCommand } from '@jinn/custom-tools/commands/tools-command';
import { builtInNames } from '@jinn/toolsets';
import { openMachine } from '@jinn/toolsets/machine';
import { wantsColor } from '@jinn/views/terminal/wants-color';
import type { Directories } from '@jinn/workspace';

const DEFAULT_WIDTH = 80;

/** What main.ts knows of the process. */
interface Program {
  readonly version: string;
  readonly environment: Environment;
  workingDirectory(): string;
  home(): string | undefined;
  directories(): Directories;
  isTerminal(fd: number): boolean;
  /** Reads all of standard input. */
  readAll(): string;
  write(text: string): void;
}

const FAMILIES = {
  tools: runToolsCommand,
  lsp: async (argv, host) => (await import('./lsp-commands.ts')).runLspCommand(argv, host),
  undo: async (argv, host) => (await import('./undo-commands.ts')).runUndoCommand(argv, host),
  grants: (argv, host) => runGrantsCommand('jinn grants', argv, host),
} satisfies Record<string, (argv: readonly string[], host: CommandHost) => Promise<number>>;

export type CommandWord = keyof typeof FAMILIES | 'ui' | 'completion';

/** Runs the command of this name, such as `jinn tools`, and returns the exit status. */
export async function runJinnCommand(word: CommandWord, argv: readonly string[], program: Program): Promise<number> {
  const { version, environment, isTerminal, write } = program;
  if (word === 'completion') {
    write(await readCompletion(argv[0]));
    return 0;
  }
  const columns = isTerminal(1) ? process.stdout.columns || DEFAULT_WIDTH : undefined;
  const surroundings = {
    root: program.workingDirectory(),
    home: program.home(),
    directories: program.directories(),
    environment,
  };
  if (word === 'ui') {
    const { runUi } = await import('@jinn/ui/run-ui');
    return runUi(argv, { ...surroundings, version, isAtTerminal: isTerminal(0), columns, write });
  }
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  return FAMILIES[word](argv, {
    machine: openMachine({ ...surroundings, log }),
    version,
    builtIn: builtInNames(),
    width: columns ?? DEFAULT_WIDTH,
    color: wantsColor(environment, columns !== undefined),
    write,
    readInput: program.readAll,
    ...(columns !== undefined && isTerminal(0) && { ask: askAtTerminal }),
  });
}

async function readCompletion(shell = ''): Promise<string> {
  const [{ completionScript }, { JINN_SPEC }] = await Promise.all([
    import('@jinn/core/command-line/completion'),
    import('./jinn-spec.ts'),
  ]);
  try {
    return completionScript(shell, 'jinn', JINN_SPEC);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
