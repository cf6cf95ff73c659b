import { posix } from 'node:path';
import { type OpenFile, ToolError } from '@jinn/core';
import { type Fingerprint, fingerprintOf, type WalkEntry, walk } from '@jinn/walk';
import type { ContextSource } from './context-sources.ts';
import { type ParsedEntry, parseEntry } from './parse-entry.ts';

const MAX_ENTRIES = 20_000;
const MAX_VISITS = 200_000;
/** How much of a file is read. */
const MAX_READ_BYTES = 256 * 1024;
const EXCLUDED = new Set(['node_modules']);
/** What may be wrong with one source, and says nothing of the others. */
const LEFT_OUT = new Set(['permission_denied', 'file_not_found', 'not_a_directory', 'not_a_file']);

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
 * left out; at most 256 KiB of each and 20,000 of them. What cannot be read is a note. A source inside of another one is
 * looked through for itself alone: it says of what type its entries are.
 */
export async function scanContext(sources: readonly ContextSource[], checkpoint: () => Promise<void>): Promise<Scan> {
  const scanner = new Scanner(new Set(sources.map(realOf)), checkpoint);
  for (const [i, source] of sources.entries()) await scanner.add(source, i);
  return scanner.finish();
}

function realOf({ root, start }: ContextSource): string {
  return posix.join(root.root, start);
}

class Scanner {
  readonly #entries: ScannedEntry[] = [];
  readonly #seen: Seen[] = [];
  readonly #notes: string[] = [];
  /** The real paths of all sources. */
  readonly #starts: ReadonlySet<string>;
  readonly #checkpoint: () => Promise<void>;
  readonly #buffer = Buffer.allocUnsafe(MAX_READ_BYTES);
  #visits = 0;
  #links = 0;
  /** Names with a line break. */
  #broken = 0;
  #unread = 0;

  constructor(starts: ReadonlySet<string>, checkpoint: () => Promise<void>) {
    this.#starts = starts;
    this.#checkpoint = checkpoint;
  }

  async add(source: ContextSource, number: number): Promise<void> {
    this.#see(number, source.start, fingerprintOf(source.root, source.start));
    try {
      if (source.isFile) this.#addFile(source, number);
      else await this.#addDirectory(source, number);
    } catch (error) {
      if (!(error instanceof ToolError) || !LEFT_OUT.has(error.code)) throw error;
      this.#notes.push(`skip ${source.called}: ${error.code.replaceAll('_', ' ')}`);
    }
  }

  async #addDirectory({ root, start, called }: ContextSource, source: number): Promise<void> {
    const decide = (entry: WalkEntry) => this.#decide(entry, source, root.root);
    const options = { hidden: true, excludeDirectories: EXCLUDED, checkpoint: this.#checkpoint, decide };
    const { notes } = await walk(root, start, options, async (entry) => {
      if (entry.kind !== 'file') return undefined;
      await this.#checkpoint();
      this.#see(source, entry.path, entry.fingerprint());
      this.#read(source, entry.path, entry.pathFromStart, () => entry.open());
      return undefined;
    });
    this.#notes.push(...notes.map((note) => `in ${called}: ${note}`));
  }

  #addFile({ root, start }: ContextSource, source: number): void {
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
  #decide(entry: WalkEntry, source: number, root: string): boolean {
    this.#visits++;
    if (this.#isFull() || this.#starts.has(`${root}/${entry.path}`)) return false;
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
