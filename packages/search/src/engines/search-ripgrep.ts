import { ToolError } from '@jinn/core/errors';
import { NOT_UTF8, type Pattern } from '@jinn/core/regex';
import { findLargeFiles } from '@jinn/process';
import {
  checkFound,
  cutToWindow,
  type Hit,
  inOrder,
  MAX_WHOLE_FILE,
  NO_HITS,
  type Part,
  type SearchQuery,
  type SearchResult,
} from '../query/search-query.ts';
import { pathIn, type TargetDirectory } from '../query/search-targets.ts';
import {
  MatchingLines,
  pathParser,
  type RipgrepOptions,
  RipgrepUnusable,
  runRipgrep,
  type UnreadablePath,
} from './ripgrep-run.ts';
import { type FewFound, searchFew, searchOwn } from './search-own.ts';
import { contentOf, isLeftOut, isNotebookName, mayHoldNul, OpenFiles } from './searched-content.ts';

const FEW_FILES = 20;
/** A search of this many directories starts while the walk continues. */
const MANY_DIRECTORIES = 256;
const HEAD_BYTES = 1024 * 1024;
/** A larger file is checked before ripgrep gets it by its name: of a binary one, ripgrep would search all. */
const LARGE_FILE = 16 * 1024 * 1024;

/** Searches with ripgrep. It starts while the walk still looks for directories. */
export class RipgrepSearch {
  readonly #options: RipgrepOptions;
  readonly #stopper = new AbortController();
  readonly #counts = new Map<string, number>();
  readonly #unreadable: UnreadablePath[] = [];
  /** Files that are not UTF-8, and notebooks: only the built-in engine finds the same matches in them. */
  readonly #foreign = new Set<string>();
  readonly #notebooks: string[] = [];
  /** True if the pattern may match characters that have other bytes in files that are not UTF-8: then all of these are found. */
  readonly #findsForeign: boolean;
  /** True if `findFiles` counts matches. False if it finds files that may hold a match. */
  readonly isCounted: boolean;
  readonly #begun: Promise<void>[] = [];
  #whole: string[] = [];
  #single: string[] = [];
  #isBusy = false;

  constructor(options: RipgrepOptions) {
    const { ctx, pattern, crossesLines } = options.query;
    this.#options = options;
    this.#findsForeign = options.query.charsets !== undefined && mayMatchBeyondAscii(pattern);
    this.isCounted = (pattern.isExact || pattern.rustUtf8 !== undefined) && !crossesLines;
    if (ctx.signal?.aborted) this.stop();
    ctx.signal?.addEventListener('abort', () => this.stop(), { once: true });
  }

