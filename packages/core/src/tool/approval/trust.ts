import type { GrantSubject, Grants } from './grants.ts';

export type TrustSubject = Omit<GrantSubject, 'fingerprint'>;

/** The tool that asks for the grants by which a user trusts language servers. */
export const SERVER_TOOL = 'lsp_query';
export const SERVER_TRUST = 'language_server';
/** The type of the grants by which a user allows a tool that came with the workspace. */
export const TOOL_TRUST = 'workspace_tool';
export const TOOL_VARIABLE = 'workspace_variable';

/** Returns what a user trusts: a server to run code of the workspace. */
export function serverTrust(id: string): TrustSubject {
  return { tool: SERVER_TOOL, type: SERVER_TRUST, key: id };
}

/** Returns what a user trusts: the folder of a tool in the workspace. */
export function toolTrust({ name, shown }: { readonly name: string; readonly shown: string }): TrustSubject {
  return { tool: name, type: TOOL_TRUST, key: shown };
}

/** Returns what a user gives to a tool of the workspace: a variable of `.env`. */
export function variableTrust({ name }: { readonly name: string }, variable: string): TrustSubject {
  return { tool: name, type: TOOL_VARIABLE, key: variable };
}

/** Returns the fingerprints that the user trusts of something, or none if the grants cannot be read. */
export async function trustedFingerprints(
  subject: TrustSubject,
  openGrants: () => Promise<Grants>,
): Promise<readonly string[]> {
  const [found = []] = await trustedOfEach([subject], openGrants);
  return found;
}

/** Returns the same for several subjects, with one look at the grants, or undefined if they cannot be read. */
export async function trustedOfEach(
  subjects: readonly TrustSubject[],
  openGrants: () => Promise<Grants>,
): Promise<readonly (readonly string[])[]> {
  try {
    const grants = await (await openGrants()).list();
    return subjects.map(({ tool, type, key }) =>
      grants
        .filter((grant) => grant.tool === tool && grant.type === type && grant.key === key)
        .map(({ fingerprint }) => fingerprint),
    );
  } catch {
    return [];
  }
}
