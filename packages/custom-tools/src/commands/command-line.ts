import { nearestName, ToolError } from '@jinn/errors';
import { toVisible } from '@jinn/text';
import type { Command, CommandArgs, CommandHost } from './command-host.ts';

/** Commands that stand behind a word of the command line, such as `jinn tools`. */
export interface CommandFamily {
  /** What stands before a command. */
  readonly program: string;
  /** What the overview begins with. */
  readonly introduction: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/**
 * Runs the command that `argv` begins with. Returns the exit status: 0, 1 if something is wrong, 2 for a wrong command
 * line.
 */
export async function runCommandLine(
  family: CommandFamily,
  argv: readonly string[],
  host: CommandHost,
): Promise<number> {
  const { program } = family;
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    host.write(overview(family));
    return 0;
  }
  try {
    const command = findCommand(family, name);
    const given = parse(family, command, rest);
    if (given === undefined) {
      host.write(`usage: ${program} ${command.usage}\n\n${command.help}\n`);
      return 0;
    }
    return await command.run(given, host);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const advice = error.suggestion === undefined ? '' : `; ${error.suggestion}`;
    host.machine.log(toVisible(`${program}: ${error.message}${advice}`));
    return error instanceof CommandLineError ? 2 : 1;
  }
}

class CommandLineError extends ToolError {}

function overview({ program, introduction, commands }: CommandFamily): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}\n`);
  return `${introduction}\n${lines.join('')}\n${program} COMMAND --help says more, with examples.\n`;
}

function findCommand({ program, commands }: CommandFamily, name: string): Command {
  if (Object.hasOwn(commands, name)) return commands[name] as Command;
  const near = nearestName(name, Object.keys(commands));
  throw new CommandLineError('invalid_args', `unknown command ${name}`, {
    suggestion: near === undefined ? `try ${program} --help` : `did you mean ${near}?`,
  });
}

/** Returns undefined if help was asked for. */
function parse(
  { program }: CommandFamily,
  { flags, maxWords, usage }: Command,
  argv: readonly string[],
): CommandArgs | undefined {
  const options = Object.fromEntries(Object.entries(flags).map(([name, type]) => [name, { type }]));
  try {
    const { values, positionals } = process.getBuiltinModule('node:util').parseArgs({
      args: [...argv],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values['help']) return undefined;
    if (positionals.length > maxWords) throw new Error(`${positionals[maxWords]} is one word too many`);
    return { words: positionals, flags: values as CommandArgs['flags'] };
  } catch (error) {
    const suggestion = `usage: ${program} ${usage}`;
    throw new CommandLineError('invalid_args', (error as Error).message, { suggestion, cause: error });
  }
}
