const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** Folds a path as a file system does that ignores case; on others, two names may have the same folded form. */
export function foldPath(path: string): string {
  return (PLAIN_ASCII.test(path) ? path : path.normalize('NFC')).toLowerCase();
}
