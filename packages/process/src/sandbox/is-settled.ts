/** Within this time a file system may give two changes the same time stamp: some count in seconds. */
const STAMP_MS = 2_000;

/**
 * Reports whether the next change of a directory is sure to change its time stamp too. It must be asked before the
 * directory is read.
 */
export function isSettled({ ctimeMs }: { readonly ctimeMs: number }): boolean {
  return Date.now() - ctimeMs > STAMP_MS;
}
