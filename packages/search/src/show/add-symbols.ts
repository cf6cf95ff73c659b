import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, MAX_SOURCE_BYTES, namePathOf, type Outline, symbolAtLine } from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';
import type { Charset } from '@jinn/workspace/find-charset';
import type { SearchedCharsets } from '../query/searched-charsets.ts';
import type { ShownFile } from './read-shown.ts';

const LIMIT_MS = 5_000;

/**
 * Adds the innermost symbol around each hit, if there is a syntax tree. A warning says if there was no time for all.
 */
export async function addSymbols(
  ctx: ToolContext,
  files: readonly ShownFile[],
  charsets: SearchedCharsets,
): Promise<ShownFile[]> {
  const end = process.uptime() * 1_000 + LIMIT_MS;
  const shown: ShownFile[] = [];
  for (const file of files) {
    const outline = process.uptime() * 1_000 < end ? await outlineOf(ctx, file, charsets.get(file.path)) : undefined;
    const symbolOf = (line: number) => outline && symbolAtLine(outline, line);
    const hits = file.hits.map((hit) => {
      const symbol = symbolOf(hit.line);
      return outline && symbol ? { ...hit, symbol: namePathOf(outline, symbol) } : hit;
    });
    shown.push({ ...file, hits });
    await ctx.checkpoint();
  }
  if (process.uptime() * 1_000 >= end) ctx.warn('there was no time to find the symbols around all matches');
  return shown;
}

async function outlineOf(
  ctx: ToolContext,
  { path, version }: ShownFile,
  charset: Charset | undefined,
): Promise<Outline | undefined> {
  const bytes = readSource(ctx, path);
  // The file may have changed since the search.
  if (!bytes || version === undefined || versionOf(bytes) !== version) return undefined;
  const content = charset?.decode(bytes) ?? bytes;
  const outline = await ctx.session.use(createOutlines).read({ path, content, version });
  return isOutline(outline) ? outline : undefined;
}

function readSource({ workspace }: ToolContext, path: string): Buffer | undefined {
  try {
    return workspace.withFile(`./${path}`, (file) =>
      file.size > MAX_SOURCE_BYTES ? undefined : file.slice(0, file.size),
    );
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
