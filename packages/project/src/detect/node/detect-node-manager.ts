import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';

const LOCKS: Readonly<Record<string, readonly string[]>> = {
  pnpm: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
};
const MANAGERS = Object.keys(LOCKS);
export const NODE_LOCKS = Object.values(LOCKS).flat();
const EXEC: Readonly<Record<string, string>> = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn exec', bun: 'bunx' };

/** Returns the command by which a package manager runs a program of a dependency. */
export function execWith(manager: string): string {
  return EXEC[manager] ?? 'npx';
}

/** Returns the package manager that the lock files of a directory show. */
export function lockedManager(directory: ProjectDirectory): string | undefined {
  return lockedManagers(directory)[0];
}

/** Returns the package manager that package.json names, or else the lock files show. Warns if they disagree. */
export function nodeManagerOf(directory: ProjectDirectory, manifest: Manifest): string | undefined {
  const locked = lockedManagers(directory);
  const manager = namedManager(manifest) ?? locked[0];
  const others = locked.filter((other) => other !== manager);
  if (others.length > 0) {
    directory.warn('package.json', `there are lock files of ${others.join(', ')} too: ${manager} is used`);
  }
  return manager;
}

function lockedManagers(directory: ProjectDirectory): string[] {
  return MANAGERS.filter((manager) => directory.has(...(LOCKS[manager] ?? [])));
}

function namedManager(manifest: Manifest): string | undefined {
  const engine = manifest.tableIfAny('devEngines').tableIfAny('packageManager').stringIfAny('name');
  const [, named] = /^(npm|pnpm|yarn|bun)(?:@|$)/.exec(manifest.string('packageManager') ?? engine ?? '') ?? [];
  return named;
}
