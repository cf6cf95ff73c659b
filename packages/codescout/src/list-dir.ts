import { defineTool, mapArgs, nearestArgument, type ToolContext, type ToolOutput } from '@jinn/core';
import { walk } from '@jinn/workspace/walk';
import { rejectReference } from './buffers/buffers.ts';
import { cutToAnswer, keepResult, largestCounts, MOST_SHOWN_BYTES, outputPath } from './buffers/large-result.ts';
import { fitToHost } from './fit/fit-to-host.ts';

const EXPLORING_ENTRIES = 200;
const FOCUSED_ENTRIES = 50;
const MAX_ENTRIES = 50_000;

const definition = defineTool({
  name: 'list_dir',
  effect: 'read',
  description:
    'List files and directories, which end in a slash. Hidden and ignored files are excluded. Up to 200 entries. detail_level "full" gives all, in pages.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('Directory path relative to the project root')),
      recursive: z._default(z.boolean().check(z.describe('Descend into subdirectories')), false),
      detail_level: z.optional(z.string().check(z.describe('Pass "full" to page through all entries'))),
      offset: z._default(z.int().check(z.minimum(0), z.describe('Entries to skip')), 0),
      limit: z.optional(z.int().check(z.minimum(1), z.describe('Entries per page (default 50 with "full")'))),
    }),
  output: {
    type: 'object',
    properties: {
      entries: { type: 'array', items: { type: 'string' } },
      output_id: { type: 'string' },
      overflow: { type: 'object' },
    },
    required: ['entries'],
  },
  examples: [{ path: 'src' }, { path: 'src', recursive: true }, { path: '.', detail_level: 'full', offset: 50 }],
  hosting: { maxResult: MOST_SHOWN_BYTES },

  async run({ path, recursive, detail_level, offset, limit }, ctx): Promise<ToolOutput> {
    rejectReference(ctx, path);
    const isFocused = detail_level === 'full';
    const cap = Math.min(limit ?? (isFocused ? FOCUSED_ENTRIES : EXPLORING_ENTRIES), MAX_ENTRIES);
    const found = await findEntries(ctx, { path, recursive, offset, cap });
    const cut = cutToAnswer(ctx, found.entries, () => ({ entries: found.entries, total: found.total }));
    const { items: entries, reference, goOn } = cut;
    const rest = { ...(reference && { output_id: reference }) };
    const next = offset + entries.length;
    const hasMore = next < found.total;
    if (!hasMore && (offset === 0 || !isFocused)) return { data: { entries, ...rest }, warnings: found.warnings };
    const overflow = {
      shown: entries.length,
      total: found.total,
      hint: !hasMore ? 'This is the last page' : isFocused ? `Next page: offset=${next}` : hintOf(goOn, recursive),
      ...(hasMore && { next_offset: next }),
      ...(recursive && hasMore && { by_directory: largestCounts(found.counts) }),
    };
    const bounds = hasMore ? { truncated: true, totalCount: found.total } : {};
    return { data: { entries, ...rest, overflow }, ...bounds, warnings: found.warnings };
  },
});

/** Without a path it lists the project root. */
export const listDir = mapArgs(fitToHost(definition, { isPaged: true, keep: keepResult }), (args) =>
  Object.keys(args).some((name) => nearestArgument(name, ['path'])) ? args : { ...args, path: '.' },
);

async function findEntries(
  ctx: ToolContext,
  { path, recursive, offset, cap }: { path: string; recursive: boolean; offset: number; cap: number },
) {
  const entries: string[] = [];
  const counts = new Map<string, number>();
  let total = 0;
  const start = ctx.workspace.status(path).path;
  const { warnings } = await walk(
    ctx.workspace,
    path,
    { gitignore: true, checkpoint: ctx.checkpoint, ...(!recursive && { maxDepth: 1 }) },
    ({ path: found, kind }) => {
      if (total >= offset && entries.length < cap) {
        entries.push(`${outputPath(ctx.workspace, found)}${kind === 'directory' ? '/' : ''}`);
      }
      total++;
      const below = start === '.' ? found : found.slice(start.length + 1);
      const directory = below.slice(0, below.indexOf('/') + 1);
      if (directory !== '') counts.set(directory, (counts.get(directory) ?? 0) + 1);
      return undefined;
    },
  );
  return { entries, total, counts, warnings };
}

function hintOf(goOn: string | undefined, recursive: boolean): string {
  if (goOn !== undefined) return goOn;
  return recursive
    ? 'Use a more specific path, or recursive=false; detail_level="full" pages through all entries'
    : 'Use find_file with a pattern, or detail_level="full" with offset and limit to see all entries';
}
