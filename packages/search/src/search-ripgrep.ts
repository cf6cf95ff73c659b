import { isSensitiveSegment, SENSITIVE_GLOBS } from '@jinn/core';
import { type Ripgrep, runProgram } from '@jinn/process';
import { FileCounts } from './file-counts.ts';
import type { FileFilter } from './file-filter.ts';
import { findPlain } from './find-plain.ts';
import { HitCollector } from './hit-collector.ts';
import { JsonMessages } from './json-messages.ts';
import { MAX_WHOLE_FILE } from './limits.ts';
import { cutToWindow, inOrder, type SearchQuery, type SearchResult } from './search-query.ts';
import { pathIn, type TargetDirectory } from './search-targets.ts';

/** Of what is not only counted, this many hits are kept until it is known which will be shown. */
const MAX_KEPT = 2_000;
const FEW_FILES = 20;
/** So many directories are searched while others are still looked for. */
const MANY_DIRECTORIES = 256;
/** Bytes of paths for one process; systems take from 256 KiB to 2 MiB, with the environment. */
const MAX_ARGUMENTS = 192 * 1024;
const SECRET_FLAGS = SENSITIVE_GLOBS.flatMap((glob) => ['--iglob', `!${glob}`]);

export interface RipgrepOptions {
  readonly ripgrep: Ripgrep;
  readonly filter: FileFilter | undefined;
  readonly query: SearchQuery;
}

/** A directory whose files are all searched, or a file. */
type Paths = readonly string[];

/** A search with ripgrep, which begins while it is still being found out what is to be searched. */
export class RipgrepSearch {
  readonly #options: RipgrepOptions;
  readonly #run: Run;
  readonly #stopper = new AbortController();
  #whole: string[] = [];
  #single: string[] = [];
  readonly #begun: Promise<void>[] = [];
  #isBusy = false;

