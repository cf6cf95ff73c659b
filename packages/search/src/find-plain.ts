import { ToolError, type Workspace } from '@jinn/core';
import { SAMPLE_BYTES } from './limits.ts';
import type { Hit } from './search-query.ts';
import { contentOf } from './searched-content.ts';

const LINE_FEED = 10;
/** A larger file is left to an engine. */
const MAX_BYTES = 1024 * 1024;

/**
 * Finds the first lines in a file that hold a plain text: without an engine, whose start takes longer than a small file.
 * Undefined for a file that is large or cannot be read.
 */
export function findPlain(workspace: Workspace, path: string, text: string, limit: number): Hit[] | undefined {
  try {
    return workspace.withFile(`./${path}`, (file) => {
      if (file.size > MAX_BYTES) return undefined;
      const content = contentOf(file);
      return linesWith(content.slice(0, content.size), Buffer.from(text), { path, limit });
    });
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function linesWith(bytes: Buffer, text: Buffer, { path, limit }: { path: string; limit: number }): Hit[] {
  const hits: Hit[] = [];
  const sample = text.subarray(0, SAMPLE_BYTES);
  let [line, counted] = [1, 0];
  for (let at = bytes.indexOf(text); at >= 0 && hits.length < limit; ) {
    const offset = at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
    for (
      let end = bytes.indexOf(LINE_FEED, counted);
      end >= 0 && end < offset;
      end = bytes.indexOf(LINE_FEED, counted)
    ) {
      line++;
      counted = end + 1;
    }
    const found = bytes.indexOf(LINE_FEED, at);
    const end = found < 0 ? bytes.length : found;
    const start = at - offset;
    hits.push({ path, line, offset, length: end - offset, start, end: start + text.length, sample });
    at = bytes.indexOf(text, end);
  }
  return hits;
}
