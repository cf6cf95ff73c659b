import path from 'node:path';
import type { SourceFiles } from '../documents/source-files.ts';
import type { Server } from './server-table.ts';

/**
 * Returns the directory in which a server works for a file, relative to the workspace and never above it: the nearest
 * with a marker of the first group that is found anywhere, the outermost if the server wants that, else the whole
 * workspace.
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

/** Returns a directory and all above it, up to `.`. */
function upward(directory: string): string[] {
  const found = [directory];
  for (let at = directory; at !== '.'; ) {
    at = path.posix.dirname(at);
    found.push(at);
  }
  return found;
}
