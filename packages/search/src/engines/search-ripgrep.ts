import { ToolError } from '@jinn/errors';
import { findLargeFiles } from '@jinn/sandbox';
import { LeftOut } from '@jinn/walk';
import { FileListParser } from '../query/file-list-parser.ts';
import type { KnownFiles } from '../query/known-files.ts';
import {
  checkFound,
  cutToWindow,
  type Hit,
  inOrder,
  type Part,
  type SearchQuery,
  type SearchResult,
} from '../query/search-query.ts';
import { pathIn, type TargetDirectory } from '../query/search-targets.ts';
import { FileCounts } from './file-counts.ts';
import { isLeftOut, mayHoldNul } from './is-binary.ts';
import { MatchingLines } from './matching-lines.ts';
import { OpenFiles } from './open-files.ts';
import { type RipgrepOptions, RipgrepUnusable, runRipgrep, type UnreadablePath } from './ripgrep-run.ts';
import { type FewFound, searchFew } from './search-few.ts';
import { contentOf } from './searched-content.ts';

const FEW_FILES = 20;
/** A search of this many directories begins while the walk goes on. */
const MANY_DIRECTORIES = 256;
const HEAD_BYTES = 1024 * 1024;
/** A larger file is checked before ripgrep gets it by its name: of a binary one, ripgrep would search all. */
const LARGE_FILE = 16 * 1024 * 1024;

/** Searches with ripgrep. It begins while the walk still looks for directories. */
export class RipgrepSearch {
  readonly #options: RipgrepOptions;
  readonly #stopper = new AbortController();
  readonly #counts = new Map<string, number>();
  /** The files that could not be read. */
  readonly leftOut = new LeftOut();
  readonly #unreadable: UnreadablePath[] = [];
  /** True if `findFiles` counts matches; false if it finds files that may hold a match. */
  readonly isCounted: boolean;
  readonly #begun: Promise<void>[] = [];
  #whole: string[] = [];
  #single: string[] = [];
  #isBusy = false;

  constructor(options: RipgrepOptions) {
    const { ctx, pattern, crossesLines } = options.query;
    this.#options = options;
    this.isCounted = pattern.isExact && !crossesLines;
    if (ctx.signal?.aborted) this.stop();
    ctx.signal?.addEventListener('abort', () => this.stop(), { once: true });
  }

