import { type FileStamp, sameStamp } from './open-file.ts';

/** What lives longer than a call (design section 3). One request a process is a session of one call. */
export interface Session {
  readonly reads: ReadRecords;
  /** Has `release` run when the session ends: for a server that stays warm, or a job in the background. */
  onClose(release: () => void | Promise<void>): void;
  /** Ends the session: releases all, the youngest first, whether one fails or not. */
  close(): Promise<void>;
}

/** What each file was when this session last read or wrote it, so that a tool that writes can tell what is stale. */
export interface ReadRecords {
  record(file: FileRecord): void;
  /** True when the file was read in this session and is no longer what it was; a file never read is not stale. */
  isStale(file: FileRecord): boolean;
  /** For a file that was deleted: whatever is made in its place is new. */
  forget(path: string): void;
}

/** Which file, by its path below the root with links resolved, and what it was. */
interface FileRecord {
  readonly path: string;
  readonly stamp: FileStamp;
}

export function createSession(): Session {
  const stamps = new Map<string, FileStamp>();
  const releases: (() => void | Promise<void>)[] = [];
  return {
    reads: {
      record: ({ path, stamp }) => void stamps.set(path, stamp),
      isStale: ({ path, stamp }) => {
        const known = stamps.get(path);
        return known !== undefined && !sameStamp(known, stamp);
      },
      forget: (path) => void stamps.delete(path),
    },
    onClose: (release) => void releases.push(release),
    close: async () => {
      const reversed = releases.splice(0).reverse();
      await Promise.allSettled(reversed.map(async (release) => release()));
    },
  };
}
