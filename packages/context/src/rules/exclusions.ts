import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { pathBelow } from '@jinn/workspace';
import {
  cleanNames,
  escapeGlob,
  type Glob,
  type GlobRoot,
  globRoot,
  isGlob,
  NO_ENTRIES,
  PathMatcher,
  readGlobs,
} from '@jinn/workspace/walk';
import type { TargetPlan } from '../targets/targets.ts';

/** How messages name the flags or arguments by which files are omitted. */
export type ExclusionNames = Readonly<Record<'not' | 'notIn' | 'notFiles' | 'keepOnly' | 'include', string>>;

export const FLAG_NAMES: ExclusionNames = {
  not: '--not',
  notIn: '--not-in',
  notFiles: '--not-files',
  keepOnly: '--keep-only',
  include: '--include',
};

/** The values of the flags `--not`, `--not-in`, `--not-files`, `--keep-only` and `--include`. */
export interface Exclusions {
  readonly not?: readonly string[] | undefined;
  /** `SCOPE:WORD,WORD`. The scope is a directory below the root. */
  readonly notIn?: readonly string[] | undefined;
  readonly notFiles?: readonly string[] | undefined;
  /** Names of directories and files, paths below the root, or globs. Only these are taken in. */
  readonly keepOnly?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  readonly names?: ExclusionNames | undefined;
}

export interface FlagPattern extends Glob {
  readonly label: string;
  /** The directory below which it holds, from the root, or '' for the root. */
  readonly scope: string;
}

const TESTS = ['test/', 'tests/', '*_test/', '*_tests/', 'test_*', '*.test.*', '*.spec.*', 'spec/'];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  test: TESTS,
  vendor: ['vendor/', 'third_party/', 'external/'],
  doc: ['docs/', 'documentation/', 'doc/'],
  build: ['build/', 'dist/', 'out/', 'target/'],
  example: ['examples/', 'example/', 'samples/', 'demo/'],
  cache: ['cache/', '.cache/', '__pycache__/'],
  temp: ['tmp/', 'temp/', '*.tmp', '*.temp'],
  tmp: ['tmp/', 'temp/', '*.tmp', '*.temp'],
  log: ['logs/', 'log/', '*.log'],
  gen: ['generated/', 'gen/', '*_generated.*', '*.generated.*'],
  generated: ['generated/', 'gen/', '*_generated.*', '*.generated.*'],
  legacy: ['legacy/', 'old/', 'deprecated/'],
  old: ['legacy/', 'old/', 'deprecated/'],
  experiment: ['experimental/', 'experiment/', 'proto/', 'wip/'],
  experimental: ['experimental/', 'experiment/', 'proto/', 'wip/'],
};

/** Reads the flags. Throws ToolError for a path outside of the root, a scope that is not below it, and `!` without a meaning. */
export function patternsOf(options: Exclusions, rootOf: (scope: string) => GlobRoot) {
  const { not = [], notIn = [], notFiles = [], keepOnly = [], include = [], names = FLAG_NAMES } = options;
  const read = (flag: string, values: readonly string[], scope = ''): FlagPattern[] =>
    values
      .flatMap((value) => readFlag(flag, value, rootOf(scope), ','))
      .map((glob) => ({ ...glob, label: `${flag} ${scope === '' ? '' : `${scope}:`}${glob.asked}`, scope }));
  const chosen = [read(names.keepOnly, keepOnly), read(names.include, include)];
  const scoped = notIn.map((value) => parseScoped(value, names.notIn));
  const words = [read(names.not, not), ...scoped.map(({ scope, list }) => read(names.notIn, [list], scope))].flat();
  const files = read(names.notFiles, notFiles);
  const marked = [...words, ...files].find(({ excludes }) => excludes);
  if (marked) {
    throw new ToolError('invalid_args', `${marked.label}: this excludes already, so "!" has no meaning here`, {
      suggestion: `write ${marked.asked.slice(1)} to leave it out`,
    });
  }
  return {
    excluded: [...words.map(readWord), ...files, ...chosen.flat().filter(({ excludes }) => excludes)],
    kept: chosen.map((globs) => globs.filter(({ excludes }) => !excludes)).filter((globs) => globs.length > 0),
  };
}

function readFlag(flag: string, value: string, root: GlobRoot, separator?: ','): Glob[] {
  const globs = readGlobs(value, [root], separator);
  const outside = globs.find(({ rules }) => rules.length === 0);
  if (outside === undefined) return globs;
  throw new ToolError('invalid_args', `${flag} takes files below the root, not ${JSON.stringify(outside.asked)}`, {
    suggestion: 'name it from there, or make it a target',
  });
}

function readWord(pattern: FlagPattern): FlagPattern {
  const word = pattern.asked.toLowerCase();
  const key = [word, word.replace(/s$/, '')].find((name) => Object.hasOwn(WORDS, name));
  const known = key === undefined ? undefined : WORDS[key];
  if (!known && (pattern.isEntry || word.includes('/') || isGlob(word))) return pattern;
  const lines = known ?? [`*${escapeGlob(pattern.asked)}*`];
  return { ...pattern, rules: lines.flatMap((line) => readGlobs(line, [NO_ENTRIES])).flatMap(({ rules }) => rules) };
}

function parseScoped(value: string, name: string): { readonly scope: string; readonly list: string } {
  const colon = value.indexOf(':');
  const scope = cleanNames(value.slice(0, Math.max(colon, 0)))?.join('/');
  if (colon >= 0 && scope !== undefined) return { scope, list: value.slice(colon + 1) };
  throw new ToolError('invalid_args', `${name} takes DIRECTORY:WORD,WORD, not ${JSON.stringify(value)}`, {
    suggestion: 'write it as src/app:tests,generated',
  });
}

/** Compiles globs for the paths that a plan shows. They also match what is below. No globs match every path. */
export function compileGlobs(
  globs: readonly string[],
  flag: string,
  plan: Pick<TargetPlan, 'targets' | 'outputRoot'>,
): (path: string) => boolean {
  const root = rootOf(plan);
  const matcher = new PathMatcher(
    globs.flatMap((glob) => readFlag(flag, glob, root)),
    true,
  );
  return (path) => matcher.matches(posix.dirname(path), posix.basename(path));
}

function rootOf({ targets, outputRoot }: Pick<TargetPlan, 'targets' | 'outputRoot'>) {
  for (const { workspace } of targets) {
    const directory = pathBelow(workspace.root, outputRoot);
    if (directory !== undefined) return { ...globRoot(workspace, directory), base: [] };
  }
  return NO_ENTRIES;
}
