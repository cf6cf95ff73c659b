import { type FileStat, isSameStat, OpenFile } from '../open-file.ts';

/** The most that a session keeps of one file, and of all files together, to show what has changed since. */
const MAX_KEPT_FILE = 1024 * 1024;
const MAX_KEPT = 8 * MAX_KEPT_FILE;

/** What each file was when this session last read or wrote it, so that a tool that writes can tell what is stale. */
export interface ReadRecords {
  /** Keeps what the file was and, within bounds, what it holds. */
  record(file: ReadFile): void;
  /** What the file held when it was read or written last; undefined if that is not kept. */
  contentOf(path: string): Buffer | undefined;
  /** True if the file was read in this session and has changed since; a file that was never read is not stale. */
  isStale(file: FileRecord): boolean;
  /** Forgets a file that was deleted: whatever is made in its place is new. */
  forget(path: string): void;
}

/** A file, by its path below the root with links resolved, and what it was. */
interface FileRecord {
  readonly path: string;
  readonly stat: FileStat;
}

/** A file that was read or written: open, or with its content. */
type ReadFile = OpenFile | (FileRecord & { readonly content: Buffer | undefined });

/** Makes the records of a session that has read nothing yet. With `endsWithCall`, no content is kept. */
export function createReadRecords(endsWithCall: boolean): ReadRecords {
  const stats = new Map<string, FileStat>();
  const contents = new RecentContents();
  return {
    record: (file) => {
      stats.set(file.path, file.stat);
      contents.set(file.path, endsWithCall ? undefined : contentIn(file));
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

/** Contents of files, of which the oldest are dropped when there are too many. */
class RecentContents {
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  get(path: string): Buffer | undefined {
    return this.#contents.get(path);
  }

  /** Keeps a content. With undefined, or a content that is too large, what was kept is dropped. */
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
