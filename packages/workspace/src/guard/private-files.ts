import fs from 'node:fs';
import path from 'node:path';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { openToRead } from './inode.ts';

/** All systems take a path of this length for a socket. */
export const MAX_SOCKET_PATH = 100;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const MIB = 1024 * 1024;
const MAX_STATE_BYTES = 64 * MIB;
const PLAIN_NAME = /^\w[\w-]*\.\w+$/;

interface ReadOptions {
  readonly maxBytes?: number;
}

export interface StateFiles {
  /** Absolute. Undefined if there is no home. No message contains it. */
  readonly directory: string | undefined;
  /** Returns undefined if the file is missing. Throws ToolError if it is not a readable regular file, or too large. */
  read(name: string, options?: ReadOptions): Buffer | undefined;
  /** Replaces a file as a whole, closed to others (0600). Throws `write_failed` or `permission_denied`. */
  write(name: string, content: string | Uint8Array): void;
}

/** Opens access to the files of a directory, which is made, closed to others, at the first write. */
export function createStateFiles(directory: string | undefined): StateFiles {
  return {
    directory,
    read: (name, { maxBytes = MAX_STATE_BYTES } = {}) =>
      directory === undefined ? undefined : read(`${directory}/${plain(name)}`, name, maxBytes),
    write: (name, content) => {
      try {
        if (directory === undefined) throw new Error('neither JINN_CONFIG_DIR nor HOME is set');
        makePrivateDirectory(directory);
        write(`${directory}/${plain(name)}`, content);
      } catch (error) {
        throw directory === undefined ? noHome(name, error) : fromWriteError(error, name);
      }
    },
  };
}

