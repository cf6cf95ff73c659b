import type { GrantSubject, Grants } from '@jinn/core';
import { fingerprintFolder } from '@jinn/store/tool-folders';
import type { FoundTool } from './discover.ts';

/** The type of the grants by which a person allows a tool that came with the workspace. */
export const TRUST = 'workspace_tool';

/** What a person trusts: this folder of the workspace as it is. Undefined if it is too large to be hashed. */
export function trustIn({ name, shown, folder }: FoundTool): GrantSubject | undefined {
  const fingerprint = fingerprintFolder(folder);
  return fingerprint === undefined ? undefined : { tool: name, type: TRUST, key: shown, fingerprint };
}

/** True if the person trusts a tool of the workspace as it is now; a tool of the person's own needs no trust. */
export async function isTrusted(tool: FoundTool, grants: () => Promise<Grants>): Promise<boolean> {
  if (tool.origin === 'user') return true;
  const subject = trustIn(tool);
  return subject !== undefined && (await (await grants()).find(subject)) !== undefined;
}
