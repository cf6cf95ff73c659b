import { ToolError } from '@jinn/core';
import { compileNamePattern } from '@jinn/walk';

/** The test of a name against a glob; undefined for one that is malformed. Kept apart for the library that it needs. */
export function compileGlob(glob: string): ((name: string) => boolean) | undefined {
  try {
    return compileNamePattern(glob);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_glob') return undefined;
    throw error;
  }
}
