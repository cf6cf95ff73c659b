import { isDeepStrictEqual } from 'node:util';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type FoundTool, readFolder } from '../discover.ts';
import { copyByFingerprint, type FolderCopy, fingerprintFolder } from '../folders/index.ts';
import { allowedVariables, isTrusted, trustCommandFor, wasTrusted } from '../tool-trust.ts';

/** A tool in the form in which it runs. */
export interface ToolCopy {
  /** The tool with the copy as its folder, and with the variables that it may have. */
  readonly tool: FoundTool;
  /** The fingerprint of the copy, or undefined for a tool that is too large for one. */
  readonly fingerprint: string | undefined;
}

/** What a tool needs to be copied. */
export type CopyContext = Pick<ToolContext, 'workspace' | 'grants'>;

/**
 * Copies a tool to a place where no one changes it, so that exactly what was found or approved runs. A tool of the
 * person's own that is too large for a fingerprint runs where it is, and there can be no grant for it. Throws `conflict` if the folder is not what was found or trusted any more, and `approval_required` if
 * no one has allowed it to this person.
 */
export async function copyTool(found: FoundTool, { workspace, grants }: CopyContext): Promise<ToolCopy> {
  const copy = await copyFound(found, workspace);
  if (copy === undefined) return withoutCopy(found);
  const { folder, fingerprint } = copy;
  if (!(await isTrusted(found, grants, fingerprint))) {
    throw (await wasTrusted(found, grants)) ? changed(found) : await off(found, grants);
  }
  const env = await allowedVariables(found, grants, fingerprint);
  return { tool: { ...found, folder, env }, fingerprint };
}

/**
 * Copies the folder of a tool. Undefined if it cannot be fingerprinted. Throws `conflict` if its definition is not the one that
 * was found.
 */
export async function copyFound(
  found: FoundTool,
  { cacheDirectory }: ToolContext['workspace'],
): Promise<FolderCopy | undefined> {
  const copy = copyByFingerprint(found.folder, cacheDirectory);
  const definition =
    copy && (await readFolder(copy.folder).catch((error: Error) => Promise.reject(changed(found, error))));
  if (!isDeepStrictEqual({ ...found, ...definition }, found)) throw changed(found);
  return copy;
}

function withoutCopy(found: FoundTool): ToolCopy {
  if (found.origin === 'workspace') throw changed(found);
  if (found.runtime !== 'go') return { tool: found, fingerprint: undefined };
  throw new ToolError('resource_limit', `${found.shown} is too large to be built`, {
    suggestion: 'ask the user to remove what the tool does not need: the limit is 20,000 entries or 256 MiB',
  });
}

async function off(found: FoundTool, grants: CopyContext['grants']): Promise<ToolError> {
  const { name, shown } = found;
  const known = await grants();
  const isNamed = known.person !== '';
  const why = `${name} did not run: ${shown} came with the workspace, and is off${isNamed ? ' for you' : ''}`;
  const who = isNamed ? 'the operator of the server, who can trust it for all' : 'the user, who can trust it';
  return new ToolError('approval_required', why, {
    suggestion: `tell ${who}: ${trustCommandFor(found, known)}`,
  });
}

export function changed({ name, shown }: FoundTool, cause?: Error): ToolError {
  const why = cause ? `: ${cause.message}` : '';
  return new ToolError('conflict', `${name} did not run: ${shown} changed after it was approved${why}`, {
    suggestion: 'call it again, so that the user is asked about the new code',
  });
}

/** Returns how the folder and its copy changed while the tool ran. */
export function findCopyChanges({ folder, shown }: FoundTool, { tool, fingerprint }: ToolCopy): string[] {
  if (fingerprint === undefined) return [];
  const notices: string[] = [];
  if (fingerprintFolder(tool.folder) !== fingerprint) {
    notices.push(
      'the tool wrote into its own folder, which is a copy that jinn creates again: what it wrote there is lost',
    );
  }
  if (fingerprintFolder(folder) !== fingerprint) {
    notices.push(`${shown} changed while the tool ran, but exactly what was approved ran`);
  }
  return notices;
}
