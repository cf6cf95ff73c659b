import fs from 'node:fs';
import { OpenFile } from './inode.ts';
import { versionOf } from './mutate/read-records.ts';
import { openToRead } from './regular-file.ts';
import { makePrivateDirectory } from './user-files.ts';

/** The beginning of the URI of a kept file as a resource of MCP; the name of the file follows. */
export const RESULTS_URI = 'jinn://results/';

/** A longer file is cut. */
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
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/**
 * Private files for output that does not fit into an answer, for the calls of one workspace. They are bounded in size, and
 * pruned by age.
 */
export interface Spill {
  /** The directory of the files, which holds nothing else; undefined if nothing can be saved. It may be missing. */
  readonly directory: string | undefined;
  /** Saves chunks, at most 16 MiB of them. Returns the absolute path, or undefined if nothing can be saved. */
  save(label: string, chunks: Iterable<Uint8Array>): string | undefined;
  /** Begins a file that grows while a command runs; undefined if nothing can be saved. */
  openLog(label: string): SpillLog | undefined;
  /** Reports whether `save` or `openLog` may have returned this path. */
  isName(path: string): boolean;
  /**
   * Opens a file that jinn saved, by exactly the path that `save` or `openLog` returned; undefined for any other path.
   * Throws `not_a_file` if it is not a regular file any more.
   */
  open(path: string): OpenFile | undefined;
  /** Removes a file that `save` or `openLog` made, by exactly its path; does nothing for any other path. */
  remove(path: string): void;
  readonly records: SpillRecords;
}

/**
 * Small private files by names that the caller chooses, for the next process to find. A name consists of letters, digits,
 * `_` and `-`, at most 100 of them.
 */
export interface SpillRecords {
  /** Writes a record of at most 64 KiB, or replaces it as a whole. Returns false if it cannot be kept. */
  put(name: string, content: string): boolean;
  /** Reads a record; undefined if there is no such record. */
  get(name: string): string | undefined;
  /** Returns true for the one caller that removed it. */
  remove(name: string): boolean;
}

export interface SpillLog {
  readonly path: string;
  /** Appends a chunk, up to 64 MiB in all. Returns false if the disk does not take it; the file is removed then. */
  write(chunk: Uint8Array): boolean;
  close(): void;
}

/**
 * Opens the kept files of the workspace `root` and, beside them, the records of all workspaces. `cache` is made when it
 * is first needed; if it is undefined (no home), nothing is saved.
 */
export function createSpill(cache: string | undefined, root: string): Spill {
  if (cache === undefined) return NO_SPILL;
  const directory = `${cache}/outputs/${versionOf(Buffer.from(root))}`;
  /** Saves chunks. Returns undefined on a full disk or in a read-only home: only the spill is lost, not the answer. */
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
      keep(MAX_SPILL_BYTES, () => write(`${directory}/${safeName(label)}.${randomName()}.txt`, chunks)),
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

/**
 * Returns the path of a record. Security: refuses a name with a path in it, since part of the name may come from a
 * request.
 */
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
    write(temp, [bytes]);
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

function write(path: string, chunks: Iterable<Uint8Array>): string {
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

/**
 * Opens a file of the spill. Security: opens only a file that we can have written: our own, regular, closed to others,
 * without a second name.
 */
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

/**
 * Removes old files of all workspaces, and then the oldest ones until the others and a new file of `room` bytes fit, in size
 * and number.
 */
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

/**
 * Removes a file. Returns false if it is gone already, or stays because it is a directory or not ours. New files are
 * saved all the same.
 */
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

/**
 * Makes a random name. It only has to be unique: the directory is closed to others, and the file is made with O_EXCL.
 */
function randomName(): string {
  const digits = () =>
    Math.floor(Math.random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0');
  return digits() + digits();
}
