import { isBinary, SNIFF_BYTES } from '@jinn/workspace';
import type { SearchQuery } from '../query/search-query.ts';
import type { OpenFiles } from './open-files.ts';
import { contentOf, type SearchedContent } from './searched-content.ts';

const SCAN_BYTES = 1024 * 1024;

/**
 * Reports whether NULs are part of the text of a file: it is named, and not binary by the rule of all tools. To ask that
 * of each file would take longer than a search, so of others a NUL anywhere makes them binary.
 */
export function mayHoldNul({ named, searchesBinary }: SearchQuery, path: string, content: SearchedContent): boolean {
  if (searchesBinary) return true;
  return named?.has(path) === true && !content.isConverted && !isBinary(content.slice(0, SNIFF_BYTES));
}

/** Reports whether a file is left out as binary. Throws ToolError, and the errors of `checkpoint`. */
export async function isLeftOut(
  files: Pick<OpenFiles, 'withFile'>,
  path: string,
  query: SearchQuery,
): Promise<boolean> {
  for (let at = 0; ; at += SCAN_BYTES) {
    const { isFree, hasNul, isLast } = files.withFile(path, (file) => {
      const content = contentOf(file);
      if (at === 0 && mayHoldNul(query, path, content)) return { isFree: true };
      const bytes = content.slice(at, content.isConverted ? content.size : at + SCAN_BYTES);
      return { hasNul: bytes.includes(0), isLast: bytes.length < SCAN_BYTES };
    });
    if (hasNul) return true;
    if (isFree || isLast) return false;
    await query.ctx.checkpoint();
  }
}
