import type { Workspace } from '@jinn/workspace';
import type { WatchedFiles } from './watched-files.ts';

/** A larger file is skipped: no server is shown it. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** The most bytes of files that are kept. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** How many files are searched between two turns of the event loop. */
const SLICE = 100;

export interface MentionsOptions {
  /** The time after which it stops. */
  readonly limitMs: number;
  /** The number of files after which it stops. All if absent. */
  readonly most?: number;
  /** Lets other work run, and throws when it is time to end. */
  checkpoint(): Promise<void>;
}

export interface MentioningFiles {
  readonly paths: readonly string[];
  /** False if the time was over before all were looked at. */
  readonly isWhole: boolean;
}

interface KeptContent {
  readonly stat: string;
  readonly content: Buffer;
}

/** Finds the files that hold a word. Their content is kept for the session, while the file stays the same. */
export class Mentions {
  readonly #workspace: Workspace;
  readonly #watched: WatchedFiles;
  readonly #kept = new Map<string, KeptContent>();
  #keptBytes = 0;

  constructor(workspace: Workspace, watched: WatchedFiles) {
    this.#workspace = workspace;
    this.#watched = watched;
  }

  /** Returns the files among `paths` that hold a word, as far as time allows. */
  async find(word: string, paths: Iterable<string>, options: MentionsOptions): Promise<MentioningFiles> {
    const { limitMs, most = Number.POSITIVE_INFINITY, checkpoint } = options;
    const end = performance.now() + limitMs;
    const bytes = Buffer.from(word);
    const found: string[] = [];
    let looked = 0;
    for (const path of paths) {
      if (looked++ % SLICE === 0) await checkpoint();
      if (performance.now() > end || found.length >= most) return { paths: found, isWhole: false };
      const content = this.#read(path);
      if (content && holdsWord(content, bytes)) found.push(path);
    }
    return { paths: found, isWhole: true };
  }

  /** Reads a file; undefined if it has gone, may not be read, or is too large. */
  #read(path: string): Buffer | undefined {
    const kept = this.#kept.get(path);
    if (kept && this.#watched.statOf(path) === kept.stat) return kept.content;
    if (kept) this.#forget(path, kept);
    try {
      return this.#workspace.withFile(path, (file) => {
        if (file.size > MAX_FILE_BYTES) return undefined;
        const content = Buffer.from(file.slice(0, file.size));
        this.#keep(path, content);
        return content;
      });
    } catch {
      return undefined;
    }
  }

  /** Keeps a content, unless the file may change without notice. */
  #keep(path: string, content: Buffer): void {
    const stat = this.#watched.statOf(path);
    if (stat === undefined || this.#keptBytes + content.length > MAX_KEPT_BYTES) return;
    this.#kept.set(path, { stat, content });
    this.#keptBytes += content.length;
  }

  #forget(path: string, { content }: KeptContent): void {
    this.#kept.delete(path);
    this.#keptBytes -= content.length;
  }
}

/** Reports whether the bytes hold a word that is not part of a longer one. */
function holdsWord(content: Buffer, word: Buffer): boolean {
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + 1)) {
    if (!isWordByte(content[at - 1]) && !isWordByte(content[at + word.length])) return true;
  }
  return false;
}

/** Reports whether a byte is a letter, a digit, `_`, `$`, or part of any other character beyond ASCII. */
function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const lower = byte | 0x20;
  return isDigit || (lower >= 0x61 && lower <= 0x7a) || byte === 0x5f || byte === 0x24 || byte >= 0x80;
}
