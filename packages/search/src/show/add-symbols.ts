import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, MAX_SOURCE_BYTES, namePathOf, type Outline, symbolAtLine } from '@jinn/syntax';
import { type OpenFile, versionOf } from '@jinn/workspace';
import type { FoundFile } from './show-hits.ts';

/** The time for the trees of all files. */
const LIMIT_MS = 5_000;

/**
 * Adds the innermost symbol around each hit, if there is a syntax tree. A warning says if there was no time for all.
 */
export async function addSymbols(ctx: ToolContext, files: readonly FoundFile[]): Promise<FoundFile[]> {
  const end = process.uptime() * 1_000 + LIMIT_MS;
  const shown: FoundFile[] = [];
  for (const file of files) {
    const outline = process.uptime() * 1_000 < end ? await outlineOf(ctx, file) : undefined;
    shown.push(outline ? withSymbols(file, outline) : file);
    await ctx.checkpoint();
  }
  if (process.uptime() * 1_000 >= end) ctx.warn('there was no time to find the symbols around all matches');
  return shown;
}

function withSymbols(file: FoundFile, outline: Outline): FoundFile {
  const hits = file.hits.map((hit) => {
    const symbol = symbolAtLine(outline, hit.line);
    return { ...hit, symbol: symbol && namePathOf(outline, symbol) };
  });
  return { ...file, hits };
}

/** Reads the outline of a file; undefined if it has no syntax tree, or if it has changed since the search. */
async function outlineOf(
  { workspace, session }: ToolContext,
  { path, version }: FoundFile,
): Promise<Outline | undefined> {
  const content = read(() => workspace.withFile(`./${path}`, contentOf));
  if (!content || version === undefined || versionOf(content) !== version) return undefined;
  const outline = await session.use(createOutlines).read({ path, content, version });
  return isOutline(outline) ? outline : undefined;
}

function contentOf(file: OpenFile): Buffer | undefined {
  return file.size > MAX_SOURCE_BYTES ? undefined : file.slice(0, file.size);
}

function read(open: () => Buffer | undefined): Buffer | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
