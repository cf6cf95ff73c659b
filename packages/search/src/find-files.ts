import { defineTool, type OpenDirectory, type ToolContext, ToolError, type Visualization } from '@jinn/core';
import {
  adviseGlob,
  compilePathPattern,
  EXCLUDED_DIRECTORIES,
  fromRootOrStart,
  inTurns,
  type TakenFiles,
  walk,
} from '@jinn/walk';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 50_000;
/** The room for what stands beside the files. */
const FRAME_BYTES = 300;
/** The most files that a person is shown. */
const MAX_SHOWN = 1_000;
/** The time to find out whether files that were left out would have matched. */
const PROBE_MS = 1_500;

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
        z.boolean().check(z.describe('Also find files that are ignored, excluded or hidden; never secrets')),
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
      hint: { type: 'string' },
    },
    required: ['files', 'truncated', 'total_count', 'limit_used', 'backend'],
  },
  examples: [
    { pattern: '*.go', path: 'internal' },
    { pattern: 'src/**/*_test.go', limit: 20 },
    { pattern: '**/*.{yml,yaml}', hidden: true, sort: 'modified' },
  ],

  async run({ pattern, path, limit, offset, sort, hidden, no_ignore: noIgnore }, ctx) {
    const glob = compilePathPattern(pattern);
    const start = ctx.workspace.status(path).path;
    const wanted: Wanted = { pattern, glob, path, start, hidden, noIgnore };
    const found: { path: string; modified: number }[] = [];
    const warnings = await findMatching(ctx, wanted, (file, directory, name) => {
      found.push({ path: file, modified: sort === 'modified' ? modifiedOf(directory, name) : 0 });
    });
    // The sort is stable: files of the same time stay in the order of their paths.
    if (sort === 'modified') found.sort((a, b) => b.modified - a.modified);
    const files = found.map((file) => file.path);
    const hint = files.length > 0 ? undefined : await whyNothing(ctx, wanted);
    return tell(files, { limit, offset, maxResult: ctx.maxResult }, warnings, hint);
  },
});

interface Wanted {
  readonly pattern: string;
  readonly glob: ReturnType<typeof compilePathPattern>;
  /** The directory as the caller wrote it, and as it is. */
  readonly path: string;
  readonly start: string;
  readonly hidden: boolean;
  readonly noIgnore: boolean;
}

type OnFile = (path: string, directory: OpenDirectory, name: string) => void;

/** Reports the files that match, in the order of their paths; gives warnings. */
async function findMatching(ctx: ToolContext, wanted: Wanted, onFile: OnFile): Promise<readonly string[]> {
  const { glob, path, start, hidden, noIgnore } = wanted;
  const isMatch = fromRootOrStart(glob, start);
  const takeFiles = (directory: OpenDirectory, { names }: TakenFiles) => {
    const filtered = glob.filterNames?.(names);
    return inTurns(filtered ?? names.toArray(), ctx.checkpoint, (name) => {
      const file = directory.pathOf(name);
      if (filtered || isMatch({ name, path: file })) onFile(file, directory, name);
    });
  };
  const options = {
    hidden: hidden || noIgnore || glob.hidden,
    gitignore: !noIgnore,
    excludeDirectories: noIgnore ? undefined : EXCLUDED_DIRECTORIES,
    checkpoint: ctx.checkpoint,
    takeFiles,
  };
  return (await walk(ctx.workspace, path, options, () => undefined)).warnings;
}

/** A sentence that says why there is no file, and what to try. */
async function whyNothing(ctx: ToolContext, wanted: Wanted): Promise<string> {
  const { pattern, start, noIgnore } = wanted;
  const advice = adviseGlob(ctx.workspace, pattern, start);
  if (advice !== undefined) return advice;
  if (noIgnore) return 'no file matches the pattern';
  const file = await findLeftOut(ctx, wanted);
  if (file === 'unknown') return 'no file matches the pattern; ignored and hidden files were not all looked at';
  if (file === undefined) return 'no file matches the pattern';
  return `the only files that match are ignored by git, excluded or hidden, such as ${file}; pass no_ignore: true to find them`;
}

/** The first file that matches when nothing but secrets is left out. */
async function findLeftOut(ctx: ToolContext, wanted: Wanted): Promise<string | undefined> {
  class Found {
    readonly path: string;
    constructor(path: string) {
      this.path = path;
    }
  }
  const { withTimeLimit } = await import('./with-time-limit.ts');
  try {
    await findMatching(withTimeLimit(ctx, PROBE_MS), { ...wanted, noIgnore: true }, (path) => {
      throw new Found(path);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Found) return error.path;
    if (error instanceof ToolError && error.code === 'timeout') return 'unknown';
    throw error;
  }
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  /** The room of the answer in bytes, if it goes to a model. */
  readonly maxResult: number | undefined;
}

function tell(
  found: readonly string[],
  { limit, offset, maxResult }: Page,
  warnings: readonly string[],
  reason: string | undefined,
) {
  const limitUsed = limit > 0 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
  const start = Math.max(0, offset);
  const files = cutToFit(found.slice(start, start + limitUsed), maxResult);
  const truncated = start + files.length < found.length;
  const isPaged = truncated && maxResult !== undefined;
  const hint = isPaged ? `pass offset: ${start + files.length} for the next files` : reason;
  return {
    data: {
      files,
      truncated,
      total_count: found.length,
      limit_used: limitUsed,
      backend: 'jinn',
      ...(hint !== undefined && { hint }),
    },
    ...(truncated && { truncated, totalCount: found.length }),
    warnings,
    visualize: () => visualize(files, found.length, hint),
  };
}

/** As many as fit, and at least one. */
function cutToFit(files: readonly string[], maxResult = Number.POSITIVE_INFINITY): readonly string[] {
  let room = maxResult - FRAME_BYTES;
  const end = files.findIndex((file, i) => {
    room -= Buffer.byteLength(JSON.stringify(file)) + 1;
    return room < 0 && i > 0;
  });
  return end < 0 ? files : files.slice(0, end);
}

function visualize(files: readonly string[], total: number, hint: string | undefined): Visualization {
  if (hint !== undefined) return { type: 'none', message: hint };
  return { type: 'file-list', files: files.slice(0, MAX_SHOWN).map((path) => ({ path })), total };
}

/** A file that has vanished since it was found counts as the oldest. */
function modifiedOf(directory: OpenDirectory, name: string): number {
  try {
    return directory.modifiedOf(name);
  } catch {
    return 0;
  }
}
