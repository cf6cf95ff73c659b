import { defineTool, type ToolOutput } from '@jinn/core';
import type { Visualization } from '@jinn/core/visualization';
import { type WalkEntry, walk } from '@jinn/workspace/walk';

const MAX_DEPTH = 10;
const DEFAULT_ENTRIES = 500;
const MAX_ENTRIES = 10_000;
const FRAME_BYTES = 300;
const MAX_SHOWN = 1_000;

export const listDir = defineTool({
  name: 'list_dir',
  effect: 'read',
  description: 'List a directory down to a depth. Directories end in a slash. Hidden and ignored names are excluded.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory')), '.'),
      depth: z._default(z.int().check(z.describe('Levels, 1 to 10')), 3),
      max_entries: z._default(z.int().check(z.describe('Maximum')), DEFAULT_ENTRIES),
      offset: z._default(z.int().check(z.minimum(0), z.describe('Skipped')), 0),
      changed_since: z._default(z.number().check(z.describe('Only what was modified after this Unix time')), 0),
      no_ignore: z._default(z.boolean().check(z.describe('What git ignores too')), false),
      format: z.optional(z.enum(['paths', 'tree']).check(z.describe('Paths, or an indented tree'))),
    }),
  output: {
    type: 'object',
    properties: {
      entries: { type: 'array', items: { type: 'string' } },
      tree: { type: 'string' },
      truncated: { type: 'boolean' },
      total_count: { type: 'integer' },
      hint: { type: 'string' },
    },
    required: ['truncated', 'total_count'],
  },
  hosting: { unlisted: ['changed_since', 'format'] },
  examples: [
    {},
    { path: 'src', depth: 1 },
    { format: 'tree', depth: 2 },
    { changed_since: 1_700_000_000, max_entries: 100 },
  ],

  async run({ path, depth, max_entries, offset, changed_since, no_ignore, format }, ctx): Promise<ToolOutput> {
    const { workspace, checkpoint, maxResult } = ctx;
    const isHosted = maxResult !== undefined;
    const limit = max_entries > 0 ? Math.min(max_entries, MAX_ENTRIES) : DEFAULT_ENTRIES;
    const maxDepth = Math.min(Math.max(depth, 1), MAX_DEPTH);
    const entries: string[] = [];
    let total = 0;
    let room = (maxResult ?? Number.POSITIVE_INFINITY) - FRAME_BYTES;
    const options = { maxDepth, checkpoint, gitignore: !no_ignore };
    const { warnings } = await walk(workspace, path, options, (entry) => {
      if (changed_since > 0 && !isChangedSince(entry, changed_since)) return undefined;
      total++;
      if (total <= offset || entries.length === limit || room <= 0) return undefined;
      const text = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
      room -= Buffer.byteLength(JSON.stringify(text)) + 1; // A line of a tree takes less.
      if (room > 0 || entries.length === 0) entries.push(text);
      return undefined;
    });
    const next = offset + entries.length;
    const truncated = total > next;
    const hint = truncated && isHosted ? `pass offset: ${next} for the next entries` : undefined;
    const rest = {
      ...(truncated && { truncated, totalCount: total }),
      warnings,
      visualize: () => visualize(entries, total),
    };
    const shownAs = format ?? (isHosted ? 'tree' : 'paths');
    if (shownAs === 'paths')
      return { data: { entries, truncated, total_count: total, ...(hint && { hint }) }, ...rest };
    const base = workspace.status(path).path;
    const tree = toTree(entries, base === '.' ? 0 : base.split('/').length);
    if (!isHosted) return { data: { tree, truncated, total_count: total }, ...rest };
    // In JSON, a tree would take more tokens of a model.
    const listed = hint === undefined ? tree : `${tree}\n[${entries.length} of ${total} entries; ${hint}]`;
    const none = total === 0 ? '[no entries]' : `[no entries from offset ${offset} on: there are ${total}]`;
    return { text: entries.length > 0 ? listed : none, ...rest };
  },
});

function visualize(entries: readonly string[], total: number): Visualization {
  if (total === 0) return { type: 'none', message: 'nothing to list' };
  return { type: 'file-list', files: entries.slice(0, MAX_SHOWN).map((path) => ({ path })), total };
}

function toTree(entries: readonly string[], base: number): string {
  const lines: string[] = [];
  let open: string[] = [];
  const levels = entries.map((entry) => entry.replace(/\/$/, '').split('/'));
  for (const [i, segments] of levels.entries()) {
    let level = base;
    while (level < segments.length - 1 && open[level] === segments[level]) level++;
    for (; level < segments.length; level++) {
      const isLast = level === segments.length - 1;
      const slash = isLast && !entries[i]?.endsWith('/') ? '' : '/';
      lines.push(`${'  '.repeat(level - base)}${segments[level]}${slash}`);
    }
    open = segments;
  }
  return lines.join('\n');
}

function isChangedSince({ directory, name }: WalkEntry, seconds: number): boolean {
  try {
    return directory.modifiedOf(name) > seconds * 1000;
  } catch {
    return false;
  }
}
