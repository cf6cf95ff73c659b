import type { GrantSubject, Grants } from '@jinn/core';
import { askAtTerminal } from '@jinn/custom-tools/commands/command-host';
import { findMeant, runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { trustCommand } from '@jinn/custom-tools/commands/trust-command';
import { showText } from '@jinn/team/audit/audit';
import { openTeamLog } from '@jinn/team/open-team';
import { openMachine } from '@jinn/toolsets/machine';
import { readTeamSettings } from './team-of-options.ts';
import { findState, VERSION, write } from './this-program.ts';

const PROGRAM = 'jinn-mcp grants';

/** Runs `jinn-mcp grants`. Each change is recorded in the log of the team first. Returns the exit status. */
export async function runGrantsProgram(
  argv: readonly string[],
  { root, person, team }: { readonly root: string; readonly person: string; readonly team: string | undefined },
): Promise<number> {
  const { builtInNames } = await import('@jinn/toolsets');
  const { shared, record } = await openTeamLog(await readTeamSettings(team), root);
  const surroundings = { ...findState(), root, environment: process.env };
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const opened = openMachine({ ...surroundings, sharedState: shared?.stateOf, log }).ofPerson(person);
  const grants = async () => recorded(await opened.grants(), person, (facts) => record('grant', facts));
  const machine = { ...opened, grants };
  const fixed = { builtIn: await builtInNames(), width: 80, color: false, readInput: () => '' };
  const canAsk = process.stdin.isTTY && process.stdout.isTTY;
  const asking = canAsk && { ask: askAtTerminal };
  // The operator allows tools for all: the list of tools is the same for each person.
  const host = { ...surroundings, ...fixed, ...asking, person, version: VERSION, write, machine, forAll: true };
  return runGrantsCommand(PROGRAM, argv, host, { trust: trustCommand(PROGRAM) });
}

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
