/** Within this time a file system may give two changes the same time stamp: some count in seconds. */
const STAMP_MS = 2_000;

/** Reports whether the next change of a directory surely changes its time stamp. Must be called before reading it. */
export function isSettled({ ctimeMs }: { readonly ctimeMs: number }): boolean {
  return Date.now() - ctimeMs > STAMP_MS;
}
