import type { MemberPatterns } from './finding.ts';
import type { Manifest } from './manifest.ts';
import type { ProjectDirectory } from './project-directory.ts';

const PNPM = 'pnpm-workspace.yaml';
const LERNA = 'lerna.json';

/** The packages that the package manager and lerna each name: pnpm in a file of its own, instead of in package.json. */
export async function membersOfNode(directory: ProjectDirectory, manifest: Manifest): Promise<MemberPatterns[]> {
  const pnpm = directory.has(PNPM) ? await directory.yaml(PNPM) : undefined;
  const members: MemberPatterns[] = [];
  if (pnpm?.has('packages')) members.push({ patterns: pnpm.strings('packages'), file: PNPM });
  else if (manifest.has('workspaces')) members.push({ patterns: workspaces(manifest), file: 'package.json' });
  if (directory.has(LERNA)) members.push({ patterns: directory.json(LERNA).strings('packages'), file: LERNA });
  return members;
}

/** A list, or a table with one. */
function workspaces(manifest: Manifest): string[] {
  const packages = manifest.tableIfAny('workspaces');
  return packages.has('packages') ? packages.strings('packages') : manifest.strings('workspaces');
}
