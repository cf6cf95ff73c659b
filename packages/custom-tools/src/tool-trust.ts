import { fingerprintFolder } from '@jinn/store/tool-folders';
import type { GrantSubject, Grants } from '@jinn/tool';
import type { FoundTool } from './discover.ts';
import { shellCommand } from './shell-words.ts';

/** The type of the grants by which a person allows a tool that came with the workspace. */
export const TRUST = 'workspace_tool';
/** The type of those by which such a tool gets a variable of `.env`. */
export const VARIABLE = 'workspace_variable';

/** Opens the grants of the workspace. */
type OpenGrants = () => Promise<Grants>;

/** Returns what a person trusts: this folder of the workspace as it is. */
export function toTrust({ name, shown }: FoundTool, fingerprint: string): GrantSubject {
  return { tool: name, type: TRUST, key: shown, fingerprint };
}

/** Returns what a person gives: a variable of `.env` to this tool of the workspace as it is. */
export function toVariable({ name }: FoundTool, variable: string, fingerprint: string): GrantSubject {
  return { tool: name, type: VARIABLE, key: variable, fingerprint };
}

/**
 * Reports whether the person trusts a tool of the workspace with this fingerprint, that of its folder as it is now if
 * none is given; a tool of the person's own needs no trust.
 */
export async function isTrusted(tool: FoundTool, grants: OpenGrants, given?: string): Promise<boolean> {
  if (tool.origin === 'user') return true;
  const fingerprint = given ?? fingerprintFolder(tool.folder);
  return fingerprint !== undefined && (await (await grants()).find(toTrust(tool, fingerprint))) !== undefined;
}

/** Reports whether the person trusts a tool of this name and place, whatever its folder holds. False if the grants cannot be read. */
export async function wasTrusted({ name, shown }: FoundTool, grants: OpenGrants): Promise<boolean> {
  const known = await (await grants()).list().catch(() => []);
  return known.some(({ tool, type, key }) => tool === name && type === TRUST && key === shown);
}

/**
 * Returns the command that allows a tool of the workspace. A person with a name uses a server, whose operator allows it
 * for all.
 */
export function trustCommandFor({ name }: FoundTool, { person }: Grants, flags = ''): string {
  const program = person === '' ? 'jinn tools' : 'jinn-mcp grants';
  return shellCommand(`${program} trust${flags}`, name);
}

/**
 * Returns the variables that a tool may have: all that it declares if it is the person's own; those of them that the
 * person named if it is the workspace's.
 */
export async function allowedVariables(
  tool: FoundTool,
  grants: OpenGrants,
  fingerprint: string,
): Promise<readonly string[]> {
  if (tool.origin === 'user' || tool.env.length === 0) return tool.env;
  const known = await grants();
  const found = await Promise.all(tool.env.map((name) => known.find(toVariable(tool, name, fingerprint))));
  return tool.env.filter((_, i) => found[i] !== undefined);
}
