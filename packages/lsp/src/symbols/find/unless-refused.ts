import { ToolError } from '@jinn/core/errors';

/**
 * Returns the result of `work`; undefined if it is refused, such as for a file that is gone by now. `onRefusal` hears why.
 * Rejects with all other errors of `work`.
 */
export async function unlessRefused<T>(work: () => T | Promise<T>, onRefusal?: (error: ToolError) => void) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    onRefusal?.(error);
    return undefined;
  }
}
