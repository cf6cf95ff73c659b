import { ToolError } from '@jinn/core';
import { type LineMatches, MatchThread } from '@jinn/process';
import { type Chunk, ChunkHits, readChunk } from './chunk.ts';
import { MAX_WHOLE_FILE } from './limits.ts';
import { byCodeUnits, type Hit, type SearchQuery, type SearchResult } from './search-query.ts';
import { pathIn, type SearchTargets } from './search-targets.ts';

/** Characters that are matched at once. */
const BATCH_LENGTH = 1024 * 1024;
const START = { offset: 0, line: 1 };

/** Searches with JavaScript's regular expressions, on a thread that can be stopped. */
export async function searchOwn(targets: SearchTargets, query: SearchQuery): Promise<SearchResult> {
  const paths = pathsOf(targets);
  // To start a thread takes longer than to search a few files.
  if (paths.length === 0) return { counts: new Map(), hits: [], notes: [] };
  const { pattern, crossesLines, limitMs, ctx } = query;
  const thread = new MatchThread({ js: pattern.js, flags: pattern.flags, crossesLines }, limitMs, ctx.signal);
  const search = new OwnSearch(thread, query);
  try {
    for (const path of paths) {
      await ctx.checkpoint();
      await search.searchFile(path);
    }
    return await search.finish();
  } finally {
    await thread.close();
  }
}

/** In the order in which hits are counted. */
function pathsOf({ directories }: SearchTargets): string[] {
  return directories.flatMap(({ path, names }) => names().map((name) => pathIn(path, name))).sort(byCodeUnits);
}

class OwnSearch {
  readonly #thread: MatchThread;
  readonly #query: SearchQuery;
  readonly #notes: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #hits: Hit[] = [];
  #batch: Chunk[] = [];
  #batchLength = 0;
  #total = 0;

  constructor(thread: MatchThread, query: SearchQuery) {
    this.#thread = thread;
    this.#query = query;
  }

  async searchFile(path: string): Promise<void> {
    const first = this.#read(path, START);
    if (!first || (await this.#holdsNul(first))) return;
    for (let chunk: Chunk | undefined = first; chunk; chunk = chunk.next && this.#read(path, chunk.next)) {
      this.#batch.push(chunk);
      this.#batchLength += chunk.text.length;
      if (this.#batchLength >= BATCH_LENGTH) await this.#match();
    }
  }

  async finish(): Promise<SearchResult> {
    await this.#match();
    return { counts: this.#counts, hits: this.#hits, notes: this.#notes };
  }

  /** A file that cannot be read is a note. */
  #read(path: string, place: typeof START): Chunk | undefined {
    const { crossesLines, ctx } = this.#query;
    try {
      if (crossesLines && ctx.workspace.status(`./${path}`).size > MAX_WHOLE_FILE) return undefined;
      return readChunk(ctx.workspace, path, place, crossesLines);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      this.#notes.push(`${path}: ${error.message}, it was not searched`);
      return undefined;
    }
  }

  /** What holds a NUL anywhere is binary. */
  async #holdsNul(first: Chunk): Promise<boolean> {
    for (let chunk: Chunk | undefined = first; chunk; chunk = chunk.next && this.#read(chunk.path, chunk.next)) {
      if (chunk.holdsNul) return true;
      await this.#query.ctx.checkpoint();
    }
    return false;
  }

  async #match(): Promise<void> {
    const chunks = this.#batch;
    this.#batch = [];
    this.#batchLength = 0;
    if (chunks.length === 0) return;
    const { offset, limit } = this.#query.window;
    const wanted = Math.max(0, offset + limit - this.#total);
    const found = await this.#thread.ask({ texts: chunks.map(({ text }) => text), limit: wanted });
    for (const [i, matches] of found.entries()) this.#add(chunks[i] as Chunk, matches);
  }

  #add(chunk: Chunk, { count, spans }: LineMatches): void {
    if (count === 0) return;
    const { offset, limit } = this.#query.window;
    const hits = new ChunkHits(chunk);
    for (let i = 0; i < spans.length; i += 2) {
      const index = this.#total + i / 2;
      if (index < offset || index >= offset + limit) continue;
      this.#hits.push(hits.toHit(spans[i] as number, spans[i + 1] as number));
    }
    this.#counts.set(chunk.path, (this.#counts.get(chunk.path) ?? 0) + count);
    this.#total += count;
  }
}
