import { defineTool } from '@jinn/core';
import { type WalkEntry, walk } from '@jinn/walk';

const MAX_DEPTH = 10;
const DEFAULT_ENTRIES = 500;
const MAX_ENTRIES = 10_000;

export const listDir = defineTool({
  name: 'list_dir',
  effect: 'read',
  description:
    'List what a directory holds, and the directories in it, down to a depth. Paths are relative to the working directory and sorted; directories end in a slash. Hidden names are left out.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory to list')), '.'),
      depth: z._default(z.int().check(z.describe('How many levels to go down, 1 to 10')), 3),
      max_entries: z._default(z.int().check(z.describe('The most entries to return, up to 10000')), DEFAULT_ENTRIES),
      changed_since: z._default(
        z.number().check(z.describe('Unix time in seconds; list only what was modified after it')),
        0,
      ),
    }),
  output: {
    type: 'object',
    properties: {
      entries: { type: 'array', items: { type: 'string' } },
      truncated: { type: 'boolean' },
      total_count: { type: 'integer' },
    },
    required: ['entries', 'truncated', 'total_count'],
  },
  examples: [{}, { path: 'src', depth: 1 }, { changed_since: 1_700_000_000, max_entries: 100 }],

  async run({ path, depth, max_entries, changed_since }, { workspace, checkpoint }) {
    const limit = max_entries > 0 ? Math.min(max_entries, MAX_ENTRIES) : DEFAULT_ENTRIES;
    const maxDepth = Math.min(Math.max(depth, 1), MAX_DEPTH);
    const entries: string[] = [];
    let total = 0;
    const options = { maxDepth, checkpoint };
    const { notes } = await walk(workspace, path, options, (entry) => {
      if (changed_since > 0 && !isChangedSince(entry, changed_since)) return undefined;
      total++;
      if (entries.length < limit) entries.push(shown(entry));
      return undefined;
    });
    const truncated = total > limit;
    return {
      data: { entries, truncated, total_count: total },
      ...(truncated && { truncated, totalCount: total }),
      ...(notes.length > 0 && { meta: { notes } }),
    };
  },
});

function shown({ path, kind }: WalkEntry): string {
  return kind === 'directory' ? `${path}/` : path;
}

/** What has vanished since it was listed is not listed. */
function isChangedSince({ directory, name }: WalkEntry, seconds: number): boolean {
  try {
    return directory.modifiedOf(name) > seconds * 1000;
  } catch {
    return false;
  }
}