  constructor(options: RipgrepOptions) {
    const { ctx, window } = options.query;
    const signals = [this.#stopper.signal, ...(ctx.signal ? [ctx.signal] : [])];
    this.#options = options;
    this.#run = new Run(options, Math.max(MAX_KEPT, window.offset + window.limit), AbortSignal.any(signals));
  }

  /** Adds to what is searched. */
  add({ path, names, isWhole }: TargetDirectory): void {
    if (isWhole) this.#whole.push(path === '.' ? './' : `./${path}`);
    else for (const name of names()) this.#single.push(`./${pathIn(path, name)}`);
    if (this.#whole.length >= MANY_DIRECTORIES && !this.#isBusy) this.#begin();
  }

  /** Ends a search that is of no more use. */
  stop(): void {
    this.#stopper.abort();
  }

  /** To be called when all has been added; undefined when ripgrep does not take the pattern. */
  async finish(): Promise<SearchResult | undefined> {
    const { window, ctx } = this.#options.query;
    const { found, notes } = this.#run;
    try {
      this.#begin();
      await Promise.all([...this.#begun, this.#run.find(this.#single, undefined)]);
      const counts = inOrder(found.counts);
      const parts = cutToWindow(counts, window);
      const again = new Run(this.#options, Number.POSITIVE_INFINITY, ctx.signal);
      const { found: seen } = await again.look(parts.filter(({ path }) => !found.isComplete(path)));
      const hits = parts.flatMap(({ path, skip, take }) =>
        (found.isComplete(path) ? found : seen).hitsIn(path).slice(skip, skip + take),
      );
      return { counts, hits, notes };
    } catch (error) {
      this.stop();
      if (error instanceof NotTaken) return undefined;
      throw error;
    }
  }

  /** Searches the directories that have been added since. */
  #begin(): void {
    const run = this.#run.findAll(this.#whole);
    this.#whole = [];
    this.#isBusy = true;
    // What is wrong is told when all is waited for.
    run.then(
      () => {
        this.#isBusy = false;
      },
      () => {},
    );
    this.#begun.push(run);
  }
}

/** ripgrep's engine does not take a pattern that ours does. */
class NotTaken extends Error {}

/** One search, which may take several processes. */
class Run {
  readonly notes: string[] = [];
  readonly found: HitCollector;
  readonly #options: RipgrepOptions;
  readonly #signal: AbortSignal | undefined;

  constructor(options: RipgrepOptions, maxKept: number, signal: AbortSignal | undefined) {
    this.#options = options;
    this.found = new HitCollector(maxKept);
    this.#signal = signal;
  }

  /**
   * Finds where there are hits in whole directories. They are only counted: what ripgrep says of a hit takes longer than
   * to find it. In files that are named they are not: ripgrep would count the hits in a binary one.
   */
  async findAll(whole: Paths): Promise<void> {
    if (this.#options.query.crossesLines) await this.find(whole, undefined);
    else await this.#count(whole);
  }

  /** Finds those hits of files that were counted which will be shown. */
  async look(parts: readonly { readonly path: string; readonly skip: number; readonly take: number }[]): Promise<this> {
    const { ctx, pattern } = this.#options.query;
    const left = parts.filter(({ path, skip, take }) => {
      const hits = pattern.plain === undefined ? undefined : findPlain(ctx.workspace, path, pattern.plain, skip + take);
      for (const hit of hits ?? []) this.found.add(hit);
      return hits === undefined;
    });
    return this.find(left.map(toArgument), Math.max(...left.map(({ skip, take }) => skip + take)));
  }

  /** Finds the hits in these paths, the first `perFile` of each. */
  async find(paths: Paths, perFile: number | undefined): Promise<this> {
    const found = this.found;
    const messages = new JsonMessages({
      onHit: (hit) => this.#isShown(hit.path) && found.add(hit),
      onBinary: (path) => found.drop(path),
      onTooLong: () => this.notes.push('a match was left out: its line is longer than 64 MiB'),
    });
    // To start threads takes longer than to search a few files.
    const threads = paths.length <= FEW_FILES && perFile !== undefined ? ['--threads=1'] : [];
    const flags = ['--json', ...threads, ...(perFile === undefined ? [] : [`--max-count=${perFile}`])];
    await this.#run(flags, paths, (chunk) => messages.push(chunk));
    return this;
  }

  async #count(paths: Paths): Promise<void> {
    const counts = new FileCounts((path, count) => this.#isShown(path) && this.found.count(path, count));
    const flags = ['--count', '--null', '--with-filename', '--no-heading', '--color=never'];
    await this.#run(flags, paths, (chunk) => counts.push(chunk));
  }

  /**
   * Security: judged again, whatever ripgrep was asked for. A directory may have changed since it was walked. What was
   * named may be hidden.
   */
  #isShown(path: string): boolean {
    const { showsHidden, start } = this.#options.query;
    const inside = start === '.' ? path : path.slice(start.length + 1);
    if (!showsHidden && inside.split('/').some((name) => name.startsWith('.'))) return false;
    return !path.split('/').some(isSensitiveSegment);
  }

  async #run(flags: readonly string[], paths: Paths, onData: (chunk: Buffer) => void): Promise<void> {
    const { ripgrep, query } = this.#options;
    const { ctx, pattern } = query;
    for (const some of chunksOf(paths)) {
      const { status, stderr } = await runProgram({
        command: ripgrep.command,
        args: [...flags, ...this.#commonFlags(), '--', pattern.rust as string, ...some],
        cwd: ctx.workspace.root,
        env: {},
        limitMs: query.limitMs,
        signal: this.#signal,
        onData,
      });
      if (status === 2) this.#explain(stderr);
    }
  }

  #commonFlags(): string[] {
    const { query, filter } = this.#options;
    return [
      '--no-config',
      '--no-ignore',
      '--max-depth=1',
      '--no-mmap',
      '--crlf',
      '--regex-size-limit=16M',
      query.pattern.caseInsensitive ? '--ignore-case' : '--case-sensitive',
      ...(query.crossesLines ? ['--multiline', `--max-filesize=${MAX_WHOLE_FILE}`] : []),
      ...(query.showsHidden ? ['--hidden', ...SECRET_FLAGS] : []),
      // A type, since a glob that lets a name in would let hidden ones in too.
      ...(filter?.nameGlobs?.map((glob) => `--type-add=jinn:${glob}`) ?? []),
      ...(filter?.nameGlobs ? ['--type=jinn'] : []),
    ];
  }

  #explain(stderr: string): void {
    if (/^(rg: )?(regex parse error|error: .*regex|.*size limit)/m.test(stderr)) throw new NotTaken();
    for (const line of stderr.split('\n')) {
      const [, path, why] = /^rg: (?:\.\/)?(.+): (.+?)(?: \(os error \d+\))?$/.exec(line) ?? [];
      if (path && why) this.notes.push(`${path}: ${why.toLowerCase()}, it was not searched`);
    }
  }
}

function toArgument({ path }: { readonly path: string }): string {
  return `./${path}`;
}

function* chunksOf(paths: Paths): Generator<Paths> {
  let some: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += Buffer.byteLength(path) + 1;
    if (bytes > MAX_ARGUMENTS) {
      yield some;
      some = [];
      bytes = Buffer.byteLength(path) + 1;
    }
    some.push(path);
  }
  if (some.length > 0) yield some;
}
