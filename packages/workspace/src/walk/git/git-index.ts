/** The bytes of an entry before its object name: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const SHA1 = 20;
const SHA256 = 32;
const MODE_AT = 24;
const [TYPE, GITLINK] = [0o170000, 0o160000];
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** The most characters of all names. In version 4, a small file can stand for names without end. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/**
 * Parses an index of git, version 2 to 4. Returns the names of all files in their order, a character for a byte.
 * Undefined for anything else, and for a split index, whose names are in another file.
 */
export function parseGitIndex(content: Buffer): readonly string[] | undefined {
  return parseNames(content, () => true);
}

/** Returns the names of the repositories in an index (gitlinks), in the same way. */
export function findGitlinks(content: Buffer): readonly string[] | undefined {
  return parseNames(content, (start) => (content.readUInt32BE(start + MODE_AT) & TYPE) === GITLINK);
}

type IsWanted = (start: number) => boolean;

function parseNames(content: Buffer, isWanted: IsWanted): readonly string[] | undefined {
  if (content.length < 12 || content.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = content.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const at = { version, isWanted };
  return parseEntries(content, SHA1, at) ?? parseEntries(content, SHA256, at);
}

function parseEntries(
  content: Buffer,
  hashBytes: number,
  { version, isWanted }: { version: number; isWanted: IsWanted },
): readonly string[] | undefined {
  const count = content.readUInt32BE(8);
  const names: string[] = [];
  let at = 12;
  let before = '';
  let left = MOST_CHARACTERS;
  for (let i = 0; i < count; i++) {
    const start = at;
    const flagsAt = start + STAT_BYTES + hashBytes;
    if (flagsAt + 4 > content.length) return undefined;
    const flags = content.readUInt16BE(flagsAt);
    const nameAt = flagsAt + (version >= 3 && (flags & EXTENDED) !== 0 ? 4 : 2);
    const read = version === 4 ? readCompressed(content, nameAt, before) : readPlain(content, nameAt, start);
    left -= read?.name.length ?? 0;
    if (!read || left < 0 || !isNext(read.name, before, flags)) return undefined;
    at = read.end;
    before = read.name;
    if (isWanted(start)) names.push(read.name);
  }
  return hasLink(content, at, hashBytes) ? undefined : names;
}

interface ReadName {
  readonly name: string;
  readonly end: number;
}

/** A name ends with a NUL. The entry is filled up to a multiple of 8 bytes. */
function readPlain(content: Buffer, at: number, start: number): ReadName | undefined {
  const nul = content.indexOf(0, at);
  if (nul < 0) return undefined;
  return { name: content.toString('latin1', at, nul), end: start + Math.floor((nul - start + 8) / 8) * 8 };
}

/** In version 4, a name says how much to cut from the end of the one before, and what to add. */
function readCompressed(content: Buffer, at: number, before: string): ReadName | undefined {
  let cut = 0;
  let next = at;
  for (let byte = 0x80; (byte & 0x80) !== 0; next++) {
    byte = content[next] ?? 0;
    cut = (next > at ? (cut + 1) * 128 : 0) + (byte & 0x7f);
  }
  const nul = content.indexOf(0, next);
  if (nul < 0 || cut > before.length) return undefined;
  return { name: before.slice(0, before.length - cut) + content.toString('latin1', next, nul), end: nul + 1 };
}

/** Names are sorted, and their length is in the flags: anything else shows that the bytes were read the wrong way. */
function isNext(name: string, before: string, flags: number): boolean {
  return name >= before && (flags & NAME_LENGTH) === Math.min(name.length, NAME_LENGTH);
}

/** An extension says that the index is split. */
function hasLink(content: Buffer, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= content.length - hashBytes; at += 8 + content.readUInt32BE(at + 4)) {
    if (content.toString('latin1', at, at + 4) === 'link') return true;
  }
  return false;
}
