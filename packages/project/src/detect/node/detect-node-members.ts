import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';
import type { MemberPatterns } from '../finding.ts';

const PNPM = 'pnpm-workspace.yaml';
const LERNA = 'lerna.json';

/**
 * Returns the patterns of packages from the package manager and lerna. pnpm has a file of its own, which replaces
 * package.json.
 */
export async function membersOfNode(directory: ProjectDirectory, manifest: Manifest): Promise<MemberPatterns[]> {
  const pnpm = directory.has(PNPM) ? await directory.yaml(PNPM) : undefined;
  const members: MemberPatterns[] = [];
  if (pnpm?.has('packages')) members.push({ patterns: pnpm.strings('packages'), file: PNPM });
  else if (manifest.has('workspaces')) members.push({ patterns: workspaces(manifest), file: 'package.json' });
  if (directory.has(LERNA)) members.push({ patterns: directory.json(LERNA).strings('packages'), file: LERNA });
  return members;
}

/** Returns the patterns of `workspaces`: a list, or a table with a list. */
function workspaces(manifest: Manifest): string[] {
  const packages = manifest.tableIfAny('workspaces');
  return packages.has('packages') ? packages.strings('packages') : manifest.strings('workspaces');
}
