import fs from 'node:fs';

/** What deleting 200 MB of snapshots adds to the log at most: the pages that say which others are free. */
const RESERVE_BYTES = 1024 * 1024;

/**
 * Makes a file that does nothing but take space, unless there is one. SQLite needs space to delete rows; on a full
 * disk, removing this file gives it that. Without space for it there is no reserve.
 */
export function makeReserve(directory: string): void {
  try {
    fs.writeFileSync(fileIn(directory), noise(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') removeReserve(directory);
  }
}

/** Makes the reserve if it takes only a small part of the free space: on a full disk, changes need that space more. */
export function makeReserveIfRoom(directory: string): void {
  const { bavail, bsize } = fs.statfsSync(directory);
  if (bavail * bsize > 4 * RESERVE_BYTES) makeReserve(directory);
}

export function removeReserve(directory: string): void {
  fs.rmSync(fileIn(directory), { force: true });
}

/** Bytes that a file system cannot compress, or zeros would take no space. */
function noise(): Buffer {
  const words = new Uint32Array(RESERVE_BYTES / 4);
  let state = 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return Buffer.from(words.buffer);
}

function fileIn(directory: string): string {
  return `${directory}/state.db.reserve`;
}
