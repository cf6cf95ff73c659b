import { isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import { type LineMatches, MatchThread, matchLines } from '@jinn/core/thread';
import {
  byCodeUnits,
  checkFound,
  type Hit,
  isQuick,
  MAX_WHOLE_FILE,
  type Part,
  type SearchQuery,
  type SearchResult,
  SMALL_FILE,
  timeLeft,
} from '../query/search-query.ts';
import { mayNeedCharset } from '../query/searched-charsets.ts';
import {
  type Chunk,
  ChunkHits,
  contentOf,
  FILE_START,
  isLeftOut,
  mayHoldNul,
  OpenFiles,
  type Position,
  readChunk,
} from './searched-content.ts';

/** How many characters are matched at once. */
const BATCH_LENGTH = 1024 * 1024;
const FEW_LENGTH = 256 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Searches files with JavaScript's regular expressions. */
export async function searchOwn(paths: readonly string[], query: SearchQuery): Promise<SearchResult> {
  const search = new OwnSearch(query);
  try {
    for (const [i, path] of [...paths].sort(byCodeUnits).entries()) {
      await query.ctx.checkpoint();
      search.checkTime(i, paths.length);
      await search.searchFile(path);
    }
    return await search.finish();
  } finally {
    await search.close();
  }
}

class OwnSearch {
  readonly #query: SearchQuery;
  readonly #files: OpenFiles;
  /** Opens them, and counts the time. */
  readonly #counted: Pick<OpenFiles, 'withFile'>;
  readonly #counts = new Map<string, number>();
  readonly #hits: Hit[] = [];
  #thread: MatchThread | undefined;
  #batch: Chunk[] = [];
  #batchLength = 0;
  #total = 0;

  constructor(query: SearchQuery) {
    this.#query = query;
    this.#files = new OpenFiles(query.ctx.workspace);
    this.#counted = { withFile: (path, use) => query.limits.own.run(() => this.#files.withFile(path, use)) };
  }

  checkTime(searched: number, all: number): void {
    const { endsAt, totalMs, ownMs, own } = this.#query.limits;
    const isSpent = own.ms >= ownMs;
    if (process.uptime() <= endsAt && !isSpent) return;
    const time = isSpent ? `${ownMs / 1000} seconds of processor time` : `${totalMs / 1000} seconds`;
    throw new ToolError('timeout', `after ${time} ${searched} of ${all} files were searched`, {
      suggestion: 'search fewer files with path, include or type, or pass a longer timeout',
    });
  }

  async searchFile(path: string): Promise<void> {
    let chunk = this.#read(path, FILE_START);
    if (await isDecoded(path, chunk, this.#query)) chunk = this.#read(path, FILE_START);
    if (chunk?.next && (await isLeftOut(this.#counted, path, this.#query))) return;
    while (chunk) {
      this.#batch.push(chunk);
      this.#batchLength += chunk.text.length;
      if (this.#batchLength >= BATCH_LENGTH) await this.#matchBatch();
      await this.#query.ctx.checkpoint(); // Someone may write faster than this reads.
      chunk = chunk.next && this.#read(path, chunk.next);
    }
  }

  async finish(): Promise<SearchResult> {
    await this.#matchBatch();
    return { engine: 'built-in', counts: this.#counts, hits: this.#hits };
  }

  async close(): Promise<void> {
    this.#files.close();
    await this.#thread?.close();
  }

  /** Reads a chunk of a file, or undefined for a binary file, and for one that cannot be read, of which it warns. */
  #read(path: string, position: Position): Chunk | undefined {
    const { crossesLines } = this.#query;
    try {
      return this.#counted.withFile(path, (file) => {
        if (crossesLines && file.size > MAX_WHOLE_FILE) {
          const content = contentOf(file, this.#query.charsets?.get(path));
          if (!mayHoldNul(this.#query, path, content) && content.slice(0, HEAD_BYTES).includes(0)) return undefined;
          throw new ToolError('file_too_large', `${path} is larger than 32 MiB, too large for multiline`);
        }
        return readChunk(file, path, position, this.#query);
      });
    } catch (error) {
      if (!(error instanceof ToolError) || isOutOfDescriptors(error)) throw error;
      const isTooLarge = error.code === 'file_too_large';
      this.#query.leftOut?.add(
        isTooLarge
          ? 'too large (over 32 MiB), not searched'
          : `${error.message.replace(`: ${path}`, '')}, not searched`,
        path,
      );
      return undefined;
    }
  }

  async #matchBatch(): Promise<void> {
    const chunks = this.#batch;
    this.#batch = [];
    this.#batchLength = 0;
    if (chunks.length === 0) return;
    const { offset, limit } = this.#query.window;
    const wanted = Math.max(0, offset + limit - this.#total);
    const found = await this.#match({ texts: chunks.map(({ text }) => text), limit: wanted });
    this.#query.limits.own.run(() => {
      for (const [i, matches] of found.entries()) this.#add(chunks[i] as Chunk, matches);
    });
  }

  async #match(task: { readonly texts: readonly string[]; readonly limit: number }): Promise<LineMatches[]> {
    const { pattern, crossesLines, limits, ctx } = this.#query;
    const linePattern = { js: pattern.js, flags: pattern.flags, crossesLines };
    // Starting a thread takes longer than searching a few files.
    const quick = limits.own.run(() =>
      !this.#thread && isQuick(this.#query, task.texts) ? matchLines(linePattern, task) : undefined,
    );
    if (quick) return quick;
    this.#thread ??= new MatchThread(linePattern, Math.min(limits.patternMs, timeLeft(limits)), ctx.signal);
    // Node cannot tell the threads of a process apart.
    const end = limits.own.begin();
    return this.#thread.ask(task).finally(end);
  }

  #add(chunk: Chunk, { count, spans }: LineMatches): void {
    if (count === 0) return;
    const { offset, limit } = this.#query.window;
    const hits = new ChunkHits(chunk);
    for (let i = 0; i < spans.length; i += 3) {
      const index = this.#total + i / 3;
      if (index < offset || index >= offset + limit) continue;
      this.#hits.push(hits.toHit(spans[i] as number, spans[i + 2] as number));
    }
    this.#counts.set(chunk.path, (this.#counts.get(chunk.path) ?? 0) + count);
    this.#total += count;
    checkFound(this.#counts);
  }
}

/** Reports whether a file must be read again, in its encoding. Only of a named file, a NUL may be part of the text. */
async function isDecoded(path: string, chunk: Chunk | 'binary' | undefined, { charsets, named }: SearchQuery) {
  if (!charsets || charsets.get(path)) return false;
  const mayBe = typeof chunk === 'object' ? mayNeedCharset(chunk.text) : named?.has(path) === true;
  return mayBe && charsets.look(path);
}

export interface FewFound {
  readonly count: number;
  readonly hits: readonly Hit[];
}

interface PartChunk extends Part {
  readonly chunk: Chunk;
}

/**
 * Finds hits in a few small files without starting a process or a thread. Large files, files that cannot be read, and
 * those in which the pattern may take long are missing in the answer. A binary file has no hits.
 */
export async function searchFew(parts: readonly Part[], query: SearchQuery): Promise<Map<string, FewFound>> {
  const found = new Map<string, FewFound>();
  const files = new OpenFiles(query.ctx.workspace);
  try {
    for (let next = 0; next < parts.length; ) {
      await query.ctx.checkpoint();
      const batch: PartChunk[] = [];
      for (let length = 0; next < parts.length && length < FEW_LENGTH; next++) {
        const part = parts[next] as Part;
        let chunk = readSmall(files, part.path, query);
        if (await isDecoded(part.path, chunk, query)) chunk = readSmall(files, part.path, query);
        if (chunk === 'binary') found.set(part.path, { count: 0, hits: [] });
        else if (chunk) batch.push({ ...part, chunk });
        length += typeof chunk === 'object' ? chunk.text.length : 0;
      }
      matchFew(batch, query, found);
    }
    return found;
  } finally {
    files.close();
  }
}

function readSmall(files: OpenFiles, path: string, query: SearchQuery): Chunk | 'binary' | undefined {
  try {
    return files.withFile(path, (file) => {
      if (file.size > SMALL_FILE) return undefined;
      return readChunk(file, path, FILE_START, query) ?? 'binary';
    });
  } catch (error) {
    if (error instanceof ToolError && !isOutOfDescriptors(error)) return undefined;
    throw error;
  }
}

function matchFew(parts: readonly PartChunk[], query: SearchQuery, found: Map<string, FewFound>): void {
  const { pattern, crossesLines } = query;
  const texts = parts.map(({ chunk }) => chunk.text);
  if (!isQuick(query, texts)) return;
  const limit = parts.reduce((most, { skip, take }) => Math.max(most, skip + take), 0);
  const matches = matchLines({ js: pattern.js, flags: pattern.flags, crossesLines }, { texts, limit });
  for (const [i, { count, spans }] of matches.entries()) {
    const { path, skip, take, chunk } = parts[i] as PartChunk;
    const hits = new ChunkHits(chunk);
    const shown = spans.subarray(3 * skip, 3 * (skip + take));
    const toHit = (_: unknown, at: number) => hits.toHit(shown[3 * at] as number, shown[3 * at + 2] as number);
    found.set(path, { count, hits: Array.from({ length: shown.length / 3 }, toHit) });
  }
}
