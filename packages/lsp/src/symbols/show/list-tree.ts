import type { ToolContext, ToolOutput } from '@jinn/core';
import { toTreeScope } from '../find/scope.ts';
import { createSourceIndex } from '../find/source-index.ts';
import { overflowOf, toPage } from './paging.ts';
import { readSource, unlessRefused } from './read-source.ts';
import { gapsIn, HINT, type ListArgs, MOST_TOP, roomOf, type ShownSymbol, showTop } from './show-symbol.ts';

const MOST_FILES = 50;

/** Lists declarations by file. Throws ToolError for a path that is refused or missing. */
export async function listTree(ctx: ToolContext, args: ListArgs): Promise<ToolOutput> {
  const scope = toTreeScope(ctx, args.path);
  // The whole project, but of a directory only the files in it.
  const isShallow = scope.kind === 'directory' && scope.start !== '.';
  const { files, warnings, leftOut } = await ctx.session
    .use(createSourceIndex)
    .scan(ctx, isShallow ? { ...scope, maxDepth: 1 } : scope);
  const page = toPage(args, MOST_FILES);
  const room = roomOf(page);
  const top = { offset: 0, limit: MOST_TOP, isFocused: page.isFocused };
  const showing = { depth: args.depth ?? 0, withDocs: args.include_docs, room };
  const listed: { file: string; symbols: ShownSymbol[] }[] = [];
  for (const { path } of files.slice(page.offset, page.offset + page.limit)) {
    if (room.left <= 0) break;
    // It may be gone by now, or the parser gave up on it.
    const source = await unlessRefused(
      () => readSource(ctx, `./${path}`),
      ({ message }) => ctx.warn(`${path}: ${message}`),
    );
    for (const gap of source ? gapsIn(path, source.outline) : []) ctx.warn(gap);
    listed.push({ file: path, symbols: source ? showTop(source, top, showing) : [] });
    await ctx.checkpoint();
  }
  const overflow = overflowOf({ ...page, limit: listed.length }, { total: files.length, hint: HINT });
  const name = scope.kind === 'directory' ? { directory: scope.start } : { pattern: args.path };
  return {
    data: { ...name, files: listed, ...(overflow && { total: files.length, overflow }) },
    ...(overflow && { truncated: true, totalCount: files.length }),
    warnings: [...warnings, ...leftOut.lines()],
  };
}
