import { isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import { type LineMatches, matchLines } from '@jinn/core/thread';
import { isQuick } from '../query/is-quick.ts';
import { SMALL_FILE } from '../query/limits.ts';
import type { Hit, Part, SearchQuery } from '../query/search-query.ts';
import { type Chunk, ChunkHits, FILE_START, readChunk } from './chunk.ts';
import { OpenFiles } from './open-files.ts';

/** How many characters are matched at once. */
const BATCH_LENGTH = 256 * 1024;

export interface FewFound {
  readonly count: number;
  readonly hits: readonly Hit[];
}

/**
 * Finds hits in a few small files without starting a process or a thread. Large files, files that cannot be read, and
 * those in which the pattern may take long are missing in the answer. A binary file has no hits.
 */
export async function searchFew(parts: readonly Part[], query: SearchQuery): Promise<Map<string, FewFound>> {
  const found = new Map<string, FewFound>();
  const files = new OpenFiles(query.ctx.workspace);
  try {
    for (let at = 0; at < parts.length; ) {
      await query.ctx.checkpoint();
      const batch = readBatch(files, parts, at, query);
      at = batch.end;
      for (const path of batch.binary) found.set(path, { count: 0, hits: [] });
      if (
        isQuick(
          query,
          batch.chunks.map(({ chunk }) => chunk.text),
        )
      )
        matchBatch(batch.chunks, query, found);
    }
    return found;
  } finally {
    files.close();
  }
}

interface PartChunk extends Part {
  readonly chunk: Chunk;
}

function readBatch(files: OpenFiles, parts: readonly Part[], start: number, query: SearchQuery) {
  const chunks: PartChunk[] = [];
  const binary: string[] = [];
  let [end, length] = [start, 0];
  for (; end < parts.length && length < BATCH_LENGTH; end++) {
    const part = parts[end] as Part;
    const chunk = readSmall(files, part.path, query);
    if (chunk === 'binary') binary.push(part.path);
    else if (chunk) chunks.push({ ...part, chunk });
    length += typeof chunk === 'object' ? chunk.text.length : 0;
  }
  return { chunks, binary, end };
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

function matchBatch(
  parts: readonly PartChunk[],
  { pattern, crossesLines }: SearchQuery,
  found: Map<string, FewFound>,
): void {
  const task = {
    texts: parts.map(({ chunk }) => chunk.text),
    limit: parts.reduce((most, { skip, take }) => Math.max(most, skip + take), 0),
  };
  const matches = matchLines({ js: pattern.js, flags: pattern.flags, crossesLines }, task);
  for (const [i, one] of matches.entries()) {
    const part = parts[i] as PartChunk;
    found.set(part.path, { count: one.count, hits: toHits(part, one) });
  }
}

function toHits({ chunk, skip, take }: PartChunk, { spans }: LineMatches): Hit[] {
  const hits = new ChunkHits(chunk);
  const shown = spans.subarray(3 * skip, 3 * (skip + take));
  return Array.from({ length: shown.length / 3 }, (_, i) =>
    hits.toHit(shown[3 * i] as number, shown[3 * i + 2] as number),
  );
}
