import { findPrograms } from '@jinn/process';
import type { ChosenCommands } from './choose-command.ts';

/** Returns the programs of the commands that are not on the PATH. */
export function notInstalled(described: readonly ChosenCommands[], searchPath: string): string[] {
  const commands = described.flatMap((one) => [one.build_tool, one.test_command, one.single_test_command, one.linter]);
  const programs = new Set(commands.flatMap((command = '') => /^[\w.+-]+(?= |$)/.exec(command) ?? []));
  return [...programs].filter((program) => findPrograms(program, searchPath).length === 0);
}