/** Never waits: a FIFO is opened without blocking, and refused. Links are followed, since the user made them. */
function read(path: string, name: string, maxBytes = MAX_STATE_BYTES): Buffer | undefined {
  let fd: number;
  try {
    fd = openToRead(path, { followsLinks: true });
  } catch (cause) {
    if (/^(ENOENT|ENOTDIR)$/.test((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new ToolError('permission_denied', `${name} cannot be read`, { cause });
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new ToolError('not_a_file', `${name} is not a regular file`);
    if (stat.size > maxBytes) throw new ToolError('file_too_large', `${name} is larger than ${maxBytes / MIB} MiB`);
    const content = Buffer.allocUnsafe(stat.size);
    return content.subarray(0, fs.readSync(fd, content));
  } finally {
    fs.closeSync(fd);
  }
}

/** Not synced: readers check the file, and rebuild it if a power loss damaged it. */
function write(path: string, content: string | Uint8Array): void {
  const temp = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const fd = fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      fs.writeFileSync(fd, content);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temp, path);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw error;
  }
}

/** Security: refuses a name with a path in it, since part of the name may come from a request. */
function plain(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  throw new ToolError('invalid_args', `not the name of a state file: ${name.slice(0, 100)}`);
}

function noHome(name: string, cause: unknown): ToolError {
  return new ToolError('write_failed', `there is no directory for ${name}`, {
    suggestion: 'set JINN_CONFIG_DIR or HOME for jinn',
    cause,
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The directories of jinn's own files, or undefined if there is no home. */
export interface Directories {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/**
 * Finds the directories: `jinn` below JINN_CONFIG_DIR, XDG_CONFIG_HOME or `~/.config`, and below XDG_CACHE_HOME or
 * `~/.cache`. Throws `invalid_args` for a relative JINN_CONFIG_DIR: it would depend on the directory that jinn is
 * started in.
 */
export function findDirectories(env: Variables, home?: string): Directories {
  return { state: findStateDirectory(env, home), cache: findCacheDirectory(env, home) };
}

/** Returns the cache directory of findDirectories. */
export function findCacheDirectory(env: Variables, home?: string): string | undefined {
  return below(absolute(env['XDG_CACHE_HOME']) ?? below(absolute(home), '.cache'), 'jinn');
}

function findStateDirectory(env: Variables, home?: string): string | undefined {
  const own = env['JINN_CONFIG_DIR'];
  if (own) return below(withHome(own, home), 'jinn');
  return below(absolute(env['XDG_CONFIG_HOME']) ?? below(absolute(home), '.config'), 'jinn');
}

/** Hosts pass `~` on from their settings, which no shell reads. */
function withHome(asked: string, home: string | undefined): string {
  const isBelowHome = asked === '~' || asked.startsWith('~/');
  const found = absolute(isBelowHome && home ? `${home}${asked.slice(1)}` : asked);
  if (found !== undefined) return found;
  throw new ToolError(
    'invalid_args',
    `JINN_CONFIG_DIR is not an absolute path: ${JSON.stringify(asked.slice(0, 200))}`,
    {
      suggestion: 'set it to a path that starts with / or ~/, or unset it for ~/.config',
    },
  );
}

/** Relative paths are invalid by the XDG Base Directory Specification and are ignored. */
function absolute(asked: string | undefined): string | undefined {
  return asked && path.isAbsolute(asked) ? asked : undefined;
}

function below(directory: string | undefined, name: string): string | undefined {
  return directory && `${directory}/${name}`;
}

/**
 * Reports whether calls may have to be recorded: the page has left its mark, or config.json mentions the journal. Every
 * call asks this, so it takes microseconds. The journal reads the settings only when it records.
 */
export function mayRecord({ state, cache }: Directories): boolean {
  if (cache === undefined) return false;
  if (fs.existsSync(`${cache}/journal/live`)) return true;
  const config = `${state}/config.json`;
  return state !== undefined && fs.existsSync(config) && readIfThere(config).includes('"journal"');
}

function readIfThere(file: string): string {
  try {
    return read(file, '')?.toString() ?? '';
  } catch {
    return '';
  }
}

/**
 * Makes a directory that is closed to others (0700), and those above it. Throws the system's own error. Node's
 * recursive `mkdir` does not end if a parent exists but refuses new entries with ENOENT, as /proc does.
 */
export function makePrivateDirectory(directory: string): void {
  if (isDirectory(directory) || tryMake(directory)) return;
  makePrivateDirectory(path.dirname(directory));
  if (!isDirectory(directory)) makeOne(directory);
}

/** Makes a directory closed to others, and reports whether it is the user's. Security: others could answer there. */
export function makeOwnDirectory(directory: string): boolean {
  try {
    makePrivateDirectory(directory);
    const stat = fs.lstatSync(directory);
    return stat.isDirectory() && stat.uid === process.geteuid?.() && (stat.mode & 0o077) === 0;
  } catch {
    return false;
  }
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
 * Returns a directory for the locks of files: the given one, or, if that cannot be written, a private one in the
 * directory for temporary files. It is the same for every process of a user that has the same state directory and
 * TMPDIR. Throws `write_failed`.
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

/** Security: elsewhere, another user could have made the directory, and then hold or remove our locks. */
function isOwn(directory: string): boolean {
  const stat = fs.lstatSync(directory);
  return stat.isDirectory() && (stat.mode & 0o077) === 0 && stat.uid === (process.getuid?.() ?? stat.uid);
}

/** An empty PATH would mean the working directory. */
const PLAIN = '/usr/local/bin:/usr/bin:/bin';

/**
 * Returns variables for programs that jinn runs by itself: their PATH has no relative directory, and none in the
 * workspace. Security: `npx`, `direnv` and others put directories of the workspace first, where anything may be called
 * `git`.
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

/** The missing part of a path may be made later. */
function resolveExisting(entry: string): string {
  try {
    return fs.realpathSync.native(entry);
  } catch {
    const above = path.dirname(entry);
    return above === entry ? entry : path.join(resolveExisting(above), path.basename(entry));
  }
}
