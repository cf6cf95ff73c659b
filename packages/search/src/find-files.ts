import { defineTool, type OpenDirectory } from '@jinn/core';
import {
  compilePathPattern,
  EXCLUDED_DIRECTORIES,
  fromRootOrStart,
  inTurns,
  liesInExcluded,
  type TakenFiles,
  walk,
} from '@jinn/walk';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 50_000;
const EXCLUDED_HINT = 'the path lies in a directory that is left out; pass no_ignore: true to look there';

export const findFiles = defineTool({
  name: 'find_files',
  effect: 'read',
  description:
    'Find files by a glob such as *.go, **/*.test.ts or src/**/*.{js,ts}. A pattern without a slash matches names at any depth. Leaves out what git ignores, hidden files, node_modules and the like, and always secrets.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe('Glob: *, **, ?, [a-z], {a,b}')),
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory to search in')), '.'),
      limit: z._default(z.int().check(z.describe('The most files to return')), DEFAULT_LIMIT),
      offset: z._default(z.int().check(z.describe('Files to skip')), 0),
      sort: z._default(z.enum(['name', 'modified']).check(z.describe('By path, or last modified first')), 'name'),
      hidden: z._default(z.boolean().check(z.describe('Also find hidden files')), false),
      no_ignore: z._default(
        z.boolean().check(z.describe('Also look at what is ignored, excluded or hidden; never at secrets')),
        false,
      ),
    }),
  output: {
    type: 'object',
    properties: {
      files: { type: 'array', items: { type: 'string' } },
      truncated: { type: 'boolean' },
      total_count: { type: 'integer' },
      limit_used: { type: 'integer' },
      backend: { type: 'string' },
    },
    required: ['files', 'truncated', 'total_count', 'limit_used', 'backend'],
  },
  examples: [
    { pattern: '*.go', path: 'internal' },
    { pattern: 'src/**/*_test.go', limit: 20 },
    { pattern: '**/*.{yml,yaml}', hidden: true, sort: 'modified' },
  ],

  async run({ pattern, path, limit, offset, sort, hidden, no_ignore: noIgnore }, { workspace, checkpoint }) {
    const glob = compilePathPattern(pattern);
    const start = workspace.status(path).path;
    if (!noIgnore && liesInExcluded(start)) return tell([], { limit, offset }, [EXCLUDED_HINT]);
    const found: { path: string; modified: number }[] = [];
    const isMatch = fromRootOrStart(glob, start);
    const takeFiles = (directory: OpenDirectory, { names }: TakenFiles) => {
      const filtered = glob.filterNames?.(names);
      return inTurns(filtered ?? names.toArray(), checkpoint, (name) => {
        const file = directory.pathOf(name);
        if (!filtered && !isMatch({ name, path: file })) return;
        found.push({ path: file, modified: sort === 'modified' ? modifiedOf(directory, name) : 0 });
      });
    };
    const options = {
      hidden: hidden || noIgnore || glob.hidden,
      gitignore: !noIgnore,
      excludeDirectories: noIgnore ? undefined : EXCLUDED_DIRECTORIES,
      checkpoint,
      takeFiles,
    };
    const { notes } = await walk(workspace, path, options, () => undefined);
    // Stable: files of the same time stay in the order of their paths.
    if (sort === 'modified') found.sort((a, b) => b.modified - a.modified);
    return tell(
      found.map((file) => file.path),
      { limit, offset },
      notes,
    );
  },
});

function tell(
  found: readonly string[],
  { limit, offset }: { limit: number; offset: number },
  notes: readonly string[],
) {
  const limitUsed = limit > 0 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
  const start = Math.max(0, offset);
  const files = found.slice(start, start + limitUsed);
  const truncated = start + files.length < found.length;
  return {
    data: { files, truncated, total_count: found.length, limit_used: limitUsed, backend: 'jinn' },
    ...(truncated && { truncated, totalCount: found.length }),
    ...(notes.length > 0 && { meta: { notes } }),
  };
}

/** What has vanished since it was found is the oldest. */
function modifiedOf(directory: OpenDirectory, name: string): number {
  try {
    return directory.modifiedOf(name);
  } catch {
    return 0;
  }
}
