/**
 * Makes the function that opens something when it is first needed, and gives the same from then on. What fails is tried
 * again by the next call: what is wrong may be mended by then.
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