  /** Adds files to search. */
  add({ path, names, isWhole }: TargetDirectory): void {
    if (isWhole) this.#whole.push(path === '.' ? './' : `./${path}`);
    else for (const name of names()) this.#single.push(`./${pathIn(path, name)}`);
    if (this.#whole.length >= MANY_DIRECTORIES && !this.#isBusy) this.#beginWhole();
  }

  /** Ends a search whose result is not needed. */
  stop(): void {
    this.#stopper.abort();
  }

  /**
   * Finds the files, among the added ones, that have matches, and counts these; without `isCounted`, the files that may
   * have one. Throws RipgrepUnusable and ToolError.
   */
  async findFiles(known: KnownFiles): Promise<ReadonlyMap<string, number>> {
    try {
      this.#beginWhole();
      await Promise.all([...this.#begun, this.#searchSingle()]);
      this.#checkUnreadable(known);
      return inOrder(new Map([...this.#counts].filter(([path]) => known.has(path))));
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** Finds the hits in the window of a search whose matches were counted. Throws RipgrepUnusable and ToolError. */
  async findHits(counts: ReadonlyMap<string, number>): Promise<SearchResult> {
    const { query, ripgrep } = this.#options;
    const parts = cutToWindow(counts, query.window);
    const few = await searchFew(parts, query);
    const lines = await this.#findLines(parts.filter(({ path }) => !few.has(path)));
    const hits = parts.flatMap((part) => few.get(part.path)?.hits ?? lines.get(part.path)?.hits ?? []);
    return { engine: `ripgrep ${ripgrep.version}`, counts, hits, warnings: [] };
  }

  /**
   * Throws RipgrepUnusable if ripgrep could not read a directory that the walk could read, since its files were not
   * searched. Warns of single files that it could not read.
   */
  #checkUnreadable(known: KnownFiles): void {
    for (const { path, why } of this.#unreadable) {
      if (known.isDirectory(path)) throw new RipgrepUnusable('ripgrep could not read a directory', true);
      if (known.has(path)) this.leftOut.add(`${why}, not searched`, path);
    }
  }

  #beginWhole(): void {
    const run = this.#searchFiles(this.#whole, this.#options.query.searchesBinary ? ['--text'] : []);
    this.#whole = [];
    this.#isBusy = true;
    // Errors are reported when all runs are awaited.
    run.then(
      () => {
        this.#isBusy = false;
      },
      () => {},
    );
    this.#begun.push(run);
  }

  /**
   * Searches the files that are named one by one, except binary ones: if such a file is named, ripgrep counts matches
   * in it too.
   */
  async #searchSingle(): Promise<void> {
    const { query } = this.#options;
    const { workspace } = query.ctx;
    const files = new OpenFiles(workspace);
    try {
      const large = findLargeFiles(workspace.root, this.#single, LARGE_FILE);
      const binary = new Set(large.filter((path) => beginsBinary(files, path.slice(2), query)));
      const paths = this.#single.filter((path) => !binary.has(path));
      const threads = paths.length <= FEW_FILES ? ['--threads=1'] : []; // Starting threads takes longer.
      await this.#searchFiles(paths, ['--text', ...threads]);
      for (const path of this.isCounted ? paths.map((one) => one.slice(2)) : []) {
        if (!this.#counts.has(path)) continue;
        if (await isReadableBinary(files, path, query)) this.#counts.delete(path);
      }
    } finally {
      files.close();
    }
  }

  async #searchFiles(paths: readonly string[], flags: readonly string[]): Promise<void> {
    const keep = (path: string, count: number) => {
      this.#counts.set(path, count);
      checkFound(this.#counts);
    };
    const output = this.isCounted ? new FileCounts(keep) : new FileListParser((path) => keep(path, 1));
    const mode = this.isCounted ? '--count' : '--files-with-matches';
    const unreadable = await runRipgrep(this.#options, {
      pattern: this.#options.query.pattern.rust,
      flags: [mode, ...flags],
      paths,
      signal: this.#stopper.signal,
      onData: (chunk) => output.push(chunk),
    });
    this.#unreadable.push(...unreadable);
  }

  /** Finds hits in the files that `searchFew` leaves to ripgrep. */
  async #findLines(parts: readonly Part[]): Promise<ReadonlyMap<string, FewFound>> {
    const found = new Map(parts.map(({ path }) => [path, { count: 0, hits: [] as Hit[] }]));
    const wanted = new Map(parts.map((part) => [part.path, part]));
    if (parts.length === 0) return found;
    const output = new MatchingLines((hit) => {
      const [part, file] = [wanted.get(hit.path), found.get(hit.path)];
      if (!part || !file || file.count++ < part.skip || file.hits.length >= part.take) return;
      file.hits.push(hit);
    });
    await runRipgrep(this.#options, {
      // One match is all that a line needs: ripgrep keeps each in memory before it prints the first.
      pattern: `(?:${this.#options.query.pattern.rust})(?-u:[^\\n])*`,
      flags: ['--text', '--threads=1', '--line-number', '--column', '--byte-offset', ...SEPARATOR, maxCount(parts)],
      paths: parts.map(({ path }) => `./${path}`),
      signal: this.#stopper.signal,
      onData: (chunk) => output.push(chunk),
    });
    if (!output.isComplete) throw new RipgrepUnusable('the output of ripgrep is incomplete', true);
    return found;
  }
}

const SEPARATOR = ['--field-match-separator', '\\x00'];

function maxCount(parts: readonly Part[]): string {
  return `--max-count=${Math.max(...parts.map(({ skip, take }) => skip + take))}`;
}

/** Reports whether a file is binary; false for one that cannot be read, since ripgrep reports why. */
async function isReadableBinary(files: OpenFiles, path: string, query: SearchQuery): Promise<boolean> {
  try {
    return await isLeftOut(files, path, query);
  } catch (error) {
    if (!(error instanceof ToolError) || ['canceled', 'timeout', 'resource_limit'].includes(error.code)) throw error;
    return false;
  }
}

/** Reports whether the beginning of a file is binary. */
function beginsBinary(files: OpenFiles, path: string, query: SearchQuery): boolean {
  try {
    return files.withFile(path, (file) => {
      const content = contentOf(file);
      return !mayHoldNul(query, path, content) && content.slice(0, HEAD_BYTES).includes(0);
    });
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'resource_limit') return false;
    throw error;
  }
}
