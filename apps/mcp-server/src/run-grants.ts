import { runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { trustCommand } from '@jinn/custom-tools/commands/trust-command';
import type { Directories } from '@jinn/guard';
import { type MachineOptions, openMachine } from '@jinn/machine';
import type { Environment } from '@jinn/tool';

export interface GrantsOptions extends Pick<MachineOptions, 'sharedState'> {
  readonly root: string;
  /** Whose; empty for a person without a name. */
  readonly person: string;
  readonly home: string;
  readonly directories: Directories;
  readonly environment: Environment;
  readonly version: string;
  write(text: string): void;
}

/** Runs what stands behind `jinn-mcp grants`. Returns the exit status. */
export async function runGrants(argv: readonly string[], options: GrantsOptions): Promise<number> {
  const { builtInNames } = await import('@jinn/toolsets');
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const machine = openMachine({ ...options, sandbox: { fallback: 'off' }, log }).ofPerson(options.person);
  const fixed = { builtIn: await builtInNames(), width: 80, color: false, readInput: () => '' };
  // What the operator allows is for all: the list of tools is the same for each person.
  const host = { ...options, ...fixed, machine, forAll: true };
  return runGrantsCommand('jinn-mcp grants', argv, host, { trust: trustCommand });
}
