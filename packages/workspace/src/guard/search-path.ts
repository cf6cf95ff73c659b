import fs from 'node:fs';
import path from 'node:path';

/** The PATH when nothing is left of another: an empty one would mean the working directory. */
const PLAIN = '/usr/local/bin:/usr/bin:/bin';

/**
 * Returns variables for programs that jinn runs by itself: their PATH has no relative directory, and none that lies in
 * the workspace, as written or as resolved. Security: `npx`, `direnv` and others put directories of the workspace first,
 * where anything may be called `git`.
 */
export function withOwnPath<T extends { readonly PATH?: string | undefined }>(environment: T, root: string): T {
  const entries = (environment.PATH ?? '').split(path.delimiter);
  const outside = entries.filter((entry) => path.isAbsolute(entry) && !isIn(root, entry));
  return { ...environment, PATH: outside.join(path.delimiter) || PLAIN };
}

function isIn(root: string, entry: string): boolean {
  return [path.resolve(entry), resolveExisting(path.resolve(entry))].some(
    (directory) => directory === root || directory.startsWith(root === '/' ? root : `${root}/`),
  );
}

/** Resolves the part of a path that exists: what is missing in the workspace may be made later. */
function resolveExisting(entry: string): string {
  try {
    return fs.realpathSync.native(entry);
  } catch {
    const above = path.dirname(entry);
    return above === entry ? entry : path.join(resolveExisting(above), path.basename(entry));
  }
}