  add({ path, names, isWhole }: TargetDirectory): void {
    const notebooks = names.filter(isNotebookName);
    for (const name of notebooks) this.#notebooks.push(pathIn(path, name));
    if (isWhole && notebooks.length === 0) this.#whole.push(path === '.' ? './' : `./${path}`);
    else for (const name of names) if (!isNotebookName(name)) this.#single.push(`./${pathIn(path, name)}`);
    if (this.#whole.length >= MANY_DIRECTORIES && !this.#isBusy) this.#beginWhole();
  }

  stop(): void {
    this.#stopper.abort();
  }

  /** Without `isCounted`, returns the files that may have a match. Throws RipgrepUnusable and ToolError. */
  async findFiles(known: KnownFiles): Promise<ReadonlyMap<string, number>> {
    try {
      this.#beginWhole();
      await Promise.all([...this.#begun, this.#searchSingle()]);
      const others = this.#findsForeign ? await this.#listOthers() : [];
      this.#checkUnreadable(known);
      const decoded = others.filter((path) => known.has(path));
      const own = await this.#countOthers(decoded);
      for (const path of decoded) this.#counts.delete(path);
      const found = inOrder(new Map([...this.#counts].filter(([path]) => known.has(path))));
      const { rustUtf8 } = this.#options.query.pattern;
      const utf8 = rustUtf8 !== undefined && this.isCounted ? await this.#recount(rustUtf8, found) : found;
      const counts = own.size > 0 ? inOrder(new Map([...utf8, ...own])) : utf8;
      return this.#notebooks.length > 0 ? inOrder(new Map([...counts, ...(await this.#countNotebooks())])) : counts;
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** Lists those of the found files that are not UTF-8. A larger one is not decoded, and counted by its bytes. */
  async #listOthers(): Promise<string[]> {
    const { pattern, ctx } = this.#options.query;
    const found = [...this.#counts.keys()];
    if (!this.isCounted) return found;
    const large = findLargeFiles(ctx.workspace.root, found, MAX_WHOLE_FILE);
    for (const path of large) this.#counts.delete(path);
    const onPath = pathParser(true, (path, count) => this.#counts.set(path, count));
    await this.#run(pattern.rust, ['--count'], large.map(named), onPath);
    const isLarge = new Set(large);
    return this.#list(NOT_PLAIN, found.filter((path) => !isLarge.has(path)).map(named));
  }

  /** Counts the matches in files that are not UTF-8. Without `isCounted`, each of them may have one. */
  async #countOthers(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (paths.length === 0) return new Map();
    if (!this.isCounted) return new Map(paths.map((path) => [path, 1]));
    for (const path of paths) this.#foreign.add(path);
    const { counts } = await searchOwn(paths, { ...this.#options.query, window: NO_HITS });
    return counts;
  }

  async #countNotebooks(): Promise<Iterable<readonly [path: string, count: number]>> {
    const paths = [...new Set(this.#notebooks)];
    if (!this.isCounted) return paths.map((path) => [path, 1]);
    for (const path of paths) this.#foreign.add(path);
    return (await searchOwn(paths, { ...this.#options.query, window: NO_HITS })).counts;
  }

  /** The pattern may have matched parts of characters: ripgrep counts again in UTF-8, the built-in engine in other files. */
  async #recount(rustUtf8: string, found: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const { query } = this.#options;
    const counts = new Map(found);
    const parts = [...found.keys()].map((path) => ({ path, skip: 0, take: 0 }));
    const few = parts.length <= FEW_FILES ? await searchFew(parts, query) : new Map<string, FewFound>();
    for (const [path, { count }] of few) counts.set(path, count);
    const beyondAscii = await this.#list(BEYOND_ASCII, [...found.keys()].filter((path) => !few.has(path)).map(named));
    for (const path of beyondAscii) counts.delete(path);
    const [foreign] = await Promise.all([
      this.#list(NOT_UTF8.rust, beyondAscii.map(named)),
      this.#run(
        rustUtf8,
        ['--count'],
        beyondAscii.map(named),
        pathParser(true, (path, count) => counts.set(path, count)),
      ),
    ]);
    const own = await searchOwn(foreign, { ...query, window: NO_HITS });
    for (const path of foreign) counts.set(path, own.counts.get(path) ?? 0);
    for (const path of foreign) this.#foreign.add(path);
    return inOrder(new Map([...counts].filter(([, count]) => count > 0)));
  }

  async #list(pattern: string, paths: readonly string[]): Promise<string[]> {
    const listed: string[] = [];
    const onPath = pathParser(false, (path) => listed.push(path));
    await this.#run(pattern, ['--files-with-matches'], paths, onPath);
    return listed;
  }

  /** Finds the hits in the window of a search whose matches were counted. Throws RipgrepUnusable and ToolError. */
  async findHits(counts: ReadonlyMap<string, number>): Promise<SearchResult> {
    const { query, ripgrep } = this.#options;
    const parts = cutToWindow(counts, query.window);
    const few = await searchFew(parts, query);
    const rest = parts.filter(({ path }) => !few.has(path));
    const unmet = rest.filter(({ path }) => !this.#foreign.has(path)).map(({ path }) => named(path));
    if (query.charsets) for (const path of await this.#list(NOT_PLAIN, unmet)) this.#foreign.add(path);
    const lines = await this.#findLines(rest.filter(({ path }) => !this.#foreign.has(path)));
    for (const { path, skip: offset, take: limit } of rest.filter((part) => this.#foreign.has(part.path))) {
      const { hits } = await searchOwn([path], { ...query, window: { offset, limit } });
      lines.set(path, { count: hits.length, hits: [...hits] });
    }
    const hits = parts.flatMap((part) => few.get(part.path)?.hits ?? lines.get(part.path)?.hits ?? []);
    return { engine: `ripgrep ${ripgrep.version}`, counts, hits };
  }

  /** Throws RipgrepUnusable for a directory that the walk could read: its files were not searched. Warns of single files. */
  #checkUnreadable(known: KnownFiles): void {
    for (const { path, why } of this.#unreadable) {
      if (known.isDirectory(path)) throw new RipgrepUnusable('ripgrep could not read a directory', true);
      if (known.has(path)) this.#options.query.leftOut?.add(`${why}, not searched`, path);
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

  /** Leaves out binary files: if such a file is named, ripgrep counts matches in it too. */
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
    const mode = this.isCounted ? '--count' : '--files-with-matches';
    const onData = pathParser(this.isCounted, (path, count) => {
      this.#counts.set(path, count);
      checkFound(this.#counts);
    });
    const { rust } = this.#options.query.pattern;
    const pattern = this.#findsForeign ? `(?:${rust})|${NOT_PLAIN}` : rust;
    this.#unreadable.push(...(await this.#run(pattern, [mode, ...flags], paths, onData)));
  }

  #run(
    pattern: string,
    flags: readonly string[],
    paths: readonly string[],
    onData: (chunk: Buffer) => void,
  ): Promise<UnreadablePath[]> {
    return runRipgrep(this.#options, { pattern, flags, paths, signal: this.#stopper.signal, onData });
  }

  async #findLines(parts: readonly Part[]): Promise<Map<string, { count: number; hits: Hit[] }>> {
    const { pattern } = this.#options.query;
    const found = new Map(parts.map(({ path }) => [path, { count: 0, hits: [] as Hit[] }]));
    const wanted = new Map(parts.map((part) => [part.path, part]));
    if (parts.length === 0) return found;
    const output = new MatchingLines((hit) => {
      const [part, file] = [wanted.get(hit.path), found.get(hit.path)];
      if (!part || !file || file.count++ < part.skip || file.hits.length >= part.take) return;
      file.hits.push(hit);
    });
    // One match is all that a line needs: ripgrep keeps each in memory before it prints the first.
    const wholeLine = `(?:${pattern.rustUtf8 ?? pattern.rust})(?-u:[^\\n])*`;
    const most = Math.max(...parts.map(({ skip, take }) => skip + take));
    const fields = ['--line-number', '--column', '--byte-offset', '--field-match-separator', '\\x00'];
    const flags = ['--text', '--threads=1', ...fields, `--max-count=${most}`];
    await this.#run(wholeLine, flags, [...wanted.keys()].map(named), (chunk) => output.push(chunk));
    if (!output.isComplete) throw new RipgrepUnusable('the output of ripgrep is incomplete', true);
    return found;
  }
}

const BEYOND_ASCII = '(?-u:[\\x80-\\xff])';
/** Matches in each file that is not UTF-8, or that has the escapes of ISO-2022-JP. */
const NOT_PLAIN = `${NOT_UTF8.rust}|\\x1b\\$[@B]`;

/** Reports whether characters beyond ASCII may decide if a pattern matches. `\b` depends on the next one. */
function mayMatchBeyondAscii({ isExact, rust }: Pattern): boolean {
  const ascii = rust.replaceAll(/\\x\{[0-7]?[0-9a-f]\}/g, '-').replaceAll('\\d', '');
  return !isExact || /\\|\(\?-u|\[\^/.test(ascii);
}

function named(path: string): string {
  return `./${path}`;
}

async function isReadableBinary(files: OpenFiles, path: string, query: SearchQuery): Promise<boolean> {
  try {
    return await isLeftOut(files, path, query);
  } catch (error) {
    if (!(error instanceof ToolError) || ['canceled', 'timeout', 'resource_limit'].includes(error.code)) throw error;
    return false;
  }
}

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

/**
 * The files that a walk has chosen. Security: by the time a program looks at the given paths, it may find other files
 * there, among them secrets and files outside of the workspace. Its answer about those must not be shown.
 */
export class KnownFiles {
  readonly #directories = new Map<string, TargetDirectory[]>();
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(directories: readonly TargetDirectory[]) {
    for (const directory of directories) {
      const same = this.#directories.get(directory.path);
      if (same) same.push(directory);
      else this.#directories.set(directory.path, [directory]);
    }
  }

  isDirectory(path: string): boolean {
    return this.#directories.has(path);
  }

  has(path: string): boolean {
    const slash = path.lastIndexOf('/');
    const directory = slash < 0 ? '.' : path.slice(0, slash);
    let names = this.#names.get(directory);
    if (!names) {
      names = new Set(this.#directories.get(directory)?.flatMap((one) => one.names));
      this.#names.set(directory, names);
    }
    return names.has(path.slice(slash + 1));
  }
}
