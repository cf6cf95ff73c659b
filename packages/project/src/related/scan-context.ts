import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { type Fingerprint, fingerprintOf, type WalkEntry, walk } from '@jinn/workspace/walk';
import type { ContextSource } from './context-sources.ts';
import { type ParsedEntry, parseEntry } from './parse-entry.ts';

const MAX_ENTRIES = 20_000;
const MAX_VISITS = 200_000;
const MAX_READ_BYTES = 256 * 1024;
const EXCLUDED = new Set(['node_modules']);
/** Error codes that concern one source, and not the others. */
const LEFT_OUT = new Set(['permission_denied', 'file_not_found', 'not_a_directory', 'not_a_file']);

/** A file or directory that was read, with its stat, or null if the stat is too fresh to show a later change. */
export interface SeenPath {
  readonly source: number;
  readonly path: string;
  readonly fingerprint: Fingerprint | null;
}

export interface ScannedEntry extends ParsedEntry {
  readonly source: number;
  readonly path: string;
  /** The path below the directory that is indexed. The name of a file that is indexed alone. */
  readonly shortPath: string;
  /** The titles and headings of the files that belong to a skill, a line each. Empty for other entries. */
  readonly support: string;
}

export interface ContextScan {
  readonly entries: readonly ScannedEntry[];
  /** All files and directories whose change may change the entries. */
  readonly seen: readonly SeenPath[];
  readonly warnings: readonly string[];
}

/**
 * Reads the Markdown files of all sources, at most 20,000 files and 256 KiB of each. Hidden files are included. Links,
 * secrets, and names with a line break are omitted. Warns of files and directories that cannot be read. A source
 * inside another one is read only as a source of its own, which decides the type of its entries.
 */
export async function scanContext(
  sources: readonly ContextSource[],
  checkpoint: () => Promise<void>,
): Promise<ContextScan> {
  const scanner = new Scanner(new Set(sources.map(({ root, start }) => posix.join(root.root, start))), checkpoint);
  for (const [i, source] of sources.entries()) await scanner.add(source, i);
  return scanner.finish();
}

class Scanner {
  readonly #entries: ScannedEntry[] = [];
  readonly #seen: SeenPath[] = [];
  readonly #warnings: string[] = [];
  readonly #starts: ReadonlySet<string>;
  readonly #checkpoint: () => Promise<void>;
  readonly #buffer = Buffer.allocUnsafe(MAX_READ_BYTES);
  #visits = 0;
  #links = 0;
  #broken = 0;
  #unread = 0;

  constructor(starts: ReadonlySet<string>, checkpoint: () => Promise<void>) {
    this.#starts = starts;
    this.#checkpoint = checkpoint;
  }

  async add(source: ContextSource, number: number): Promise<void> {
    this.#record(number, source.start, fingerprintOf(source.root, source.start));
    try {
      if (source.isFile) this.#addFile(source, number);
      else await this.#addDirectory(source, number);
    } catch (error) {
      if (!(error instanceof ToolError) || !LEFT_OUT.has(error.code)) throw error;
      this.#warnings.push(`skip ${source.called}: ${error.code.replaceAll('_', ' ')}`);
    }
  }

  async #addDirectory({ root, start, called }: ContextSource, source: number): Promise<void> {
    const decide = (entry: WalkEntry) => this.#decide(entry, source, root.root);
    const options = { hidden: true, excludeDirectories: EXCLUDED, checkpoint: this.#checkpoint, decide };
    const { warnings: left } = await walk(root, start, options, async (entry) => {
      if (entry.kind !== 'file') return undefined;
      await this.#checkpoint();
      this.#record(source, entry.path, entry.fingerprint());
      this.#read(source, entry);
      return undefined;
    });
    this.#warnings.push(...left.map((sentence) => `in ${called}: ${sentence}`));
  }

  #addFile({ root, start }: ContextSource, source: number): void {
    const name = start.slice(start.lastIndexOf('/') + 1);
    const size = root.withFile(start, (file) => file.read(this.#buffer.subarray(0, file.size), 0));
    this.#add({ source, path: start, shortPath: name }, size);
  }

  finish(): ContextScan {
    const warnings = [...this.#warnings];
    if (this.#links > 0) warnings.push(`links are not followed: ${this.#links} skipped`);
    if (this.#broken > 0) warnings.push(`names with a line break: ${this.#broken} skipped`);
    if (this.#unread > 0) warnings.push(`files that cannot be read: ${this.#unread} skipped`);
    if (this.#isFull()) warnings.push(`only the first ${MAX_ENTRIES} files, and ${MAX_VISITS} names, are read`);
    return { entries: joinSupport(this.#entries), seen: this.#seen, warnings };
  }

  /** It is called before the directory is read, so that a later change is noticed. */
  #decide(entry: WalkEntry, source: number, root: string): boolean {
    this.#visits++;
    if (this.#isFull() || this.#starts.has(`${root}/${entry.path}`)) return false;
    if (entry.kind === 'link') this.#links++;
    if (entry.kind !== 'directory' && !/\.md$/i.test(entry.name)) return false;
    if (entry.name.includes('\n')) {
      this.#broken++;
      return false;
    }
    if (entry.kind === 'directory') this.#record(source, entry.path, entry.fingerprint());
    return true;
  }

  #isFull(): boolean {
    return this.#entries.length >= MAX_ENTRIES || this.#visits > MAX_VISITS;
  }

  #record(source: number, path: string, fingerprint: Fingerprint | undefined): void {
    this.#seen.push({ source, path, fingerprint: fingerprint ?? null });
  }

  #read(source: number, { directory, name, path, pathFromStart }: WalkEntry): void {
    let size: number;
    try {
      size = directory.readListedFile(name, this.#buffer);
    } catch (error) {
      if (error instanceof ToolError && error.code === 'resource_limit') throw error;
      this.#unread++; // The file cannot be read, or was deleted since it was listed.
      return;
    }
    this.#add({ source, path, shortPath: pathFromStart }, size);
  }

  #add(location: Pick<ScannedEntry, 'source' | 'path' | 'shortPath'>, size: number): void {
    if (this.#entries.length >= MAX_ENTRIES) return;
    const text = this.#buffer.toString('utf8', 0, size);
    this.#entries.push({ ...parseEntry(text, location.shortPath), ...location, support: '' });
  }
}

const SKILL = /(?:^|\/)SKILL\.md$/i;

/** Files below the directory of a SKILL.md are no entries. Their titles and headings count like its text. */
function joinSupport(entries: readonly ScannedEntry[]): ScannedEntry[] {
  const directories = new Map<string, string[]>();
  const keyOf = (source: number, directory: string) => `${source} ${directory}`;
  for (const { source, shortPath } of entries) {
    if (SKILL.test(shortPath)) directories.set(keyOf(source, posix.dirname(shortPath)), []);
  }
  if (directories.size === 0) return [...entries];
  const skillOf = ({ source, shortPath }: ScannedEntry) => {
    for (let at = posix.dirname(shortPath); ; at = posix.dirname(at)) {
      const support = directories.get(keyOf(source, at));
      if (support || at === '.') return support;
    }
  };
  const kept = entries.filter((entry) => {
    const support = SKILL.test(entry.shortPath) ? undefined : skillOf(entry);
    support?.push(entry.title, ...entry.headings);
    return support === undefined;
  });
  return kept.map((entry) => {
    const support = SKILL.test(entry.shortPath) ? skillOf(entry) : undefined;
    return support?.length ? { ...entry, support: support.join('\n') } : entry;
  });
}
