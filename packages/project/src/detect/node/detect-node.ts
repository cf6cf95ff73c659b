import type { Manifest } from '../../files/manifest.ts';
import type { ProjectDirectory } from '../../files/project-directory.ts';
import { testerOf } from '../../single-test.ts';
import { type Commands, commandsOf, type DetectFunction, type Finding, firstCommands, scriptsOf } from '../finding.ts';
import { frameworksOf, NPM_FRAMEWORKS } from '../frameworks.ts';
import { hasSources, sourceLanguage } from '../source-language.ts';
import { execWith, lockedManager, NODE_LOCKS, nodeManagerOf } from './detect-node-manager.ts';
import { membersOfNode } from './detect-node-members.ts';
import { detectTurbo, TURBO_FILES } from './detect-turbo.ts';

/** package.json, and the files that name members or tasks with or without it. */
const MANIFESTS = ['package.json', 'pnpm-workspace.yaml', ...TURBO_FILES, 'nx.json', 'lerna.json'];
const TSCONFIGS = ['tsconfig.json', 'tsconfig.base.json'];
const NEXT = ['next.config.js', 'next.config.mjs', 'next.config.ts', 'next.config.cjs'];
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
/** The script that `npm init` writes; it is not a test. */
const PLACEHOLDER = /^echo\b.*no test specified/;
const ESLINT = /^(?:eslint\.config\.|\.eslintrc)/;
/** A script that compiles TypeScript, or runs it as it is. */
const COMPILES = /(?:^|[\s&|;(])(?:vue-tsc|tsc|tsx|tsup|ts-node)(?=\s|$)/;
/** Fields of a package that others use. */
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
    frameworks: [...nextByConfig(directory), ...frameworksOf(NPM_FRAMEWORKS, dependencies)],
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

/** Reports whether a package.json has only tools, such as husky and prettier, for the directories below. */
function isTooling(directory: ProjectDirectory, manifest: Manifest): boolean {
  return (
    directory.has('package.json') &&
    manifest.table('dependencies').keys().length === 0 &&
    !ENTRY_POINTS.some((key) => manifest.has(key)) &&
    !hasSources(directory)
  );
}

/** Returns the finding for a directory with only a lock file, tsconfig.json or a configuration of Next.js. */
function withoutManifest(directory: ProjectDirectory): Finding {
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

/** Returns the names of the scripts, without empty ones and the placeholder. */
function namesOf(scripts: Manifest): string[] {
  return scripts.keys().filter((name) => {
    const script = scripts.string(name);
    return script && !(name === 'test' && PLACEHOLDER.test(script));
  });
}

/** Returns commands that work without a script, by the dependencies and the configuration files. */
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
