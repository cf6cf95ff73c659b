import type { Environment, GrantSubject, Grants } from '@jinn/core';
import { askAtTerminal } from '@jinn/custom-tools/commands/command-host';
import { findMeant, runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { trustCommand } from '@jinn/custom-tools/commands/trust-command';
import { openMachine } from '@jinn/toolsets/machine';
import type { Directories } from '@jinn/workspace';
import { openTeamLog } from './audit/open-team-log.ts';
import { showText } from './audit/shown-args.ts';
import type { TeamSettings } from './people/team-settings.ts';

export interface GrantsOptions {
  /** The settings of the team whose database keeps the grants; empty without a team. */
  readonly settings: TeamSettings;
  readonly root: string;
  /** The person whose grants these are; empty for a person without a name. */
  readonly person: string;
  readonly home: string;
  readonly directories: Directories;
  readonly environment: Environment;
  readonly version: string;
  write(text: string): void;
}

const PROGRAM = 'jinn-mcp grants';

/**
 * Runs what stands behind `jinn-mcp grants`. Each change is written to the log of the team first. Returns the exit
 * status.
 */
export async function runGrants(argv: readonly string[], options: GrantsOptions): Promise<number> {
  const { builtInNames } = await import('@jinn/toolsets');
  const { root, person, settings } = options;
  const { shared, record } = await openTeamLog(settings, root);
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const opened = openMachine({ ...options, sharedState: shared?.stateOf, log }).ofPerson(person);
  const grants = async () => recorded(await opened.grants(), person, (facts) => record('grant', facts));
  const machine = { ...opened, grants };
  const fixed = { builtIn: await builtInNames(), width: 80, color: false, readInput: () => '' };
  const canAsk = process.stdin.isTTY && process.stdout.isTTY;
  // The operator allows tools for all: the list of tools is the same for each person.
  const host = { ...options, ...fixed, ...(canAsk && { ask: askAtTerminal }), machine, forAll: true };
  return runGrantsCommand(PROGRAM, argv, host, { trust: trustCommand(PROGRAM) });
}

/** Wraps grants so that each change of a person's grants is recorded right before it is made. */
function recorded(grants: Grants, person: string, record: (facts: object) => Promise<void>): Grants {
  const note = (change: 'added' | 'removed', { tool, type, key }: GrantSubject, forAll: boolean) =>
    record({
      person: forAll ? undefined : person || undefined,
      everybody: forAll || undefined,
      change,
      tool: showText(tool),
      permission: showText(type),
      key: showText(key),
    });
  return {
    ...grants,
    add: async (subject, { forAll = false } = {}) => {
      await note('added', subject, forAll);
      await grants.add(subject, { forAll });
    },
    revoke: async (filter) => {
      for (const grant of await findMeant(grants, filter)) await note('removed', grant, grant.forAll);
      return grants.revoke(filter);
    },
  };
}
