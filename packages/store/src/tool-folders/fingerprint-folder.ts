import fs from 'node:fs';

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
export interface Room {
  files: number;
  bytes: number;
}

/** Returns room for 20,000 entries of 256 MiB. */
export function createRoom(): Room {
  return { files: MAX_FILES, bytes: MAX_BYTES };
}

/**
 * Returns a hash of all that a folder holds: names, contents, link targets and whether files are executable. Returns
 * undefined for a folder that does not fit into the room, and for one that cannot be read.
 */
export function fingerprintFolder(folder: string, room: Room = createRoom()): string | undefined {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const whole = createHash('sha256');
  try {
    for (const line of describe(fs.realpathSync.native(folder), '', room)) whole.update(`${line}\n`);
    return whole.digest('hex');
  } catch {
    return undefined;
  }
}

/** Returns as much of a fingerprint as a person is shown. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, SHOWN);
}

/** Describes each entry in one line. JSON keeps a newline in a name from looking like two entries. */
function* describe(root: string, below: string, room: Room): Generator<string> {
  const names = fs.readdirSync(`${root}/${below}`).sort();
  for (const name of names) {
    const relative = below === '' ? name : `${below}/${name}`;
    const file = `${root}/${relative}`;
    const stat = fs.lstatSync(file, { bigint: true });
    if (--room.files < 0) throw new RangeError('too many entries');
    if (stat.isDirectory()) {
      yield JSON.stringify([relative, 'directory']);
      yield* describe(root, relative, room);
    } else if (stat.isSymbolicLink()) {
      yield JSON.stringify([relative, 'link', fs.readlinkSync(file)]);
    } else if (stat.isFile()) yield JSON.stringify([relative, ...describeFile(file, stat, room)]);
    else yield JSON.stringify([relative, 'other']);
  }
}

/** Says whether a file is a program, and its hash. Throws if it does not fit into the room. */
export function describeFile(file: string, stat: fs.BigIntStats, room: Room): readonly [kind: string, hash: string] {
  room.bytes -= Number(stat.size);
  if (room.bytes < 0) throw new RangeError('too large');
  return [(stat.mode & 0o111n) === 0n ? 'file' : 'program', hashOf(file, stat)];
}

function hashOf(file: string, { dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: fs.BigIntStats): string {
  const key = `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = hashContent(file);
  if (hashes.size >= MAX_HASHES) hashes.clear();
  if (Date.now() - Number(ctimeMs) >= SETTLING_MS) hashes.set(key, hash);
  return hash;
}

function hashContent(file: string): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let count = fs.readSync(fd, buffer); count > 0; count = fs.readSync(fd, buffer)) {
      hash.update(buffer.subarray(0, count));
    }
    return hash.digest('hex');
  } finally {
    fs.closeSync(fd);
  }
}
