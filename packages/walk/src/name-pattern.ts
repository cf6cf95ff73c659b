import { ToolError } from '@jinn/core';
import { toMatcher } from './to-matcher.ts';

const MAX_LENGTH = 1_000;
/** Each star multiplies the time that a name takes which almost matches; four keep that below a second. */
const MAX_STARS = 4;
/** By far the most common, and a tenth of the time. */
const ENDING = /^(?:\*\*\/)*\*(\.[\w.-]+)$/;

/**
 * Makes the test of a file's own name against a glob such as `*.go`. Throws `invalid_glob` for a pattern that is
 * malformed, that no name can match, or that could take long.
 */
export function compileNamePattern(pattern: string): (name: string) => boolean {
  const ending = endingOf(pattern);
  if (ending !== undefined) return (name) => name.endsWith(ending);
  const onName = pattern.replace(/^(\*\*\/)+/, '');
  if (onName.includes('/')) throw invalid(pattern, 'it is matched against names, which have no slash');
  if (pattern.length > MAX_LENGTH) throw invalid(pattern, `it is longer than ${MAX_LENGTH} characters`);
  if ((onName.match(/\*+/g) ?? []).length > MAX_STARS) throw invalid(pattern, `it has more than ${MAX_STARS} stars`);
  try {
    return toMatcher(onName);
  } catch (error) {
    throw invalid(pattern, (error as Error).message);
  }
}

/**
 * The same test of all names in a directory at once, which stand between slashes (`/a/b/`): gives those that match.
 * Undefined for a pattern that says more than what a name ends in.
 */
export function compileEndingFilter(pattern: string): ((names: string) => readonly string[]) | undefined {
  const ending = endingOf(pattern);
  return ending === undefined ? undefined : (names) => namesEndingIn(ending, names);
}

/** What a name must end in, when that is all that a pattern says. */
function endingOf(pattern: string): string | undefined {
  return pattern.length > MAX_LENGTH ? undefined : ENDING.exec(pattern)?.[1];
}

/** Cuts out no other names: that takes longer than to look at them. */
function namesEndingIn(ending: string, names: string): string[] {
  const found: string[] = [];
  const wanted = `${ending}/`;
  for (let at = names.indexOf(wanted); at >= 0; at = names.indexOf(wanted, at + 1)) {
    found.push(names.slice(names.lastIndexOf('/', at) + 1, at + ending.length));
  }
  return found;
}

function invalid(pattern: string, why: string): ToolError {
  return new ToolError('invalid_glob', `invalid glob ${JSON.stringify(pattern.slice(0, 100))}: ${why}`, {
    suggestion: 'use a pattern for file names such as *.go or *.{ts,tsx}, and path for the directory',
  });
}
