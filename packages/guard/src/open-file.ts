import fs from 'node:fs';
import { ToolError } from '@jinn/errors';
import type { Inode } from './inode.ts';

/** The stat of a file when it was read. Any difference later means that the file changed. */
export interface FileStat {
  readonly mtimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

/** A regular file that is open for reading. It is only reached by its descriptor, never by its name. */
export class OpenFile {
  /** The path below the workspace root, links resolved; absolute for a file that jinn keeps of a long answer. */
  readonly path: string;
  /** Size in bytes when it was opened. */
  readonly size: number;
  readonly #fd: number;
  #stat: FileStat | undefined;

  private constructor(path: string, fd: number, size: number, stat?: FileStat) {
    this.path = path;
    this.size = size;
    this.#fd = fd;
    this.#stat = stat;
  }

  /** The stat when the file was opened, or when this is first asked for if it was adopted without one. */
  get stat(): FileStat {
    this.#stat ??= toFileStat(fs.fstatSync(this.#fd, { bigint: true }));
    return this.#stat;
  }

  /** Opens what `inode` holds. Directories, FIFOs, sockets and devices are refused before they are opened. */
  static open(inode: Inode, path: string, asked: string): OpenFile {
    if (inode.kind !== 'file') throw notAFile(inode, asked);
    return OpenFile.adopt(inode.open(), path, asked);
  }

  /** Takes over a descriptor, and closes it if it is not of a regular file. */
  static adopt(fd: number, path: string, asked: string): OpenFile {
    const stat = fs.fstatSync(fd, { bigint: true });
    if (stat.isFile()) return new OpenFile(path, fd, Number(stat.size), toFileStat(stat));
    fs.closeSync(fd);
    throw notRegular(asked);
  }

  /** Takes over a descriptor like `adopt`, without a stat, which costs more than all else about a small file. */
  static adoptWithoutStat(fd: number, path: string): OpenFile {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return new OpenFile(path, fd, stat.size);
    fs.closeSync(fd);
    throw notRegular(path);
  }

  /** True for a file that jinn keeps of a long answer. No tool changes it. */
  get isKept(): boolean {
    return this.path.startsWith('/');
  }

  /** Fills `target` from `position` on. Returns the number of bytes read, which is less than its length only at the end. */
  read(target: Uint8Array, position: number): number {
    let filled = 0;
    while (filled < target.length) {
      const count = fs.readSync(this.#fd, target, filled, target.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  /** Reads the bytes of a range, cut at the end of the file. */
  slice(start: number, end: number): Buffer {
    const target = Buffer.allocUnsafe(Math.max(0, end - start));
    return target.subarray(0, this.read(target, start));
  }

  /** Reports whether the file has not changed since it was opened. */
  isUnchanged(): boolean {
    return isSameStat(this.stat, toFileStat(fs.fstatSync(this.#fd, { bigint: true })));
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

export function isSameStat(a: FileStat, b: FileStat): boolean {
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino;
}

export function toFileStat({ mtimeNs, size, ino }: fs.BigIntStats): FileStat {
  return { mtimeNs, size, ino };
}

export function notAFile(inode: Inode, asked: string): ToolError {
  if (inode.kind === 'directory') {
    return new ToolError('not_a_file', `${asked} is a directory`, { suggestion: 'use list_dir to see what it holds' });
  }
  return notRegular(asked);
}

function notRegular(asked: string): ToolError {
  return new ToolError('not_a_file', `not a regular file: ${asked}`, { suggestion: 'use stat_file to see what it is' });
}
