import { type OpenFile, ToolError } from '@jinn/core';
import { type Fingerprint, fingerprintOf, type WalkEntry, walk } from '@jinn/walk';
import type { ContextSource } from './context-sources.ts';
import { type ParsedEntry, parseEntry } from './parse-entry.ts';

const MAX_ENTRIES = 20_000;
const MAX_VISITS = 200_000;
/** How much of a file is read. */
const MAX_READ_BYTES = 256 * 1024;
const EXCLUDED = new Set(['node_modules']);

/** A file or directory that was looked at, and what it was; null when it was too fresh to tell. */
export interface Seen {
  /** Which source. */
  readonly source: number;
  /** The path below the root of the source. */
  readonly path: string;
  readonly fingerprint: Fingerprint | null;
}

export interface ScannedEntry extends ParsedEntry {
  readonly source: number;
  /** The path below the root of the source. */
  readonly path: string;
  /** The path below the directory that is indexed, or the name of the file that is. */
  readonly shortPath: string;
}

export interface Scan {
  readonly entries: readonly ScannedEntry[];
  /** Everything whose change may change the entries. */
  readonly seen: readonly Seen[];
  readonly notes: readonly string[];
}

/**
 * Reads the Markdown files of all sources: regular ones alone, hidden ones too; links, secrets and names with a line break
 * left out; at most 256 KiB of each and 20,000 of them. What cannot be read is a note.
 */
export async function scanContext(sources: readonly ContextSource[], checkpoint: () => Promise<void>): Promise<Scan> {
  const scanner = new Scanner(checkpoint);
  for (const [i, source] of sources.entries()) {
    if (source.isFile) scanner.addFile(source, i);
    else await scanner.addDirectory(source, i);
  }
  return scanner.finish();
}

class Scanner {
  readonly #entries: ScannedEntry[] = [];
  readonly #seen: Seen[] = [];
  readonly #notes: string[] = [];
  readonly #known = new Set<string>();
  readonly #checkpoint: () => Promise<void>;
  readonly #buffer = Buffer.allocUnsafe(MAX_READ_BYTES);
  #visits = 0;
  #links = 0;
  /** Names with a line break. */
  #broken = 0;
  #unread = 0;

  constructor(checkpoint: () => Promise<void>) {
    this.#checkpoint = checkpoint;
  }

  async addDirectory({ root, start }: ContextSource, source: number): Promise<void> {
    this.#see(source, start, fingerprintOf(root, start));
    const decide = (entry: WalkEntry) => this.#decide(entry, source);
    const options = { hidden: true, excludeDirectories: EXCLUDED, checkpoint: this.#checkpoint, decide };
    const { notes } = await walk(root, start, options, async (entry) => {
      if (entry.kind !== 'file' || !this.#isNew(`${root.root}/${entry.path}`)) return undefined;
      await this.#checkpoint();
      this.#see(source, entry.path, entry.fingerprint());
      this.#read(source, entry.path, entry.pathFromStart, () => entry.open());
      return undefined;
    });
    this.#notes.push(...notes);
  }

  addFile({ root, start }: ContextSource, source: number): void {
    if (!this.#isNew(`${root.root}/${start}`)) return;
    this.#see(source, start, fingerprintOf(root, start));
    const name = start.slice(start.lastIndexOf('/') + 1);
    root.withFile(start, (file) => this.#add(source, name, file));
  }

  finish(): Scan {
    const notes = [...this.#notes];
    if (this.#links > 0) notes.push(`links are not followed: ${this.#links} left out`);
    if (this.#broken > 0) notes.push(`names with a line break: ${this.#broken} left out`);
    if (this.#unread > 0) notes.push(`files that cannot be read: ${this.#unread} left out`);
    if (this.#isFull()) notes.push(`only the first ${MAX_ENTRIES} files, and ${MAX_VISITS} names, are looked at`);
    return { entries: this.#entries, seen: this.#seen, notes };
  }

  /** Asked once for each name, before the directory is read: a change after this shows. */
  #decide(entry: WalkEntry, source: number): boolean {
    this.#visits++;
    if (this.#isFull()) return false;
    if (entry.kind === 'link') this.#links++;
    if (entry.kind !== 'directory' && !/\.md$/i.test(entry.name)) return false;
    if (entry.name.includes('\n')) {
      this.#broken++;
      return false;
    }
    if (entry.kind === 'directory') this.#see(source, entry.path, entry.fingerprint());
    return true;
  }

  #isFull(): boolean {
    return this.#entries.length >= MAX_ENTRIES || this.#visits > MAX_VISITS;
  }

  #isNew(real: string): boolean {
    return this.#known.size < this.#known.add(real).size;
  }

  #see(source: number, path: string, fingerprint: Fingerprint | undefined): void {
    this.#seen.push({ source, path, fingerprint: fingerprint ?? null });
  }

  #read(source: number, path: string, shortPath: string, open: () => OpenFile): void {
    let file: OpenFile;
    try {
      file = open();
    } catch (error) {
      if (error instanceof ToolError && error.code === 'resource_limit') throw error;
      this.#unread++; // Closed to us, or gone since it was listed.
      return;
    }
    try {
      this.#add(source, shortPath, file, path);
    } finally {
      file.close();
    }
  }

  #add(source: number, shortPath: string, file: OpenFile, path = file.path): void {
    if (this.#entries.length >= MAX_ENTRIES) return;
    const text = this.#buffer.toString('utf8', 0, file.read(this.#buffer.subarray(0, file.size), 0));
    this.#entries.push({ ...parseEntry(text, shortPath), source, path, shortPath });
  }
}
