import fs from 'node:fs';
import { OpenFile } from './open-file.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** As much as a command may write before it is stopped (docs/shell.md). */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const SPILL_NAME = /^([\w.-]{1,64}\.[0-9a-z]{16}\.txt|[\w.-]{1,64}-[0-9a-z]{16}\.log)$/;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Where output that does not fit an answer is kept (design section 4): private, bounded, pruned by age. */
export interface Spill {
  /** Saves chunks, at most 16 MiB of them. Gives the absolute path, or undefined when there is nowhere to save. */
  save(label: string, chunks: Iterable<Uint8Array>): string | undefined;
  /** Begins a file that grows while a command runs; undefined when there is nowhere to save. */
  openLog(label: string): SpillLog | undefined;
  /**
   * Opens a file that jinn saved, by exactly the path that `save` or `openLog` gave; undefined for any other path. Throws
   * `not_a_file` when something else took its place.
   */
  open(path: string): OpenFile | undefined;
}

export interface SpillLog {
  readonly path: string;
  /** Appends, up to 64 MiB in all. What the disk does not take is lost, and nothing else. */
  write(chunk: Uint8Array): void;
  close(): void;
}

/** `directory` is made when first needed; undefined (no home) keeps nothing. */
export function createSpill(directory: string | undefined): Spill {
  if (directory === undefined) return { save: () => undefined, openLog: () => undefined, open: () => undefined };
  /** A full disk or a read-only home costs what is spilled, never the answer. */
  function keep<T>(room: number, create: () => T): T | undefined {
    try {
      fs.mkdirSync(directory as string, { recursive: true, mode: 0o700 });
      prune(directory as string, room);
      return create();
    } catch {
      return undefined;
    }
  }
  return {
    save: (label, chunks) =>
      keep(MAX_FILE_BYTES, () => write(`${directory}/${safeName(label)}.${randomName()}.txt`, chunks)),
    openLog: (label) => keep(MAX_LOG_BYTES, () => openLog(`${directory}/${safeName(label)}-${randomName()}.log`)),
    open: (path) => {
      const name = path.slice(directory.length + 1);
      return path === `${directory}/${name}` && SPILL_NAME.test(name) ? openOwn(path) : undefined;
    },
  };
}

function write(path: string, chunks: Iterable<Uint8Array>): string {
  const fd = create(path);
  try {
    let room = MAX_FILE_BYTES;
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
  return {
    path,
    write: (chunk) => {
      const part = chunk.subarray(0, room);
      room -= part.length;
      try {
        for (let at = 0; at < part.length; ) at += fs.writeSync(fd, part, at);
      } catch {
        room = 0;
      }
    },
    close: () => fs.closeSync(fd),
  };
}

function create(path: string): number {
  return fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/** Security: opens only what looks written by us: our own plain file, closed to others, with no second name. */
function openOwn(path: string): OpenFile | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  const { uid, mode, nlink } = fs.fstatSync(fd);
  if (uid === process.getuid?.() && (mode & 0o077) === 0 && nlink === 1) return OpenFile.adopt(fd, path, path);
  fs.closeSync(fd);
  return undefined;
}

/** Removes what is old, then the oldest until the rest and a new file of `room` bytes fit. */
function prune(directory: string, room: number): void {
  const files = fs.readdirSync(directory).filter((name) => SPILL_NAME.test(name));
  const found = files.map((name) => ({ path: `${directory}/${name}`, ...ageAndSize(`${directory}/${name}`) }));
  let total = room;
  for (const { path, mtimeMs, size } of found.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    total += size;
    if (total > MAX_TOTAL_BYTES || Date.now() - mtimeMs > MAX_AGE_MS) remove(path);
  }
}

function remove(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // A directory, or closed to us: not ours, and no reason to keep nothing any more.
  }
}

function ageAndSize(path: string): { mtimeMs: number; size: number } {
  return fs.lstatSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
}

function safeName(label: string): string {
  return label.replace(/[^\w.-]/g, '_').slice(-64) || 'output';
}

/** Unique is enough: the directory is closed to others, and the file is made with O_EXCL. */
function randomName(): string {
  const digits = () =>
    Math.floor(Math.random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0');
  return digits() + digits();
}
