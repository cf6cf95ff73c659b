import fs from 'node:fs';
import path from 'node:path';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { OpenFile, openToRead } from './inode.ts';
import { versionOf } from './mutate/read-records.ts';

/** All systems take a path of this length for a socket. */
export const MAX_SOCKET_PATH = 100;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const MIB = 1024 * 1024;
const MAX_STATE_BYTES = 64 * MIB;
const PLAIN_NAME = /^\w[\w-]*\.\w+$/;

export interface StateFiles {
  /** Absolute. Undefined if there is no home. No message contains it. */
  readonly directory: string | undefined;
  /** Returns undefined if the file is missing. Throws ToolError if it is not a readable regular file, or too large. */
  read(name: string, options?: { readonly maxBytes?: number }): Buffer | undefined;
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
    { suggestion: 'set it to a path that starts with / or ~/, or unset it for ~/.config' },
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

/** Returns undefined if nothing is there, or if it has no path, such as a pipe. */
export function realPathIfThere(path: string): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Reports whether a path is a place or is in it. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

/** Returns the real path of what may be missing: that of the nearest directory that is there, and the rest. */
export function realPathOf(file: string): string {
  const parent = path.dirname(file);
  return realPathIfThere(file) ?? (parent === file ? file : path.join(realPathOf(parent), path.basename(file)));
}

export function isDirectory(directory: string): boolean {
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

/** The name of a spilled file follows. */
export const RESULTS_URI = 'jinn://results/';

export const MAX_SPILL_BYTES = 16 * 1024 * 1024;
/** A command is stopped when it has written more (docs/shell.md). */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** The most files: pruning looks at each, so many small ones must not pile up. */
const MAX_FILES = 1_000;
const MAX_RECORD_BYTES = 64 * 1024;
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const SPILL_NAME = /^([\w.-]{1,64}\.[0-9a-z]{16}\.txt|[\w.-]{1,64}-[0-9a-z]{16}\.log)$/;
const RECORD_NAME = /^[\w-]{1,100}\.record$/;

/** Private files for output that does not fit into an answer, for one workspace, bounded in size and pruned by age. */
export interface Spill {
  /** The directory of the files, which holds nothing else, or undefined if nothing can be saved. It may be missing. */
  readonly directory: string | undefined;
  /** Saves at most 16 MiB. Returns the absolute path, or undefined if nothing can be saved. */
  save(label: string, chunks: Iterable<Uint8Array>): string | undefined;
  /** Starts a file that grows while a command runs. Undefined if nothing can be saved. */
  openLog(label: string): SpillLog | undefined;
  isName(path: string): boolean;
  /** Opens a file by exactly the path that `save` or `openLog` returned. Throws `not_a_file` for another kind. */
  open(path: string): OpenFile | undefined;
  /** Removes a file by exactly the path that `save` or `openLog` returned. */
  remove(path: string): void;
  readonly records: SpillRecords;
}

/** Small private files for the next process, by names of at most 100 letters, digits, `_` and `-`. */
export interface SpillRecords {
  /** Writes at most 64 KiB, or replaces the record as a whole. Returns false if it cannot be saved. */
  put(name: string, content: string): boolean;
  get(name: string): string | undefined;
  /** Returns true for the one caller that removed it. */
  remove(name: string): boolean;
}

export interface SpillLog {
  readonly path: string;
  /** Appends up to 64 MiB in all. Returns false if the disk does not take it. The file is removed then. */
  write(chunk: Uint8Array): boolean;
  close(): void;
}

/** Opens the spilled files of a workspace, and the records of all workspaces. Without `cache`, nothing is saved. */
export function createSpill(cache: string | undefined, root: string): Spill {
  if (cache === undefined) return NO_SPILL;
  const directory = `${cache}/outputs/${versionOf(Buffer.from(root))}`;
  /** On a full disk or in a read-only home, only the spill is lost, not the answer. */
  function keep<T>(room: number, create: () => T): T | undefined {
    try {
      makePrivateDirectory(directory);
      prune(cache as string, room);
      return create();
    } catch {
      return undefined;
    }
  }
  return {
    directory,
    save: (label, chunks) =>
      keep(MAX_SPILL_BYTES, () => writeChunks(`${directory}/${safeName(label)}.${randomName()}.txt`, chunks)),
    openLog: (label) => keep(MAX_LOG_BYTES, () => openLog(`${directory}/${safeName(label)}-${randomName()}.log`)),
    isName: (path) => isSpill(directory, path),
    open: (path) => (isSpill(directory, path) ? openOwn(path) : undefined),
    remove: (path) => {
      if (isSpill(directory, path)) remove(path);
    },
    records: {
      put: (name, content) => {
        const path = recordPath(cache, name);
        return keep(MAX_RECORD_BYTES, () => putRecord(path, content)) === true;
      },
      get: (name) => readRecord(recordPath(cache, name)),
      remove: (name) => remove(recordPath(cache, name)),
    },
  };
}

const NO_SPILL: Spill = {
  directory: undefined,
  save: () => undefined,
  openLog: () => undefined,
  isName: () => false,
  open: () => undefined,
  remove: () => {},
  records: { put: () => false, get: () => undefined, remove: () => false },
};

function isSpill(directory: string, path: string): boolean {
  const name = path.slice(directory.length + 1);
  return path === `${directory}/${name}` && SPILL_NAME.test(name);
}

/** Security: refuses a name with a path in it, since part of the name may come from a request. */
function recordPath(directory: string, name: string): string {
  const file = `${name}.record`;
  if (!RECORD_NAME.test(file)) throw new Error(`not the name of a record: ${name.slice(0, 100)}`);
  return `${directory}/${file}`;
}

function putRecord(path: string, content: string): boolean {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_RECORD_BYTES) return false;
  const temp = `${path.slice(0, path.lastIndexOf('/'))}/record.${randomName()}.txt`;
  try {
    writeChunks(temp, [bytes]);
    fs.renameSync(temp, path);
    return true;
  } catch (error) {
    remove(temp);
    throw error;
  }
}

function readRecord(path: string): string | undefined {
  const file = openOwn(path);
  try {
    return file?.slice(0, Math.min(file.size, MAX_RECORD_BYTES)).toString();
  } finally {
    file?.close();
  }
}

function writeChunks(path: string, chunks: Iterable<Uint8Array>): string {
  const fd = create(path);
  try {
    let room = MAX_SPILL_BYTES;
    for (const chunk of chunks) {
      const part = chunk.subarray(0, room);
      fs.writeSync(fd, part);
      room -= part.length;
      if (room === 0) break;
    }
    return path;
  } finally {
    fs.closeSync(fd);
  }
}

function openLog(path: string): SpillLog {
  const fd = create(path);
  let room = MAX_LOG_BYTES;
  let isOpen = true;
  function close(): void {
    if (isOpen) fs.closeSync(fd);
    isOpen = false;
  }
  return {
    path,
    write: (chunk) => {
      if (!isOpen) return false;
      const part = chunk.subarray(0, room);
      room -= part.length;
      try {
        for (let at = 0; at < part.length; ) at += fs.writeSync(fd, part, at);
      } catch {
        close();
        remove(path);
      }
      return isOpen;
    },
    close,
  };
}

function create(path: string): number {
  return fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/** Security: opens only a file that we can have written: our own, regular, closed to others, without a second name. */
function openOwn(path: string): OpenFile | undefined {
  let fd: number;
  try {
    fd = openToRead(path);
  } catch {
    return undefined;
  }
  const { uid, mode, nlink } = fs.fstatSync(fd);
  if (uid === process.getuid?.() && (mode & 0o077) === 0 && nlink === 1) return OpenFile.adopt(fd, path, path);
  fs.closeSync(fd);
  return undefined;
}

/** Removes old files of all workspaces, and then the oldest ones until a new file of `room` bytes fits. */
function prune(cache: string, room: number): void {
  const outputs = fs.readdirSync(`${cache}/outputs`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const places = ['.', ...outputs.map(({ name }) => `outputs/${name}`)];
  const files = places.flatMap((place) => namesIn(`${cache}/${place}`).map((name) => `${place}/${name}`));
  const found = files.map((name) => ({ path: `${cache}/${name}`, ...ageAndSize(`${cache}/${name}`) }));
  const youngestFirst = found.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let total = room;
  for (const [index, { path, mtimeMs, size }] of youngestFirst.entries()) {
    total += size;
    if (total > MAX_TOTAL_BYTES || index >= MAX_FILES - 1 || Date.now() - mtimeMs > MAX_AGE_MS) remove(path);
  }
}

function namesIn(directory: string): string[] {
  const names = fs.readdirSync(directory);
  return names.filter((name) => SPILL_NAME.test(name) || RECORD_NAME.test(name));
}

/** Returns false if the file is gone already, or stays because it is a directory or not ours. */
function remove(path: string): boolean {
  try {
    fs.unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function ageAndSize(path: string): { mtimeMs: number; size: number } {
  return fs.lstatSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
}

function safeName(label: string): string {
  return label.replace(/[^\w.-]/g, '_').slice(-64) || 'output';
}

/** It only has to be unique: the directory is closed to others, and the file is made with O_EXCL. */
function randomName(): string {
  const digits = () =>
    Math.floor(Math.random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0');
  return digits() + digits();
}
