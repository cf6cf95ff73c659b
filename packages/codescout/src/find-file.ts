import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import type { OpenDirectory } from '@jinn/workspace';
import {
  adviseGlob,
  globRoot,
  PathMatcher,
  readGlobs,
  type TakenFiles,
  visitInTurns,
  walk,
} from '@jinn/workspace/walk';
import { rejectReference } from './buffers/buffers.ts';
import { cutToAnswer, keepResult, largestCounts, MOST_SHOWN_BYTES, outputPath } from './buffers/large-result.ts';
import { fitToHost } from './fit/fit-to-host.ts';

const DEFAULT_FILES = 100;
const MAX_FILES = 50_000;

const definition = defineTool({
  name: 'find_file',
  effect: 'read',
  description:
    'Find files by a glob such as **/*.rs or src/**/mod.rs, matched against the path below the search directory. A glob without a slash matches names at any depth. Leaves out hidden files and what git ignores.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe('Glob: *, **, ?, [a-z], {a,b}')),
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory to search within')), '.'),
      max_results: z._default(z.int().check(z.minimum(1), z.describe('Most files to return')), DEFAULT_FILES),
    }),
  output: {
    type: 'object',
    properties: {
      files: { type: 'array', items: { type: 'string' } },
      total: { type: 'integer' },
      output_id: { type: 'string' },
      overflow: { type: 'object' },
    },
    required: ['files', 'total'],
  },
  examples: [{ pattern: '**/*.toml', path: '.' }, { pattern: '**/test_*.py' }],
  hosting: { maxResult: MOST_SHOWN_BYTES },

  async run({ pattern, path, max_results }, ctx): Promise<ToolOutput> {
    rejectReference(ctx, path);
    const { found, warnings } = await findMatching(ctx, pattern, path);
    const limited = found.slice(0, Math.min(max_results, MAX_FILES)).map((file) => outputPath(ctx.workspace, file));
    const {
      items: files,
      reference,
      goOn,
    } = cutToAnswer(ctx, limited, () => ({ files: limited, total: found.length }));
    const total = found.length;
    const data = { files, total, ...(reference && { output_id: reference }) };
    if (files.length === total) return { data, warnings };
    const overflow = {
      shown: files.length,
      total,
      hint: goOn ?? `Use a narrower pattern or path${limited.length < MAX_FILES ? ', or raise max_results' : ''}`,
      by_directory: countDirectories(found),
    };
    return { data: { ...data, overflow }, truncated: true, totalCount: total, warnings };
  },
});

export const findFile = fitToHost(definition, { isPaged: false, keep: keepResult });

async function findMatching(ctx: ToolContext, pattern: string, path: string) {
  const start = ctx.workspace.status(path).path;
  const glob = new PathMatcher(readGlobs(pattern, [globRoot(ctx.workspace, start)]));
  const found: string[] = [];
  const takeFiles = (directory: OpenDirectory, { names }: TakenFiles) => {
    return visitInTurns(names, ctx.checkpoint, (name) => {
      if (glob.matches(directory.path, name)) found.push(directory.pathOf(name));
    });
  };
  const options = { gitignore: true, hidden: glob.hidden, checkpoint: ctx.checkpoint, takeFiles };
  const { warnings } = await walk(ctx.workspace, path, options, () => undefined);
  const advice = found.length === 0 ? adviseGlob(ctx.workspace, pattern, start) : undefined;
  return { found, warnings: advice === undefined ? warnings : [...warnings, advice] };
}

function countDirectories(files: readonly string[]): object[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const directory = file.includes('/') ? file.slice(0, file.lastIndexOf('/') + 1) : './';
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  return largestCounts(counts);
}
