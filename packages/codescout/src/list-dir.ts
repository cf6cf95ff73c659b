import { defineTool, mapArgs, nearestArgument, type ToolContext, type ToolOutput } from '@jinn/core';
import { walk } from '@jinn/workspace/walk';
import { cutList, keepResult, MOST_SHOWN_BYTES } from './buffers/large-result.ts';
import { rejectReference } from './buffers/reject-reference.ts';
import { fitToHost } from './fit/fit-to-host.ts';
import { outputPath } from './output-path.ts';

const EXPLORING_ENTRIES = 200;
const FOCUSED_ENTRIES = 50;
const MAX_ENTRIES = 50_000;
const MAX_COUNTED = 15;

const definition = defineTool({
  name: 'list_dir',
  effect: 'read',
  description:
    'List files and directories, which end in a slash. Hidden files and what git ignores are left out. Up to 200 entries; detail_level "full" gives all, in pages.',
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
    const cut = cutList(ctx, found.entries, () => ({ entries: found.entries, total: found.total }));
    const { items: entries, reference, goOn } = cut;
    const rest = { ...(reference && { output_id: reference }) };
    const next = offset + entries.length;
    const hasMore = next < found.total;
    if (!hasMore && (offset === 0 || !isFocused)) return { data: { entries, ...rest }, warnings: found.warnings };
    const overflow = {
      shown: entries.length,
      total: found.total,
      hint: hasMore ? hintOf({ isFocused, recursive, next, goOn }) : 'This is the last page',
      ...(hasMore && { next_offset: next }),
      ...(recursive && hasMore && { by_directory: found.largest() }),
    };
    const bounds = hasMore ? { truncated: true, totalCount: found.total } : {};
    return { data: { entries, ...rest, overflow }, ...bounds, warnings: found.warnings };
  },
});

/** Without a path it lists the project root. */
export const listDir = mapArgs(fitToHost(definition, { isPaged: true, keep: keepResult }), (args) =>
  Object.keys(args).some((name) => nearestArgument(name, ['path'])) ? args : { ...args, path: '.' },
);

interface ListRequest {
  readonly path: string;
  readonly recursive: boolean;
  readonly offset: number;
  readonly cap: number;
}

/** Lists a page, and counts all entries, so that the caller knows how many there are. They are ordered by path. */
async function findEntries(ctx: ToolContext, { path, recursive, offset, cap }: ListRequest) {
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
      const slash = below.indexOf('/');
      if (slash >= 0) counts.set(below.slice(0, slash), (counts.get(below.slice(0, slash)) ?? 0) + 1);
      return undefined;
    },
  );
  const largest = () =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_COUNTED)
      .map(([directory, count]) => ({ directory: `${directory}/`, count }));
  return { entries, total, largest, warnings };
}

interface Hint {
  readonly isFocused: boolean;
  readonly recursive: boolean;
  readonly next: number;
  readonly goOn: string | undefined;
}

function hintOf({ isFocused, recursive, next, goOn }: Hint): string {
  if (isFocused) return `Next page: offset=${next}`;
  if (goOn !== undefined) return goOn;
  return recursive
    ? 'Use a more specific path, or recursive=false; detail_level="full" pages through all entries'
    : 'Use find_file with a pattern, or detail_level="full" with offset and limit to see all entries';
}
