import { defineTool, type ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Visualization } from '@jinn/core/visualization';
import type { OpenDirectory } from '@jinn/workspace';
import {
  adviseGlob,
  EXCLUDED_DIRECTORIES,
  globRoots,
  PathMatcher,
  readGlobs,
  type TakenFiles,
  visitInTurns,
  walk,
} from '@jinn/workspace/walk';
import { oneLine } from './show/show-hits.ts';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 50_000;
/** The room beside the files. */
const FRAME_BYTES = 300;
/** The most files that a person is shown. */
const MAX_SHOWN = 1_000;
/** The time for finding out whether files that were left out would have matched. */
const PROBE_MS = 1_500;

export const findFiles = defineTool({
  name: 'find_files',
  effect: 'read',
  description:
    'Find files by a glob; one without a slash matches names at any depth. Leaves out what git ignores, hidden files, node_modules and the like, and always secrets.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe('Glob: *.go, src/**/*.{js,ts}, !*.md')),
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory')), '.'),
      limit: z._default(z.int().check(z.describe('Maximum')), DEFAULT_LIMIT),
      offset: z._default(z.int().check(z.describe('Skipped')), 0),
      sort: z._default(z.enum(['name', 'modified']).check(z.describe('Modified: last one first')), 'name'),
      hidden: z._default(z.boolean().check(z.describe('Hidden files too')), false),
      no_ignore: z._default(z.boolean().check(z.describe('Ignored, excluded and hidden files too')), false),
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
  hosting: { unlisted: ['hidden'] },
  examples: [
    { pattern: '*.go', path: 'internal' },
    { pattern: 'src/**/*_test.go', limit: 20 },
    { pattern: '**/*.{yml,yaml}', hidden: true, sort: 'modified' },
  ],

  async run({ pattern, path, limit, offset, sort, hidden, no_ignore: noIgnore }, ctx) {
    const at = ctx.workspace.status(path).path;
    const glob = new PathMatcher(readGlobs(pattern, globRoots(ctx.workspace, [at])));
    const wanted: FileQuery = { pattern, glob, path, start: at, hidden, noIgnore };
    const start = Math.max(0, offset);
    const limitUsed = limit > 0 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
    const found = sort === 'modified' ? new LastModified(start, limitUsed) : new InOrder(start, limitUsed);
    const warnings = await findMatching(ctx, wanted, (...file) => found.add(...file));
    const { total } = found;
    const hint = total > 0 ? undefined : await explainNoFiles(ctx, wanted);
    const files = found.page();
    return formatFiles(files, { start, limitUsed, total, maxResult: ctx.maxResult }, warnings, hint);
  },
});

interface FileQuery {
  readonly pattern: string;
  readonly glob: PathMatcher;
  /** The directory as the caller wrote it, and its real path. */
  readonly path: string;
  readonly start: string;
  readonly hidden: boolean;
  readonly noIgnore: boolean;
}

type OnFile = (path: string, directory: OpenDirectory, name: string) => void;

