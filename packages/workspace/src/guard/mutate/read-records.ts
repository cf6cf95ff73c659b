import { type FileStat, isSameStat, OpenFile } from '../inode.ts';

/** The most content of one file that a session keeps, and of all files, to show what has changed since. */
const MAX_KEPT_FILE = 1024 * 1024;
const MAX_KEPT = 8 * MAX_KEPT_FILE;

/** The stat of each file when this session last read or wrote it, so that a tool that writes can detect stale ones. */
export interface ReadRecords {
  /** Saves the stat of the file and, within bounds, its content, which is read if it is not given. */
  record(file: ReadFile, content?: Buffer): void;
  /** Returns the content of the file when it was last read or written, or undefined if that is not kept. */
  contentOf(path: string): Buffer | undefined;
  /** Reports whether the file has changed since this session read it. One that was never read is not stale. */
  isStale(file: FileRecord): boolean;
  /** Forgets a file that was deleted: a later one of that name is new. */
  forget(path: string): void;
}

interface FileRecord {
  readonly path: string;
  readonly stat: FileStat;
}

type ReadFile = OpenFile | (FileRecord & { readonly content: Buffer | undefined });

/** With `endsWithCall`, no content is kept. */
export function createReadRecords(endsWithCall: boolean): ReadRecords {
  const stats = new Map<string, FileStat>();
  const contents = new RecentContents();
  return {
    record: (file, content) => {
      stats.set(file.path, file.stat);
      contents.set(file.path, endsWithCall ? undefined : (content ?? contentIn(file)));
    },
    contentOf: (path) => contents.get(path),
    isStale: ({ path, stat }) => {
      const known = stats.get(path);
      return known !== undefined && !isSameStat(known, stat);
    },
    forget: (path) => {
      stats.delete(path);
      contents.set(path, undefined);
    },
  };
}

function contentIn(file: ReadFile): Buffer | undefined {
  if (!(file instanceof OpenFile)) return file.content;
  return file.size <= MAX_KEPT_FILE ? file.slice(0, file.size) : undefined;
}

class RecentContents {
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  get(path: string): Buffer | undefined {
    return this.#contents.get(path);
  }

  /** If the content is undefined or too large, the one before is dropped. */
  set(path: string, content: Buffer | undefined): void {
    this.#drop(path);
    if (content === undefined || content.length > MAX_KEPT_FILE) return;
    this.#contents.set(path, content);
    this.#bytes += content.length;
    for (const oldest of this.#contents.keys()) {
      if (this.#bytes <= MAX_KEPT) return;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#bytes -= this.#contents.get(path)?.length ?? 0;
    this.#contents.delete(path);
  }
}

/** Up to this many bytes in all, summing here is faster than loading node:zlib, which loads node:stream. */
const SMALL_BYTES = 16_384;
const POLYNOMIAL = 0xedb88320;

export interface VersionDigest {
  update(bytes: Uint8Array): void;
  digest(): string;
}

/**
 * Makes a digest for the version of a content: the length and the CRC-32, each in base 36. It guards against accidents,
 * in a tenth of the time of a cryptographic hash, and is no proof against forgery.
 */
export function createVersionDigest(): VersionDigest {
  let sum = 0;
  let length = 0;
  return {
    update: (bytes) => {
      sum = sumOf(bytes, sum);
      length += bytes.length;
    },
    digest: () => `${length.toString(36)}-${sum.toString(36)}`,
  };
}

/** Returns the version of a whole content. */
export function versionOf(content: Uint8Array): string {
  const digest = createVersionDigest();
  digest.update(content);
  return digest.digest();
}

let summedHere = 0;
let zlib: typeof import('node:zlib') | undefined;

function sumOf(bytes: Uint8Array, before: number): number {
  if (zlib) return zlib.crc32(bytes, before);
  summedHere += bytes.length;
  if (summedHere < SMALL_BYTES) return crc32(bytes, before);
  zlib = process.getBuiltinModule('node:zlib');
  return zlib.crc32(bytes, before);
}

let table: Uint32Array | undefined;

function crc32(bytes: Uint8Array, before: number): number {
  table ??= makeTable();
  let sum = ~before;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ (table[(sum ^ (bytes[i] as number)) & 0xff] as number);
  return ~sum >>> 0;
}

/** The CRC is linear: the CRC of a sum of powers of two is the sum of their CRCs. */
function makeTable(): Uint32Array {
  const remainders = new Uint32Array(256);
  let remainder = 1;
  for (let power = 128; power > 0; power >>= 1) {
    remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
    for (let higher = 0; higher < 256; higher += 2 * power) {
      remainders[higher + power] = remainder ^ (remainders[higher] as number);
    }
  }
  return remainders;
}
