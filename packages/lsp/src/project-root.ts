import path from 'node:path';
import type { Server } from './server-table.ts';
import type { SourceFiles } from './source-files.ts';

/**
 * The directory that a server is to serve for a file, relative to the workspace and never above it: the nearest with a
 * marker of the first group that is found anywhere, the outermost where the server wants that, else the whole workspace.
 */
export function projectRoot(
  { roots = [], outermostRoot = false }: Pick<Server, 'roots' | 'outermostRoot'>,
  file: string,
  hasAny: SourceFiles['hasAny'],
): string {
  const directories = upward(path.posix.dirname(file));
  if (outermostRoot) directories.reverse();
  for (const group of roots) {
    const found = directories.find((directory) => hasAny(directory, group));
    if (found !== undefined) return found;
  }
  return '.';
}

/** A directory and all above it, down to `.`. */
function upward(directory: string): string[] {
  const found = [directory];
  for (let at = directory; at !== '.'; ) {
    at = path.posix.dirname(at);
    found.push(at);
  }
  return found;
}
