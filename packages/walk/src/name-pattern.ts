import { ToolError } from '@jinn/core';
import picomatch from 'picomatch';

const MAX_LENGTH = 1_000;
/** Each star multiplies the time that a name takes which almost matches; four keep that below a second. */
const MAX_STARS = 4;
/** By far the most common, and a tenth of the time. */
const ENDING = /^\*(\.[\w.-]+)$/;

/**
 * Makes the test of a file's own name against a glob such as `*.go`. Throws `invalid_glob` for a pattern that is
 * malformed, that no name can match, or that could take long.
 */
export function compileNamePattern(pattern: string): (name: string) => boolean {
  const onName = pattern.replace(/^(\*\*\/)+/, '');
  if (onName.includes('/')) throw invalid(pattern, 'it is matched against names, which have no slash');
  if (pattern.length > MAX_LENGTH) throw invalid(pattern, `it is longer than ${MAX_LENGTH} characters`);
  if ((onName.match(/\*+/g) ?? []).length > MAX_STARS) throw invalid(pattern, `it has more than ${MAX_STARS} stars`);
  const ending = ENDING.exec(onName)?.[1];
  if (ending !== undefined) return (name) => name.endsWith(ending);
  try {
    return picomatch(onName, { dot: true, strictBrackets: true, noextglob: true, nonegate: true });
  } catch (error) {
    throw invalid(pattern, (error as Error).message);
  }
}

function invalid(pattern: string, why: string): ToolError {
  return new ToolError('invalid_glob', `invalid glob ${JSON.stringify(pattern.slice(0, 100))}: ${why}`, {
    suggestion: 'use a pattern for file names such as *.go or *.{ts,tsx}, and path for the directory',
  });
}
