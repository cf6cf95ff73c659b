import fs from 'node:fs';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export interface OpenOptions {
  readonly followsLinks?: boolean;
}

/** Opens an entry to read it, without waiting for the writer of a FIFO. Throws the system's error. */
export function openToRead(path: fs.PathLike, { followsLinks = false }: OpenOptions = {}): number {
  return fs.openSync(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW));
}

/**
 * Reads a small file by its path, past the guard; undefined if it is no regular file, or has more than `maxBytes`.
 * Never waits, and reads no more than the file had when it was opened.
 */
export function readRegular(path: fs.PathLike, maxBytes: number, options: OpenOptions = {}): Buffer | undefined {
  return withRegular(path, options, (fd, size) => (size <= maxBytes ? readBytes(fd, size) : undefined));
}

/** Reads the first bytes of a regular file of any size, in the same way. */
export function readStart(path: fs.PathLike, bytes: number, options: OpenOptions = {}): Buffer | undefined {
  return withRegular(path, options, (fd, size) => readBytes(fd, Math.min(size, bytes)));
}

function withRegular<T>(path: fs.PathLike, options: OpenOptions, read: (fd: number, size: number) => T): T | undefined {
  try {
    // Throwing and catching an error would take longer, and a device is never opened.
    const stat = options.followsLinks ? fs.statSync : fs.lstatSync;
    if (!stat(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    const fd = openToRead(path, options);
    try {
      const now = fs.fstatSync(fd);
      return now.isFile() ? read(fd, now.size) : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function readBytes(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < size; filled += count) {
    count = fs.readSync(fd, bytes, filled, size - filled, null);
  }
  return bytes.subarray(0, filled);
}
