import { type CommandSpec, FlagError, HELP, ParsedFlags, toUnknown } from '@jinn/core/command-line';
import { ToolError } from '@jinn/core/errors';
import { toVisible } from '@jinn/core/text';
import type { CommandArgs, CommandHost, TerminalCommand } from './command-host.ts';

/** Commands that stand after a word of the command line, such as `jinn tools`. */
export interface CommandFamily {
  /** The words before a command. */
  readonly program: string;
  /** The first text of the overview. */
  readonly introduction: string;
  readonly commands: Readonly<Record<string, TerminalCommand>>;
}

/**
 * Runs the command that `argv` starts with. Returns the exit status: 0, 1 if something is wrong, 2 for a wrong command
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
    if (!(error instanceof ToolError || error instanceof FlagError)) throw error;
    const advice = error instanceof ToolError && error.suggestion !== undefined ? `; ${error.suggestion}` : '';
    host.machine.log(toVisible(`${program}: ${error.message}${advice}`));
    return error instanceof FlagError ? 2 : 1;
  }
}

const HELP_FLAGS = { help: HELP };

/** Returns what may follow the word of a family, for completions and the manual. `about` describes the family. */
export function specOfFamily({ introduction, commands }: CommandFamily, about: string): CommandSpec {
  const specs = Object.entries(commands).map(([name, { usage, about: what, flags, help }]) => {
    const ways = usage.split(' | ').map((way) => way.replace(new RegExp(`^(\\[${name}\\]|${name}) ?`), ''));
    return [name, { usage: ways.join('\n'), about: what, flags, text: help, words: [] }] as const;
  });
  const text = introduction.split('\n').slice(1).join('\n').trim();
  return { usage: 'COMMAND …', about, text, flags: HELP_FLAGS, commands: Object.fromEntries(specs) };
}

function overview({ program, introduction, commands }: CommandFamily): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}\n`);
  return `${introduction}\n${lines.join('')}\n${program} COMMAND --help says more, with examples.\n`;
}

function findCommand({ program, commands }: CommandFamily, name: string): TerminalCommand {
  if (Object.hasOwn(commands, name)) return commands[name] as TerminalCommand;
  throw toUnknown('command', name, { known: Object.keys(commands), hint: `try ${program} --help` });
}

function parse(
  { program }: CommandFamily,
  { flags, maxWords, usage }: TerminalCommand,
  argv: readonly string[],
): CommandArgs | undefined {
  const given = new ParsedFlags<string>({ ...flags, ...HELP_FLAGS }, argv, { hint: `usage: ${program} ${usage}` });
  if (given.has('help')) return undefined;
  const surplus = given.words[maxWords];
  if (surplus !== undefined) throw new FlagError(`${surplus} is one word too many. Usage: ${program} ${usage}`);
  const values = Object.entries(flags).map(([name, { value }]) => [
    name,
    value === undefined ? given.has(name) : given.last(name),
  ]);
  return { words: given.words, flags: Object.fromEntries(values) };
}
