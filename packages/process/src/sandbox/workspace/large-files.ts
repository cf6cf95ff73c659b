import fs from 'node:fs';

/**
 * Returns the paths, relative to `root`, whose entries are larger than `limit` bytes. It opens nothing and follows no
 * link at the end of a path, so it is good for choosing a way to read a file, not for judging whether it may be read.
 */
export function findLargeFiles(root: string, paths: readonly string[], limit: number): string[] {
  return paths.filter((path) => {
    try {
      return (fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false })?.size ?? 0) > limit;
    } catch {
      return false; // The reader of the file reports what is wrong with it.
    }
  });
}
