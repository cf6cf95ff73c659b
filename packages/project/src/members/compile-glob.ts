import { ToolError } from '@jinn/core/errors';
import { compileNamePattern } from '@jinn/workspace/walk';

/** Compiles a glob for names. Undefined if it is malformed. It is a module of its own, since it loads a library. */
export function compileGlob(glob: string): ((name: string) => boolean) | undefined {
  try {
    return compileNamePattern(glob);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_glob') return undefined;
    throw error;
  }
}
