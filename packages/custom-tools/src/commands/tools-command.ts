import { nearestName, ToolError } from '@jinn/core';
import { checkCommand } from './check-command.ts';
import type { Command, CommandHost, Given } from './command.ts';
import { grantsCommand, revokeCommand } from './grant-commands.ts';
import { installCommand, removeCommand, updateCommand } from './install-commands.ts';
import { listCommand } from './list-command.ts';
import { newTool } from './new-tool.ts';
import { runCommand } from './run-command.ts';
import { trustCommand } from './trust-command.ts';
import { variablesCommand } from './variables-command.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  new: newTool,
  check: checkCommand,
  run: runCommand,
  list: listCommand,
  env: variablesCommand,
  grants: grantsCommand,
  revoke: revokeCommand,
  trust: trustCommand,
  install: installCommand,
  update: updateCommand,
  remove: removeCommand,
};

const INTRODUCTION = `usage: jinn tools COMMAND …

A folder with a definition and a script is a tool for models; docs/custom-tools.md says how to write one.
`;

/** Runs what stands behind `jinn tools`. Returns the exit status: 0, 1 if something is wrong, 2 for a wrong command line. */
export async function runToolsCommand(argv: readonly string[], host: CommandHost): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    host.write(overview());
    return 0;
  }
  try {
    const command = findCommand(name);
    const given = parse(command, rest);
    if (given === undefined) {
      host.write(`usage: jinn tools ${command.usage}\n\n${command.help}\n`);
      return 0;
    }
    return await command.run(given, host);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    host.machine.log(`jinn tools: ${error.message}${error.suggestion === undefined ? '' : `; ${error.suggestion}`}`);
    return error instanceof CommandLineError ? 2 : 1;
  }
}

class CommandLineError extends ToolError {}

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}\n`);
  return `${INTRODUCTION}\n${lines.join('')}\njinn tools COMMAND --help says more, with examples.\n`;
}

function findCommand(name: string): Command {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name] as Command;
  const near = nearestName(name, Object.keys(COMMANDS));
  throw new CommandLineError('invalid_args', `unknown command ${name}`, {
    suggestion: near === undefined ? 'try jinn tools --help' : `did you mean ${near}?`,
  });
}

/** Returns undefined if help was asked for. */
function parse({ flags, maxWords, usage }: Command, argv: readonly string[]): Given | undefined {
  const options = Object.fromEntries(Object.entries(flags).map(([name, type]) => [name, { type }]));
  try {
    const { values, positionals } = process.getBuiltinModule('node:util').parseArgs({
      args: [...argv],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values['help']) return undefined;
    if (positionals.length > maxWords) throw new Error(`${positionals[maxWords]} is one word too many`);
    return { words: positionals, flags: values as Given['flags'] };
  } catch (error) {
    const suggestion = `usage: jinn tools ${usage}`;
    throw new CommandLineError('invalid_args', (error as Error).message, { suggestion, cause: error });
  }
}
