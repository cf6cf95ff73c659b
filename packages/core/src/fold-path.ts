const ASCII = /^[\x20-\x7e]*$/;

/** Folds a path as a file system does that ignores case; on others, two names may share a folded one. */
export function foldPath(path: string): string {
  return (ASCII.test(path) ? path : path.normalize('NFC')).toLowerCase();
}