/** Calls back with the files that match, in the order of their paths; returns warnings. */
async function findMatching(ctx: ToolContext, wanted: FileQuery, onFile: OnFile): Promise<readonly string[]> {
  const { glob, path, hidden, noIgnore } = wanted;
  const takeFiles = (directory: OpenDirectory, { names }: TakenFiles) => {
    return visitInTurns(names, ctx.checkpoint, (name) => {
      if (glob.matches(directory.path, name)) onFile(directory.pathOf(name), directory, name);
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

/** Explains why no file was found, and suggests what to try. */
async function explainNoFiles(ctx: ToolContext, wanted: FileQuery): Promise<string> {
  const { pattern, start, noIgnore } = wanted;
  const advice = adviseGlob(ctx.workspace, pattern, start);
  if (advice !== undefined) return advice;
  if (noIgnore) return 'no file matches the pattern';
  const file = await findLeftOut(ctx, wanted);
  if (file === 'unknown') return 'no file matches the pattern; ignored and hidden files were not all looked at';
  if (file === undefined) return 'no file matches the pattern';
  return `the only files that match are ignored by git, excluded or hidden, such as ${file}; pass no_ignore: true to find them`;
}

/**
 * Finds the first file that matches if only secrets are left out; undefined if there is none, `unknown` if there was no
 * time to find one.
 */
async function findLeftOut(ctx: ToolContext, wanted: FileQuery): Promise<string | undefined> {
  class FoundFile {
    readonly path: string;
    constructor(path: string) {
      this.path = path;
    }
  }
  const { withTimeLimit } = await import('./query/with-time-limit.ts');
  try {
    await findMatching(withTimeLimit(ctx, PROBE_MS), { ...wanted, noIgnore: true }, (path) => {
      throw new FoundFile(path);
    });
    return undefined;
  } catch (error) {
    if (error instanceof FoundFile) return error.path;
    if (error instanceof ToolError && error.code === 'timeout') return 'unknown';
    throw error;
  }
}

/** A page of the found files, in the order of their paths. It holds no others. */
class InOrder {
  total = 0;
  readonly #start: number;
  readonly #count: number;
  readonly #files: string[] = [];

  constructor(start: number, count: number) {
    this.#start = start;
    this.#count = count;
  }

  add(path: string): void {
    this.total++;
    if (this.total > this.#start && this.#files.length < this.#count) this.#files.push(path);
  }

  page(): readonly string[] {
    return this.#files;
  }
}

/** A page of the found files, the last modified first. It holds few more than those up to its end. */
class LastModified {
  total = 0;
  readonly #start: number;
  readonly #end: number;
  #files: { readonly path: string; readonly modified: number }[] = [];

  constructor(start: number, count: number) {
    this.#start = start;
    this.#end = start + count;
  }

  add(path: string, directory: OpenDirectory, name: string): void {
    this.total++;
    this.#files.push({ path, modified: modifiedOf(directory, name) });
    if (this.#files.length >= 2 * this.#end) this.#cut();
  }

  page(): readonly string[] {
    this.#cut();
    return this.#files.slice(this.#start).map(({ path }) => path);
  }

  #cut(): void {
    // The sort is stable: files of the same time stay in the order of their paths.
    this.#files = this.#files.sort((a, b) => b.modified - a.modified).slice(0, this.#end);
  }
}

interface Page {
  readonly start: number;
  readonly limitUsed: number;
  /** The number of all files. */
  readonly total: number;
  /** The room of the answer in bytes, if it goes to a model. */
  readonly maxResult: number | undefined;
}

function formatFiles(
  found: readonly string[],
  { start, limitUsed, total, maxResult }: Page,
  warnings: readonly string[],
  reason: string | undefined,
) {
  const files = cutToFit(found, maxResult);
  const truncated = start + files.length < total;
  const isHosted = maxResult !== undefined;
  const hint = truncated && isHosted ? `pass offset: ${start + files.length} for the next files` : reason;
  const counts = { truncated, total_count: total, limit_used: limitUsed };
  return {
    ...(isHosted
      ? { text: toText(files, total, hint) }
      : { data: { files, ...counts, backend: 'jinn', ...(hint !== undefined && { hint }) } }),
    ...(truncated && { truncated, totalCount: total }),
    warnings,
    visualize: () => visualize(files, total, hint),
  };
}

/** Formats the files for a model. In JSON, they would take more tokens. */
function toText(files: readonly string[], total: number, hint: string | undefined): string {
  if (files.length === 0) return `[no files: ${hint ?? `there are ${total}, fewer than offset`}]`;
  const lines = files.map(oneLine).join('\n');
  return hint === undefined ? lines : `${lines}\n[${files.length} of ${total} files; ${hint}]`;
}

/** Returns as many of the files as fit, and at least one. */
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

/** Returns when a file was modified. A file that has vanished since it was found counts as the oldest. */
function modifiedOf(directory: OpenDirectory, name: string): number {
  try {
    return directory.modifiedOf(name);
  } catch {
    return 0;
  }
}
