import { ToolError } from '@jinn/errors';

/**
 * Returns what `work` returns; undefined if it is refused, such as for a file that is gone by now. `tell` hears why. Rejects
 * with whatever else `work` rejects with.
 */
export async function unlessRefused<T>(work: () => T | Promise<T>, tell?: (error: ToolError) => void) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    tell?.(error);
    return undefined;
  }
}
