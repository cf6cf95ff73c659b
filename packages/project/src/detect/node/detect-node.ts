import { testerOf } from '../../choose-command.ts';
import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';
import {
  type Commands,
  commandsOf,
  type DetectFunction,
  firstCommands,
  type MemberPatterns,
  type ProjectFinding,
  scriptsOf,
} from '../finding.ts';
import { frameworksOf } from '../frameworks.ts';
import { hasSources, sourceLanguage } from '../source-language.ts';
import { execWith, lockedManager, NODE_LOCKS, nodeManagerOf } from './detect-node-manager.ts';

const TURBO_FILES = ['turbo.json', 'turbo.jsonc'];
const PNPM = 'pnpm-workspace.yaml';
const LERNA = 'lerna.json';
const MANIFESTS = ['package.json', 'pnpm-workspace.yaml', ...TURBO_FILES, 'nx.json', 'lerna.json'];
const TSCONFIGS = ['tsconfig.json', 'tsconfig.base.json'];
const NEXT = ['next.config.js', 'next.config.mjs', 'next.config.ts', 'next.config.cjs'];
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
/** The script that `npm init` writes. It is not a test. */
const PLACEHOLDER = /^echo\b.*no test specified/;
const ESLINT = /^(?:eslint\.config\.|\.eslintrc)/;
/** A script that compiles TypeScript, or runs it as it is. */
const COMPILES = /(?:^|[\s&|;(])(?:vue-tsc|tsc|tsx|tsup|ts-node)(?=\s|$)/;
const ENTRY_POINTS = ['main', 'module', 'browser', 'bin', 'exports', 'types'];
const BIOME = /^\.?biome\.jsonc?$/;

export const NODE_FILES = [...MANIFESTS, ...NODE_LOCKS, ...TSCONFIGS, ...NEXT];

/** Detects JavaScript and TypeScript from package.json, tsconfig.json, the lock files, turbo, nx and lerna. */
export const detectNode: DetectFunction = async (directory, { around }) => {
  if (!directory.has(...MANIFESTS)) return withoutManifest(directory);
  const manifest = directory.json('package.json');
  const dependencies = DEPENDENCIES.flatMap((key) => manifest.table(key).keys());
  const manager = nodeManagerOf(directory, manifest) ?? around.manager ?? 'npm';
  const run = `${manager} run`;
  const scripts = manifest.table('scripts');
  const names = namesOf(scripts);
  const turbo = directory.has(...TURBO_FILES) ? await detectTurbo(directory, manager) : {};
  const nx = directory.has('nx.json') ? await (await import('./detect-nx.ts')).detectNx(directory, manager) : {};
  const members = [...(await membersOfNode(directory, manifest)), ...(nx.members ?? [])];
  const isTyped =
    around.isTypeScript ||
    hasTsconfig(directory) ||
    dependencies.includes('typescript') ||
    names.some((name) => COMPILES.test(scripts.string(name) ?? '')) ||
    (await sourceLanguage(directory)) === 'TypeScript';
  return {
    languages: [isTyped ? 'TypeScript' : 'JavaScript'],
    isTooling: isTooling(directory, manifest),
    frameworks: [...nextByConfig(directory), ...frameworksOf('npm', dependencies)],
    managers: [manager],
    runners: [...(turbo.runners ?? []), ...(nx.runners ?? [])],
    scripts: [scriptsOf('package.json', run, names), ...(turbo.scripts ?? []), ...(nx.scripts ?? [])],
    overrides: commandsOf(run, names),
    ...firstCommands([turbo, nx, fallbacks(directory, dependencies, manager)]),
    tester: testerOf(scripts.stringIfAny('test') ?? '', dependencies, execWith(manager)),
    members,
    name: manifest.string('name'),
    description: manifest.string('description'),
  };
};

export function hasTsconfig(directory: ProjectDirectory): boolean {
  return directory.has(...TSCONFIGS);
}

function isTooling(directory: ProjectDirectory, manifest: Manifest): boolean {
  return (
    directory.has('package.json') &&
    manifest.table('dependencies').keys().length === 0 &&
    !ENTRY_POINTS.some((key) => manifest.has(key)) &&
    !hasSources(directory)
  );
}

function withoutManifest(directory: ProjectDirectory): ProjectFinding {
  const manager = lockedManager(directory);
  if (manager === 'bun') {
    return { languages: ['TypeScript'], managers: ['bun'], build: 'bun install', test: 'bun test' };
  }
  const frameworks = nextByConfig(directory);
  return {
    languages: [hasTsconfig(directory) ? 'TypeScript' : 'JavaScript'],
    frameworks,
    managers: manager === undefined ? [] : [manager],
  };
}

function namesOf(scripts: Manifest): string[] {
  return scripts.keys().filter((name) => {
    const script = scripts.string(name);
    return script && !(name === 'test' && PLACEHOLDER.test(script));
  });
}

function fallbacks(directory: ProjectDirectory, dependencies: readonly string[], manager: string): Commands {
  const exec = execWith(manager);
  const hasFile = (pattern: RegExp) => directory.names.some((name) => pattern.test(name));
  const lint =
    hasFile(BIOME) || dependencies.includes('@biomejs/biome')
      ? `${exec} biome check`
      : hasFile(ESLINT) || dependencies.includes('eslint')
        ? `${exec} eslint .`
        : undefined;
  if (dependencies.includes('vitest')) return { lint, test: `${exec} vitest run` };
  if (dependencies.includes('jest')) return { lint, test: `${exec} jest` };
  return { lint, test: manager === 'bun' ? 'bun test' : undefined };
}

function nextByConfig(directory: ProjectDirectory): string[] {
  return directory.has(...NEXT) ? ['Next.js'] : [];
}

/** pnpm has a file of its own, which replaces package.json. */
async function membersOfNode(directory: ProjectDirectory, manifest: Manifest): Promise<MemberPatterns[]> {
  const pnpm = directory.has(PNPM) ? await directory.yaml(PNPM) : undefined;
  const members: MemberPatterns[] = [];
  if (pnpm?.has('packages')) members.push({ patterns: pnpm.strings('packages'), file: PNPM });
  else if (manifest.has('workspaces')) members.push({ patterns: workspaces(manifest), file: 'package.json' });
  if (directory.has(LERNA)) members.push({ patterns: directory.json(LERNA).strings('packages'), file: LERNA });
  return members;
}

function workspaces(manifest: Manifest): string[] {
  const packages = manifest.tableIfAny('workspaces');
  return packages.has('packages') ? packages.strings('packages') : manifest.strings('workspaces');
}

/** Detects turbo, with the tasks that its file names. */
async function detectTurbo(directory: ProjectDirectory, manager: string): Promise<ProjectFinding> {
  const file = directory.find(...TURBO_FILES) ?? 'turbo.json';
  const manifest = await directory.jsonc(file);
  const tasks = manifest.table(manifest.has('tasks') ? 'tasks' : 'pipeline').keys();
  const run = `${execWith(manager)} turbo run`;
  return { runners: ['turbo'], scripts: [scriptsOf(file, run, tasks)], ...commandsOf(run, tasks) };
}
