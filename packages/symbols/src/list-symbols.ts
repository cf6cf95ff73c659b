import { defineTool, type ToolContext, ToolError, type ToolOutput } from '@jinn/core';
import { overflowOf, type Page, toPage } from './paging.ts';
import { readSource, type Source } from './read-source.ts';
import { type Scope, type TreeScope, toScope } from './scope.ts';
import { childrenOf, type ShownSymbol, showSymbol } from './show-symbol.ts';
import { createSourceIndex } from './source-index.ts';

const MOST_FILES = 50;
const MOST_TOP = 100;
/** With those within others. */
const MOST_SYMBOLS = 150;
/** Of one page that was asked for. */
const MOST_OF_PAGE = 2_000;

export const listSymbols = defineTool({
  name: 'list_symbols',
  effect: 'read',
  description: 'List what a file declares, or the code in a directory or of a glob: names, kinds, signatures, lines.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('File, directory or glob')), '.'),
      depth: z.optional(z.int().check(z.minimum(0), z.describe('Levels of members (default 1; 0 for directories)'))),
      include_docs: z._default(z.boolean().check(z.describe('With doc lines')), false),
      detail_level: z.optional(z.string().check(z.describe('Set to "full" to page through all'))),
      offset: z.optional(z.int().check(z.minimum(0), z.describe('Results to skip'))),
      limit: z.optional(z.int().check(z.minimum(0), z.describe('The most results'))),
    }),
  output: {
    type: 'object',
    properties: {
      file: { type: 'string' },
      directory: { type: 'string' },
      pattern: { type: 'string' },
      symbols: { type: 'array' },
      files: { type: 'array' },
      total: { type: 'integer' },
      overflow: { type: 'object' },
    },
  },
  examples: [{ path: 'src/main.ts' }, { path: 'src', depth: 0 }, { path: 'src/**/*.py', include_docs: true }],

  async run(args, ctx): Promise<ToolOutput> {
    const scope = toScope(ctx, args.path);
    return scope.kind === 'file' ? listFile(ctx, args) : listTree(ctx, args, scope);
  },
});

interface Args {
  readonly path: string;
  readonly depth?: number | undefined;
  readonly include_docs: boolean;
  readonly detail_level?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

async function listFile(ctx: ToolContext, args: Args): Promise<ToolOutput> {
  const source = await readSource(ctx, args.path);
  const page = toPage(args, MOST_TOP);
  const top = childrenOf(source.outline, undefined);
  const symbols = show(source, { args, page, room: roomOf(page) });
  const total = top.length;
  const overflow = overflowOf({ ...page, limit: symbols.length }, { total, hint: HINT });
  const { path, version, outline } = source;
  return {
    data: { file: path, symbols, ...(overflow && { total, overflow }) },
    ...(overflow && { truncated: true, totalCount: total }),
    meta: { version, ...(outline.truncated && { truncated: true }) },
  };
}

const HINT = 'pass detail_level: "full" with offset and limit, or a narrower path';

function roomOf({ isFocused }: Page): { left: number } {
  return { left: isFocused ? MOST_OF_PAGE : MOST_SYMBOLS };
}

/** The symbols at the top of a file that are on the page, as far as there is room. */
function show(
  source: Source,
  { args, page, room }: { args: Args; page: Page; room: { left: number } },
  depth = args.depth ?? 1,
): ShownSymbol[] {
  const shown: ShownSymbol[] = [];
  for (const symbol of childrenOf(source.outline, undefined).slice(page.offset, page.offset + page.limit)) {
    if (room.left <= 0) break;
    shown.push(showSymbol(source, symbol, { depth, withDocs: args.include_docs, room }));
  }
  return shown;
}

async function listTree(ctx: ToolContext, args: Args, scope: TreeScope): Promise<ToolOutput> {
  // The whole project, but of a directory only the files in it.
  const isShallow = scope.kind === 'directory' && scope.start !== '.';
  const { files, warnings } = await ctx.session
    .use(createSourceIndex)
    .scan(ctx, isShallow ? { ...scope, maxDepth: 1 } : scope);
  const page = toPage(args, MOST_FILES);
  const room = roomOf(page);
  const listed: { file: string; symbols: ShownSymbol[] }[] = [];
  for (const { path } of files.slice(page.offset, page.offset + page.limit)) {
    if (room.left <= 0) break;
    const source = await readIfPossible(ctx, path);
    const all = { offset: 0, limit: MOST_TOP, isFocused: page.isFocused };
    listed.push({ file: path, symbols: source ? show(source, { args, page: all, room }, args.depth ?? 0) : [] });
    await ctx.checkpoint();
  }
  const overflow = overflowOf({ ...page, limit: listed.length }, { total: files.length, hint: HINT });
  return {
    data: { ...nameOf(scope, args.path), files: listed, ...(overflow && { total: files.length, overflow }) },
    ...(overflow && { truncated: true, totalCount: files.length }),
    warnings,
  };
}

function nameOf(scope: Scope, asked: string) {
  return scope.kind === 'directory' ? { directory: scope.start } : { pattern: asked };
}

/** Undefined for a file that is gone by now, or that the parser gave up on. */
async function readIfPossible(ctx: ToolContext, path: string): Promise<Source | undefined> {
  try {
    return await readSource(ctx, `./${path}`);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    ctx.warn(`${path}: ${error.message}`);
    return undefined;
  }
}
