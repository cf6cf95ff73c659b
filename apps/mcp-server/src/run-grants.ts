import { runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { trustCommand } from '@jinn/custom-tools/commands/trust-command';
import type { Directories } from '@jinn/guard';
import { openMachine } from '@jinn/machine';
import type { Environment } from '@jinn/tool';
import { openTeamLog } from './audit/open-team-log.ts';
import type { TeamSettings } from './people/team-settings.ts';

export interface GrantsOptions {
  /** Those of the team whose database keeps the grants; empty without a team. */
  readonly settings: TeamSettings;
  readonly root: string;
  /** Whose; empty for a person without a name. */
  readonly person: string;
  readonly home: string;
  readonly directories: Directories;
  readonly environment: Environment;
  readonly version: string;
  write(text: string): void;
}

/** Runs what stands behind `jinn-mcp grants`. What it changes is in the log of the team first. Returns the exit status. */
export async function runGrants(argv: readonly string[], options: GrantsOptions): Promise<number> {
  const { builtInNames } = await import('@jinn/toolsets');
  const { root, person, settings } = options;
  const { shared, record } = await openTeamLog(settings, root);
  const asked = argv.slice(1).filter((word) => word !== '--');
  const [change = ''] = argv;
  if (['revoke', 'trust'].includes(change) && asked.length > 0) await record('grant', { person, change, asked });
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const machine = openMachine({ ...options, sharedState: shared?.stateOf, sandbox: { fallback: 'off' }, log }).ofPerson(
    person,
  );
  const fixed = { builtIn: await builtInNames(), width: 80, color: false, readInput: () => '' };
  // What the operator allows is for all: the list of tools is the same for each person.
  const host = { ...options, ...fixed, machine, forAll: true };
  return runGrantsCommand('jinn-mcp grants', argv, host, { trust: trustCommand });
}
