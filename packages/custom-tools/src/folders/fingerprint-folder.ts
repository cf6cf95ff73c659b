import fs from 'node:fs';
import path from 'node:path';
import { openToRead } from '@jinn/workspace';

interface FolderEntry {
  /** Its path from the folder. */
  readonly name: string;
  /** The stat. For a link, that of the link itself. */
  readonly stat: fs.BigIntStats;
}

interface FolderContent {
  readonly files: number;
  /** The links that leave the folder, with where they lead. */
  readonly linksOut: readonly string[];
}

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** A file that changed this recently may change again without a later time. */
const SETTLING_MS = 100;
const SHOWN = 12;

/** Hashes of file contents by the stat of the file. */
const hashes = new Map<string, string>();
const MAX_HASHES = 50_000;

/** How much may still be hashed. */
export interface HashRoom {
  files: number;
  bytes: number;
}

/** Returns room for 20,000 entries of 256 MiB. */
export function createRoom(): HashRoom {
  return { files: MAX_FILES, bytes: MAX_BYTES };
}

/**
 * Returns a hash of everything in a folder: names, contents, link targets and whether files are executable. Returns
 * undefined for a folder that does not fit into the room, or cannot be read.
 */
export function fingerprintFolder(folder: string, room: HashRoom = createRoom()): string | undefined {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const whole = createHash('sha256');
  try {
    for (const line of describe(fs.realpathSync.native(folder), room)) whole.update(`${line}\n`);
    return whole.digest('hex');
  } catch {
    return undefined;
  }
}

/** Returns the part of a fingerprint that the user is shown. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, SHOWN);
}

function* describe(root: string, room: HashRoom): Generator<string> {
  for (const { name, stat } of folderEntries(root)) {
    if (--room.files < 0) throw new RangeError('too many entries');
    if (stat.isDirectory()) yield JSON.stringify([name, 'directory']);
    else if (stat.isSymbolicLink()) yield JSON.stringify([name, 'link', linkTargetOf(root, name)]);
    else if (stat.isFile()) yield JSON.stringify([name, ...describeFile(`${root}/${name}`, stat, room)]);
    else yield JSON.stringify([name, 'other']);
  }
}

/** Describes whether a file is a program, and its hash. Throws if it does not fit into the room. */
export function describeFile(
  file: string,
  stat: fs.BigIntStats,
  room: HashRoom,
): readonly [kind: string, hash: string] {
  room.bytes -= Number(stat.size);
  if (room.bytes < 0) throw new RangeError('too large');
  return [isProgram(stat) ? 'program' : 'file', hashOf(file, stat)];
}

/** Reports whether anyone may run a file. */
export function isProgram({ mode }: fs.BigIntStats): boolean {
  return (mode & 0o111n) !== 0n;
}

function hashOf(file: string, { dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: fs.BigIntStats): string {
  const key = `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const chunk of readChunks(file)) hash.update(chunk);
  const digest = hash.digest('hex');
  if (hashes.size >= MAX_HASHES) hashes.clear();
  if (Date.now() - Number(ctimeMs) >= SETTLING_MS) hashes.set(key, digest);
  return digest;
}

/**
 * Reads a file piece by piece. Each piece is valid until the next one. It never waits for a FIFO and follows no link.
 */
export function* readChunks(file: string): Generator<Buffer> {
  const fd = openToRead(file);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let count = fs.readSync(fd, buffer); count > 0; count = fs.readSync(fd, buffer)) {
      yield buffer.subarray(0, count);
    }
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Yields all entries of a folder in the order of their names, a directory before its content. Links are not followed.
 */
export function* folderEntries(root: string, below = ''): Generator<FolderEntry> {
  for (const entry of fs.readdirSync(`${root}/${below}`).sort()) {
    const name = below === '' ? entry : `${below}/${entry}`;
    const stat = fs.lstatSync(`${root}/${name}`, { bigint: true });
    yield { name, stat };
    if (stat.isDirectory()) yield* folderEntries(root, name);
  }
}

/**
 * Returns the target of a link of a folder: as it is written if it stays in the folder, otherwise as an absolute path, so
 * that it leads there from a copy too. Security: `a/../..` may lead anywhere, since `a` may be a link.
 */
export function linkTargetOf(root: string, name: string): string {
  const target = fs.readlinkSync(`${root}/${name}`);
  if (path.isAbsolute(target)) return target;
  const directory = path.posix.dirname(name);
  const resolved = path.posix.join(directory, target);
  const [, later = ''] = /^(?:\.{1,2}(?:\/+|$))*(.*)$/s.exec(target) ?? [];
  const isInside = resolved !== '..' && !resolved.startsWith('../') && !later.split('/').includes('..');
  return isInside ? target : `${root}/${directory}/${target}`;
}

/** Counts the files of a folder, and finds the links that leave it. */
export function describeFolder(folder: string): FolderContent {
  const root = fs.realpathSync.native(folder);
  const entries = [...folderEntries(root)].filter(({ stat }) => !stat.isDirectory());
  const links = entries.filter(({ stat }) => stat.isSymbolicLink());
  const targets = links.map(({ name }) => [name, linkTargetOf(root, name)] as const);
  const linksOut = targets
    .filter(([, target]) => path.isAbsolute(target))
    .map(([name, target]) => `${name} -> ${target}`);
  return { files: entries.length, linksOut };
}
