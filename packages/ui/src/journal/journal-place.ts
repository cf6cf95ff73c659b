import fs from 'node:fs';

/** The page renews its mark more often than this; an older one was left by a process that has died. */
const FRESH_MS = 30_000;

/** The address of a running page. */
export interface LivePage {
  readonly pid: number;
  /** The Unix socket for questions; absent if its path would be too long for the system. */
  readonly socket?: string | undefined;
}

/** Returns the directory of the journal below the cache directory of jinn. */
export function journalDirectory(cache: string): string {
  return `${cache}/journal`;
}

/** Returns the file by which the page says that it runs. `mayRecord` looks there. */
export function liveFile(directory: string): string {
  return `${directory}/live`;
}

/** Returns the address of the running page; undefined if none runs. */
export function readLivePage(directory: string): LivePage | undefined {
  try {
    const file = liveFile(directory);
    if (Date.now() - fs.statSync(file).mtimeMs <= FRESH_MS) return JSON.parse(fs.readFileSync(file, 'utf8'));
    // A page that only slept makes it again.
    fs.rmSync(file, { force: true });
    return undefined;
  } catch {
    return undefined;
  }
}
