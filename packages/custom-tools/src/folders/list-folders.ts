import fs from 'node:fs';
import path from 'node:path';
import { openToRead } from '@jinn/workspace';

/** Systems limit how much a user may watch. */
const MAX_WATCHED = 256;

/** An editor or an installer changes several files at once. */
const QUIET_MS = 80;

/** The definition files, the one that counts first. */
const DEFINITIONS = ['tool.md', 'tool.json'] as const;
/** A file that changed this recently may change again without a later time. */
const SETTLING_MS = 100;

/** A directory that may define a tool. */
export interface ToolFolder {
  /** Its name in the directory of all tools. */
  readonly name: string;
  /** Its absolute path. A link is not resolved. */
  readonly path: string;
  /** The name of its definition file, or undefined if it has none. */
  readonly file: (typeof DEFINITIONS)[number] | undefined;
  /** Differs after every change of the definition. Undefined while another change could look the same. */
  readonly stat: string | undefined;
}

/**
 * Lists the folders in a directory, by name. Links to directories count unless `followsLinks` is false. Names that start
 * with a dot are omitted: folders are installed under such names. Returns none if the directory is missing.
 */
export function listFolders(directory: string, { followsLinks }: { followsLinks: boolean }): ToolFolder[] {
  const now = Date.now();
  const entries = readNames(directory).filter(({ name }) => !name.startsWith('.'));
  return entries
    .filter((entry) => entry.isDirectory() || (followsLinks && entry.isSymbolicLink()))
    .map(({ name }) => toFolder(name, `${directory}/${name}`, now))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readNames(directory: string): fs.Dirent[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function toFolder(name: string, folder: string, now: number): ToolFolder {
  for (const file of DEFINITIONS) {
    const stat = statOf(`${folder}/${file}`);
    if (stat) return { name, path: folder, file, stat: toKey(now, stat) };
  }
  return { name, path: folder, file: undefined, stat: undefined };
}

function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // It cannot be reached, so it defines nothing.
  }
}

function toKey(now: number, { dev, ino, size, mtimeMs, ctimeMs }: fs.Stats): string | undefined {
  return now - ctimeMs < SETTLING_MS ? undefined : `${dev}.${ino}.${size}.${mtimeMs}.${ctimeMs}`;
}

/**
 * Reads a regular file of at most `maxBytes` as UTF-8. It never waits for a FIFO. Throws an Error whose message names
 * the fault, without a path.
 */
export function readSmallFile(file: string, maxBytes: number): string {
  let fd: number;
  try {
    fd = openToRead(file, { followsLinks: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? 'it is missing' : `it cannot be read (${code})`, { cause: error });
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new Error('it is not a regular file');
    if (stat.size > maxBytes) throw new Error(`it is larger than ${Math.floor(maxBytes / 1024)} KiB`);
    const bytes = Buffer.allocUnsafe(stat.size);
    const text = bytes.subarray(0, fs.readSync(fd, bytes));
    if (!process.getBuiltinModule('node:buffer').isUtf8(text)) throw new Error('it is not UTF-8 text');
    return text.toString();
  } finally {
    fs.closeSync(fd);
  }
}

/** A file of a folder by its real path, or the fault of the path. */
export type InsideFile = { readonly path: string; readonly isExecutable: boolean } | { readonly problem: string };

/** Finds a regular file of a folder. Links are followed, and the file must be in the folder as resolved. */
export function resolveInside(folder: string, relative: string): InsideFile {
  if (relative.includes('\0')) return { problem: 'it holds a NUL character' };
  if (path.isAbsolute(relative)) return { problem: 'it is an absolute path: it must be relative to the folder' };
  // Security: `sub/../../x` leaves the folder although it starts inside.
  if (relative.split('/').includes('..')) return { problem: 'it leaves the folder of the tool' };
  try {
    const root = fs.realpathSync.native(folder);
    const real = fs.realpathSync.native(`${folder}/${relative}`);
    if (!real.startsWith(`${root}/`)) return { problem: 'it leaves the folder of the tool' };
    const stat = fs.statSync(real);
    if (!stat.isFile()) return { problem: 'it is not a regular file' };
    return { path: real, isExecutable: (stat.mode & 0o111) !== 0 };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      problem: code === 'ENOENT' || code === 'ENOTDIR' ? `there is no file ${relative}` : `it cannot be read (${code})`,
    };
  }
}

/**
 * Calls back some time after something changed in one of these directories or in a folder directly below. A missing
 * directory is awaited in the nearest directory above it. If the system watches nothing, nothing happens. Returns a
 * function that ends the watch. The watch does not keep the process alive.
 */
export function watchFolders(directories: readonly string[], onChange: () => void): () => void {
  let watchers: fs.FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  function notify(): void {
    if (hasEnded) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      restart();
      onChange();
    }, QUIET_MS).unref();
  }
  function stop(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }
  function restart(): void {
    stop();
    if (hasEnded) return;
    watchers = directories
      .flatMap(placesOf)
      .slice(0, MAX_WATCHED)
      .flatMap((place) => watch(place, notify));
  }
  restart();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    stop();
  };
}

function placesOf(directory: string): string[] {
  try {
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return [directory, ...folders.map(({ name }) => `${directory}/${name}`)];
  } catch {
    const above = path.dirname(directory);
    return fs.existsSync(above) || above === '/' ? [above] : placesOf(above).slice(0, 1);
  }
}

function watch(place: string, onChange: () => void): fs.FSWatcher[] {
  try {
    return [fs.watch(place, { persistent: false }, onChange).on('error', () => {})];
  } catch {
    return []; // It is gone, or the system watches nothing more. The next look finds the change.
  }
}
