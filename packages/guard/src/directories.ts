import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/errors';

type Variables = Readonly<Record<string, string | undefined>>;

/** The directories of jinn's own files; undefined if there is no home. */
export interface Directories {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/**
 * Finds the directories by the environment and the user's home. The state is in `jinn` below JINN_CONFIG_DIR, or else
 * XDG_CONFIG_HOME, or else `~/.config`; the cache is in `jinn` below XDG_CACHE_HOME, or else `~/.cache`. Throws
 * `invalid_args` for a relative JINN_CONFIG_DIR: it would depend on the directory that jinn is started in.
 */
export function findDirectories(env: Variables, home?: string): Directories {
  return { state: findStateDirectory(env, home), cache: findCacheDirectory(env, home) };
}

/** Returns the cache directory that findDirectories gives. */
export function findCacheDirectory(env: Variables, home?: string): string | undefined {
  return below(absolute(env['XDG_CACHE_HOME']) ?? below(absolute(home), '.cache'), 'jinn');
}

function findStateDirectory(env: Variables, home?: string): string | undefined {
  const own = env['JINN_CONFIG_DIR'];
  if (own) return below(withHome(own, home), 'jinn');
  return below(absolute(env['XDG_CONFIG_HOME']) ?? below(absolute(home), '.config'), 'jinn');
}

/** Replaces `~`. Hosts pass it on from their settings, where no shell replaces it. */
function withHome(asked: string, home: string | undefined): string {
  const isBelowHome = asked === '~' || asked.startsWith('~/');
  const found = absolute(isBelowHome && home ? `${home}${asked.slice(1)}` : asked);
  if (found !== undefined) return found;
  throw new ToolError(
    'invalid_args',
    `JINN_CONFIG_DIR is not an absolute path: ${JSON.stringify(asked.slice(0, 200))}`,
    {
      suggestion: 'set it to a path that begins with / or ~/, or unset it for ~/.config',
    },
  );
}

/** Ignores relative paths, which are invalid by the XDG Base Directory Specification. */
function absolute(asked: string | undefined): string | undefined {
  return asked && path.isAbsolute(asked) ? asked : undefined;
}

function below(directory: string | undefined, name: string): string | undefined {
  return directory && `${directory}/${name}`;
}

/**
 * Makes a directory that is closed to others (0700), and the missing ones above it. Throws the system's own error.
 * Node's recursive `mkdir` does not end where a parent exists but refuses new entries with ENOENT, as /proc does.
 */
export function makePrivateDirectory(directory: string): void {
  if (isDirectory(directory) || tryMake(directory)) return;
  makePrivateDirectory(path.dirname(directory));
  if (!isDirectory(directory)) makeOne(directory);
}

function isDirectory(directory: string): boolean {
  return fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Returns false if the parent is missing, or seems to be. */
function tryMake(directory: string): boolean {
  try {
    makeOne(directory);
    return true;
  } catch (error) {
    const isRoot = path.dirname(directory) === directory;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !isRoot) return false;
    throw error;
  }
}

function makeOne(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(directory)) throw error;
  }
}

/**
 * Returns the directory for the locks of files: the given one, which it makes if it is missing. If that cannot be written
 * (a read-only or full disk, no home), it returns a private one of this user in the directory for temporary files. Throws
 * `write_failed` if neither can be written. Every process of a user that has the same state directory and TMPDIR gets the
 * same one.
 */
export function findLockDirectory(preferred: string | undefined): string {
  if (preferred !== undefined && isWritable(preferred)) return preferred;
  const { tmpdir, userInfo } = process.getBuiltinModule('node:os');
  const uid = process.getuid?.() ?? userInfo().username;
  const fallback = `${tmpdir()}/jinn-locks-${uid}`;
  if (isWritable(fallback) && isOwn(fallback)) return fallback;
  throw new ToolError(
    'write_failed',
    'jinn can write neither to its state directory nor to a temporary one for locks',
    {
      suggestion: 'set JINN_CONFIG_DIR or TMPDIR to a directory that jinn can write to',
    },
  );
}

function isWritable(directory: string): boolean {
  if (isOpenToUs(directory)) return true;
  try {
    makePrivateDirectory(directory);
  } catch {
    return false;
  }
  return isOpenToUs(directory);
}

function isOpenToUs(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reports whether a directory is ours and closed to others. Security: where everybody may write, another user could
 * have made the directory, and then hold or remove our locks.
 */
function isOwn(directory: string): boolean {
  const stat = fs.lstatSync(directory);
  return stat.isDirectory() && (stat.mode & 0o077) === 0 && stat.uid === (process.getuid?.() ?? stat.uid);
}
