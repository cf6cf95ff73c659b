/**
 * Makes a function that opens something at its first call and returns the same from then on. If that fails, the next
 * call tries again: what is wrong may be mended by then.
 */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return async () => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
}
