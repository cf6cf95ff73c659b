import { type Commands, commandsFor, type Detect, type Finding } from './finding.ts';
import { frameworksOf } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import type { ProjectDirectory } from './project-directory.ts';

/** The lock files and workspace files of each package manager, in the order in which they are believed. */
const LOCKS: Readonly<Record<string, readonly string[]>> = {
  pnpm: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
};
const MANAGERS = Object.keys(LOCKS);
/** What names members or tasks, whether or not there is a package.json beside it. */
const WORKSPACES = ['pnpm-workspace.yaml', 'turbo.json', 'nx.json', 'lerna.json'];
/** How each runs a program that a dependency brings along. */
const EXEC: Readonly<Record<string, string>> = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn exec', bun: 'bunx' };
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
/** What `npm init` writes, and no test. */
const PLACEHOLDER = /^echo\b.*no test specified/;
const ESLINT = /^(?:eslint\.config\.|\.eslintrc)/;
const BIOME = /^biome\.jsonc?$/;

/** JavaScript and TypeScript: package.json, tsconfig.json, the lock files, turbo, nx and lerna. */
export const detectNode: Detect = async (directory, around) => {
  if (!directory.has('package.json', ...WORKSPACES)) return withoutManifest(directory);
  const manifest = directory.json('package.json');
  const dependencies = DEPENDENCIES.flatMap((key) => manifest.table(key).keys());
  const manager = managerOf(directory, manifest);
  const pm = manager ?? around.manager ?? 'npm';
  const scripts = manifest.table('scripts');
  const runner = await detectRunner(directory, pm);
  const isTypeScript = around.isTypeScript || hasTsconfig(directory);
  return {
    languages: [isTypeScript ? 'TypeScript' : 'JavaScript'],
    frameworks: [...nextByConfig(directory), ...frameworksOf('npm', dependencies)],
    managers: manager === undefined ? [] : [manager],
    runners: runner.runners ?? [],
    scripts: commandsFor(
      `${pm} run`,
      scripts.keys().filter((name) => scripts.string(name)),
    ),
    overrides: scriptsOf(scripts, `${pm} run`),
    ...fallbacks(directory, dependencies, pm),
    ...(runner.build !== undefined && { build: runner.build }),
    ...(runner.test !== undefined && { test: runner.test }),
    ...(runner.lint !== undefined && { lint: runner.lint }),
    members: await membersOf(directory, manifest),
    name: manifest.string('name'),
    description: manifest.string('description'),
  };
};

/** The package manager that the lock files of a directory show. */
export function lockedManager(directory: ProjectDirectory): string | undefined {
  return MANAGERS.find((manager) => directory.has(...(LOCKS[manager] ?? [])));
}

export function hasTsconfig(directory: ProjectDirectory): boolean {
  return directory.has('tsconfig.json', 'tsconfig.base.json');
}

/** A directory with a lock file, tsconfig.json or a configuration of Next.js alone. */
function withoutManifest(directory: ProjectDirectory): Finding | undefined {
  const manager = lockedManager(directory);
  if (manager === 'bun') {
    return { languages: ['TypeScript'], managers: ['bun'], build: 'bun install', test: 'bun test' };
  }
  const frameworks = nextByConfig(directory);
  if (manager === undefined && !hasTsconfig(directory) && frameworks.length === 0) return undefined;
  return {
    languages: [hasTsconfig(directory) ? 'TypeScript' : 'JavaScript'],
    frameworks,
    managers: manager === undefined ? [] : [manager],
  };
}

/** What package.json names goes before what the lock files show; a disagreement is noted. */
function managerOf(directory: ProjectDirectory, manifest: Manifest): string | undefined {
  const [, named] = /^(npm|pnpm|yarn|bun)(?:@|$)/.exec(manifest.string('packageManager') ?? '') ?? [];
  const locked = MANAGERS.filter((manager) => directory.has(...(LOCKS[manager] ?? [])));
  const manager = named ?? locked[0];
  const others = locked.filter((other) => other !== manager);
  if (others.length > 0) {
    directory.note('package.json', `there are lock files of ${others.join(', ')} too; taken for ${manager}`);
  }
  return manager;
}

function scriptsOf(scripts: Manifest, run: string): Commands {
  const command = (name: string) => (scripts.has(name) && scripts.string(name) ? `${run} ${name}` : undefined);
  const test = PLACEHOLDER.test(scripts.has('test') ? (scripts.string('test') ?? '') : '')
    ? undefined
    : command('test');
  return { build: command('build'), test, lint: command('lint') };
}

/** What can be run without a script: it is a dependency, or configured. */
function fallbacks(directory: ProjectDirectory, dependencies: readonly string[], pm: string): Commands {
  const exec = EXEC[pm] ?? 'npx';
  const hasFile = (pattern: RegExp) => directory.names.some((name) => pattern.test(name));
  const lint =
    hasFile(BIOME) || dependencies.includes('@biomejs/biome')
      ? `${exec} biome check`
      : hasFile(ESLINT) || dependencies.includes('eslint')
        ? `${exec} eslint .`
        : undefined;
  if (dependencies.includes('vitest')) return { lint, test: `${exec} vitest run` };
  if (dependencies.includes('jest')) return { lint, test: `${exec} jest` };
  return { lint, test: pm === 'bun' ? 'bun test' : undefined };
}

function nextByConfig(directory: ProjectDirectory): string[] {
  return directory.has('next.config.js', 'next.config.mjs', 'next.config.ts', 'next.config.cjs') ? ['Next.js'] : [];
}

interface Runner extends Commands {
  readonly runners?: readonly string[];
}

/** turbo and nx, with the tasks that their files name. */
async function detectRunner(directory: ProjectDirectory, pm: string): Promise<Runner> {
  const exec = EXEC[pm] ?? 'npx';
  const turbo = directory.find('turbo.json', 'turbo.jsonc');
  const nx = directory.find('nx.json');
  const runners = [...(turbo ? ['turbo'] : []), ...(nx ? ['nx'] : [])];
  if (turbo) {
    const file = await directory.jsonc(turbo);
    const tasks = file.has('tasks') ? file.table('tasks') : file.table('pipeline');
    return { runners, ...commands(tasks, (task) => `${exec} turbo run ${task}`) };
  }
  if (!nx) return { runners };
  const targets = (await directory.jsonc(nx)).table('targetDefaults');
  return { runners, ...commands(targets, (target) => `${exec} nx run-many -t ${target}`) };
}

function commands(tasks: Manifest, run: (task: string) => string): Commands {
  const command = (task: string) => (tasks.has(task) ? run(task) : undefined);
  return { build: command('build'), test: command('test'), lint: command('lint') };
}

async function membersOf(directory: ProjectDirectory, manifest: Manifest): Promise<Finding['members']> {
  if (directory.has('pnpm-workspace.yaml')) {
    const workspace = await directory.yaml('pnpm-workspace.yaml');
    if (workspace.has('packages')) return { patterns: workspace.strings('packages'), file: 'pnpm-workspace.yaml' };
  }
  if (manifest.has('workspaces')) {
    const packages = manifest.tableIfAny('workspaces');
    const patterns = packages.has('packages') ? packages.strings('packages') : manifest.strings('workspaces');
    return { patterns, file: 'package.json' };
  }
  if (!directory.has('lerna.json')) return undefined;
  return { patterns: directory.json('lerna.json').strings('packages'), file: 'lerna.json' };
}
