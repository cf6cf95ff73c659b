import { ToolError } from '@jinn/errors';

/** How messages name the flags or arguments by which files are left out. */
export interface ExclusionNames {
  readonly not: string;
  readonly notIn: string;
  readonly notFiles: string;
  readonly keepOnly: string;
  readonly include: string;
}

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
  /** `SCOPE:WORD,WORD`; the scope is a directory below the root. */
  readonly notIn?: readonly string[] | undefined;
  readonly notFiles?: readonly string[] | undefined;
  /** Names of directories and files, paths below the root, or globs. Only these are taken in. */
  readonly keepOnly?: readonly string[] | undefined;
  /** Globs of files. Only these are taken in. */
  readonly include?: readonly string[] | undefined;
  /** The names of the flags if absent. */
  readonly names?: ExclusionNames | undefined;
}

/** Rules that come from a flag, and the directory below which they hold. */
export interface FlagRules {
  /** Below the root; '' or with a slash at its end. */
  readonly scope: string;
  readonly lines: readonly string[];
  readonly flag: string;
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

/**
 * Returns the rules that the flags stand for. Throws ToolError for a scope that is not a directory below the root, or
 * has no words.
 */
export function rulesOfFlags({ not = [], notIn = [], notFiles = [], names = FLAG_NAMES }: Exclusions): FlagRules[] {
  return [
    ...not.map((words) => ({
      scope: '',
      lines: words.split(',').flatMap((word) => linesOf(word.trim())),
      flag: `${names.not} ${words}`,
    })),
    ...notIn.map((value) => parseScoped(value, names.notIn)),
    ...notFiles.map((glob) => ({ scope: '', lines: [`!${glob}`], flag: `${names.notFiles} ${glob}` })),
  ].filter(({ lines }) => lines.length > 0);
}

function parseScoped(value: string, name: string): FlagRules {
  const colon = value.indexOf(':');
  const scope = cleanPath(value.slice(0, Math.max(colon, 0)));
  const words = value.slice(colon + 1).split(',');
  if (colon < 0 || scope === undefined) {
    throw new ToolError('invalid_args', `${name} takes DIRECTORY:WORD,WORD, not ${JSON.stringify(value)}`, {
      suggestion: 'write it as src/app:tests,generated',
    });
  }
  const lines = words.flatMap((word) => linesOf(word.trim()));
  return { scope: scope === '' ? '' : `${scope}/`, lines, flag: `${name} ${value}` };
}

/** Returns the rules for a word. An unknown word leaves out every name that contains it. */
function linesOf(word: string): string[] {
  if (word === '') return [];
  const lower = word.toLowerCase();
  const key = [lower, lower.replace(/s$/, '')].find((name) => Object.hasOwn(WORDS, name));
  const known = key === undefined ? undefined : WORDS[key];
  return known ? known.map((line) => `!${line}`) : [`!*${word.replace(/[\\*?[\]]/g, '\\$&')}*`];
}

/** Resolves the dots in a path below the root; undefined for a path that leaves the root. */
function cleanPath(path: string): string | undefined {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join('/');
}

/**
 * Returns the rule that a value of `--keep-only`, or of another flag or argument of that `name`, stands for. Throws
 * ToolError for a path outside of the root.
 */
export function ruleOfKept(entry: string, name: string): FlagRules {
  const path = cleanPath(entry);
  if (path === undefined) {
    throw new ToolError('invalid_args', `${name} takes what lies below the root, not ${JSON.stringify(entry)}`, {
      suggestion: 'name it from there, or make it a target',
    });
  }
  const named = /^\.?\//.test(entry) ? `/${path}` : path.replace(/^[!#]/, '\\$&');
  return { scope: '', lines: [path === '' ? '*' : named], flag: `${name} ${entry}` };
}
