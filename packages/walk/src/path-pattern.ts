import { ToolError } from '@jinn/core';
import picomatch from 'picomatch';
import { compileEndingFilter, compileNamePattern } from './name-pattern.ts';
import { toMatcher } from './to-matcher.ts';

const MAX_LENGTH = 1_000;
/** Each multiplies the time that a path takes which almost matches. */
const MAX_DOUBLE_STARS = 2;
const MAX_STARS = 4;

export interface PathPattern {
  /** The directory below which everything lies that can match. */
  readonly base: string;
  /** Whether the pattern names something hidden. */
  readonly hidden: boolean;
  matches(entry: { readonly name: string; readonly path: string }): boolean;
  /** A faster way for many names of one directory, which stand between slashes (`/a/b/`), where there is one. */
  readonly filterNames?: ((names: string) => readonly string[]) | undefined;
}

/** The test of a path from the root that may match from the start of a walk on, too. */
export function fromRootOrStart({ matches }: Pick<PathPattern, 'matches'>, start: string): PathPattern['matches'] {
  if (start === '.') return matches;
  return (file) => matches(file) || matches({ ...file, path: file.path.slice(start.length + 1) });
}

/** True for a text that means several paths. */
export function isGlob(text: string): boolean {
  return picomatch.scan(text).isGlob;
}

/**
 * Compiles a glob over paths from the working directory; one without a slash is matched against names, at any depth.
 * Stars match hidden names too: the walk has left them out, or was asked not to. Throws `invalid_glob`.
 */
export function compilePathPattern(pattern: string): PathPattern {
  const clean = pattern.replace(/^(\.\/)+/, '');
  const hidden = /(^|\/)\.[^./]/.test(clean);
  if (!clean.replace(/^(\*\*\/)+/, '').includes('/')) {
    const matchesName = compileNamePattern(clean);
    return { base: '.', hidden, matches: ({ name }) => matchesName(name), filterNames: compileEndingFilter(clean) };
  }
  const stars = Math.max(...clean.split('/').map((segment) => (segment.match(/\*+/g) ?? []).length));
  const doubleStars = (clean.match(/\*\*/g) ?? []).length;
  if (clean.length > MAX_LENGTH || stars > MAX_STARS || doubleStars > MAX_DOUBLE_STARS) {
    throw invalid(pattern, `it is longer than ${MAX_LENGTH} characters, or has too many stars`);
  }
  try {
    const matchesPath = toMatcher(clean);
    return { base: picomatch.scan(clean).base || '.', hidden, matches: ({ path }) => matchesPath(path) };
  } catch (error) {
    throw invalid(pattern, (error as Error).message);
  }
}

function invalid(pattern: string, why: string): ToolError {
  return new ToolError('invalid_glob', `invalid glob ${JSON.stringify(pattern.slice(0, 100))}: ${why}`, {
    suggestion: 'use a pattern such as *.go, src/**/*.ts or docs/*.{md,txt}',
  });
}
