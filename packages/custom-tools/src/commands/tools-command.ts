import { checkCommand } from './check-command.ts';
import type { Command, CommandHost } from './command-host.ts';
import { type CommandFamily, runCommandLine } from './command-line.ts';
import { grantsCommand, revokeCommand } from './grant-commands.ts';
import { installCommand } from './install-command.ts';
import { listCommand } from './list-command.ts';
import { newTool } from './new-tool.ts';
import { runCommand } from './run-tool-command.ts';
import { trustCommand } from './trust-command.ts';
import { variablesCommand } from './variables-command.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  new: newTool,
  check: checkCommand,
  run: runCommand,
  list: listCommand,
  env: variablesCommand,
  grants: grantsCommand,
  revoke: revokeCommand('jinn tools'),
  trust: trustCommand('jinn tools'),
  install: installCommand,
};

export const TOOLS_FAMILY: CommandFamily = {
  program: 'jinn tools',
  introduction: `usage: jinn tools COMMAND …

A folder with a definition and a script is a tool for models; docs/custom-tools.md says how to write one.
`,
  commands: COMMANDS,
};

/** Runs what stands behind `jinn tools`. Returns the exit status: 0, 1 if something is wrong, 2 for a wrong command line. */
export function runToolsCommand(argv: readonly string[], host: CommandHost): Promise<number> {
  return runCommandLine(TOOLS_FAMILY, argv, host);
}
