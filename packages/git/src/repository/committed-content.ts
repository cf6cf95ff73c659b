import fs from 'node:fs';
import { type BytePath, toSystemPath } from '../byte-path.ts';

const MAX_BYTES = 1024 * 1024;
const IDX_MAGIC = 0xff744f63;
const FANOUT_AT = 8;
const NAMES_AT = FANOUT_AT + 256 * 4;
const HASH_BYTES = 20;

/** Returns the name that git gives to the content of a file; undefined if it is not a regular file, or is too large. */
export function blobName(file: BytePath): string | undefined {
  try {
    const fd = fs.openSync(
      toSystemPath(file),
      fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
    );
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
      const content = fs.readFileSync(fd);
      const { createHash } = process.getBuiltinModule('node:crypto'); // Loaded here, since few workspaces hold secrets.
      return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/**
 * Reports whether a repository already holds the content of this name: whoever can read the repository can read it
 * there. Nobody can put a content there without knowing it.
 */
export function holdsBlob(git: BytePath, name: string): boolean {
  const objects = `${git}/objects`;
  if (fs.existsSync(toSystemPath(`${objects}/${name.slice(0, 2)}/${name.slice(2)}`))) return true;
  const wanted = Buffer.from(name, 'hex');
  return packIndexes(`${objects}/pack`).some((index) => isInIndex(index, wanted));
}

function packIndexes(directory: BytePath): BytePath[] {
  try {
    const names = fs.readdirSync(toSystemPath(directory), { encoding: 'latin1' });
    return names.filter((name) => name.endsWith('.idx')).map((name) => `${directory}/${name}`);
  } catch {
    return [];
  }
}

/**
 * Reports whether a pack index holds a name. An index of version 2 has a magic number, the version, how many names
 * begin with at most each byte, and the names in order.
 */
function isInIndex(index: BytePath, wanted: Buffer): boolean {
  try {
    const fd = fs.openSync(toSystemPath(index), 'r');
    try {
      return searchIndex(fd, wanted);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false;
  }
}

function searchIndex(fd: number, wanted: Buffer): boolean {
  const head = Buffer.alloc(NAMES_AT);
  if (fs.readSync(fd, head, 0, NAMES_AT, 0) < NAMES_AT) return false;
  if (head.readUInt32BE(0) !== IDX_MAGIC || head.readUInt32BE(4) !== 2) return false;
  const first = wanted[0] as number;
  let low = first === 0 ? 0 : head.readUInt32BE(FANOUT_AT + (first - 1) * 4);
  let high = head.readUInt32BE(FANOUT_AT + first * 4);
  const name = Buffer.alloc(HASH_BYTES);
  while (low < high) {
    const middle = (low + high) >>> 1;
    fs.readSync(fd, name, 0, HASH_BYTES, NAMES_AT + middle * HASH_BYTES);
    const order = name.compare(wanted);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
