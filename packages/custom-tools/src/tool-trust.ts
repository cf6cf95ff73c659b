import type { Grants } from '@jinn/core';
import { toolTrust, trustedFingerprints, trustedOfEach, variableTrust } from '@jinn/core/trust';
import type { FoundTool } from './discover.ts';
import { fingerprintFolder } from './folders/index.ts';
import { shellCommand } from './shell-words.ts';

/** What allows a tool of the workspace: to the user at this machine, or to all users of a server. */
export const TRUST_PROGRAMS = { own: 'jinn tools', team: 'jinn-mcp grants' } as const;

type OpenGrants = () => Promise<Grants>;

/**
 * Reports whether the user trusts a tool of the workspace with this fingerprint, that of its folder as it is now if
 * none is given. A tool of the user's own needs no trust.
 */
export async function isTrusted(tool: FoundTool, grants: OpenGrants, given?: string): Promise<boolean> {
  if (tool.origin === 'user') return true;
  const fingerprint = given ?? fingerprintFolder(tool.folder);
  return fingerprint !== undefined && (await trustedFingerprints(toolTrust(tool), grants)).includes(fingerprint);
}

/** Reports whether the user trusts a tool of this name and place, no matter what its folder holds. False if the grants cannot be read. */
export async function wasTrusted(tool: FoundTool, grants: OpenGrants): Promise<boolean> {
  return (await trustedFingerprints(toolTrust(tool), grants)).length > 0;
}

/**
 * Returns the command that allows a tool of the workspace. A user with a name uses a server, whose operator allows it
 * for all.
 */
export function trustCommandFor({ name }: FoundTool, { person }: Grants, flags = ''): string {
  const program = person === '' ? TRUST_PROGRAMS.own : TRUST_PROGRAMS.team;
  return shellCommand(`${program} trust${flags}`, name);
}

/**
 * Returns the variables that a tool may have: all that it declares if it is the user's own. Those of them that the
 * person named if it is the workspace's.
 */
export async function allowedVariables(
  tool: FoundTool,
  grants: OpenGrants,
  fingerprint: string,
): Promise<readonly string[]> {
  if (tool.origin === 'user' || tool.env.length === 0) return tool.env;
  const subjects = tool.env.map((name) => variableTrust(tool, name));
  const given = await trustedOfEach(subjects, grants);
  return tool.env.filter((_, i) => given[i]?.includes(fingerprint));
}
