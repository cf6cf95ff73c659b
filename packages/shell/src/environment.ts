import type { Environment } from '@jinn/core';

/** The only environment variables of jinn that a command gets. */
const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME', 'TMPDIR', 'TZ', 'SHELL'];

export function scrubEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ALLOWED) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
