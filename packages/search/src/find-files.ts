import { defineTool, type ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Visualization } from '@jinn/core/visualization';
import type { OpenDirectory } from '@jinn/workspace';
import {
  adviseGlob,
  EXCLUDED_DIRECTORIES,
  escapeGlob,
  type Glob,
  globRoots,
  oneLine,
  PathMatcher,
  readGlobs,
  type TakenFiles,
  visitInTurns,
  walk,
} from '@jinn/workspace/walk';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 50_000;
const FRAME_BYTES = 300;
const MAX_SHOWN = 1_000;
/** The time for finding out whether files that were omitted would have matched. */
const PROBE_MS = 1_500;

export const findFiles = defineTool({
  name: 'find_files',
  effect: 'read',
  description:
    'Find files by a glob. Without a slash it matches names at any depth. Skips ignored and hidden files, node_modules and the like, and always secrets.',
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
    const wanted = { path, start: at, hidden, noIgnore, globs: readGlobs(pattern, globRoots(ctx.workspace, [at])) };
    const start = Math.max(0, offset);
    const limitUsed = limit > 0 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
    const found = new FilePage(start, limitUsed);
    const timeOf = sort === 'modified' ? modifiedOf : () => 0;
    const warnings = await findMatching(ctx, wanted, (file, ...at) => found.add(file, timeOf(...at)));
    const { total } = found;
    const hint = total > 0 ? undefined : await explainNoFiles(ctx, wanted);
    return formatFiles(found.paths(), { start, limitUsed, total, maxResult: ctx.maxResult }, warnings, hint);
  },
});

interface FileQuery {
  readonly globs: readonly Glob[];
  /** The directory as the caller wrote it, and its real path. */
  readonly path: string;
  readonly start: string;
  readonly hidden: boolean;
  readonly noIgnore: boolean;
}

async function findMatching(
  ctx: ToolContext,
  { globs, path, hidden, noIgnore }: FileQuery,
  onFile: (path: string, directory: OpenDirectory, name: string) => void,
): Promise<readonly string[]> {
  const matcher = new PathMatcher(globs);
  const takeFiles = (directory: OpenDirectory, { names }: TakenFiles) => {
    return visitInTurns(names, ctx.checkpoint, (name) => {
      if (matcher.matches(directory.path, name)) onFile(directory.pathOf(name), directory, name);
    });
  };
  const options = {
    hidden: hidden || noIgnore || matcher.hidden,
    gitignore: !noIgnore,
    excludeDirectories: noIgnore ? undefined : EXCLUDED_DIRECTORIES,
    checkpoint: ctx.checkpoint,
    takeFiles,
  };
  return (await walk(ctx.workspace, path, options, () => undefined)).warnings;
}

const NO_FILE = 'no file matches the pattern';

async function explainNoFiles(ctx: ToolContext, wanted: FileQuery): Promise<string> {
  const { globs, start, noIgnore } = wanted;
  const asked = globs.map((glob) => glob.asked);
  const otherwise = await findOtherwise(ctx, wanted, asked.flatMap(otherReadings));
  if (otherwise !== undefined) return otherwise;
  const advice = asked.map((glob) => adviseGlob(ctx.workspace, glob, start)).find((one) => one !== undefined);
  if (advice !== undefined) return advice;
  const file = noIgnore ? undefined : await findFirst(ctx, { ...wanted, noIgnore: true });
  if (file === 'unknown') return `${NO_FILE}. Not all ignored and hidden files were looked at`;
  if (file === undefined)
    return (await findOtherwise(ctx, wanted, asked.flatMap(deeper))) ?? (await findLike(ctx, wanted, asked)) ?? NO_FILE;
  return `the only files that match are ignored, excluded or hidden, such as ${file}: pass no_ignore: true to find them`;
}

type Reading = readonly [glob: string, why: string];

function otherReadings(glob: string): Reading[] {
  const why = 'a backslash makes the next character of a glob plain';
  if (/^file:\/\//i.test(glob)) return [[glob.slice('file://'.length), 'a glob is a path, and no URL']];
  if (!glob.includes('\\')) return [];
  return [glob.replaceAll('\\', '/'), glob.replaceAll('\\', '\\\\')].map((other) => [other, why]);
}

/** Returns a glob with the directories before its first star, as they are, at any depth. */
function deeper(glob: string): Reading[] {
  const names = glob.replace(/^(?:\.?\/)+/, '').split('/');
  const end = names.findIndex((name) => /[*?{]/.test(name));
  const known = names.slice(0, end < 0 ? names.length - 1 : end);
  if (known.length === 0 || glob.startsWith('!')) return [];
  const other = ['**', ...known.map(escapeGlob), ...names.slice(known.length)].join('/');
  return [[other, 'a glob with a slash starts at the directory that is searched']];
}

async function findOtherwise(ctx: ToolContext, wanted: FileQuery, readings: readonly Reading[]) {
  for (const [glob, why] of readings) {
    const file = await findFirst(ctx, wanted, glob);
    if (file !== undefined && file !== 'unknown') return `${NO_FILE}: ${why}; ${glob} matches ${file}`;
  }
  return undefined;
}

async function findLike(ctx: ToolContext, wanted: FileQuery, asked: readonly string[]) {
  for (const glob of asked.filter((one) => !/[[\\!]/.test(one))) {
    const anyCase = glob.replace(/\p{L}/gu, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
    const file = await findFirst(ctx, wanted, anyCase.endsWith('*') ? anyCase : `${anyCase}*`);
    if (file === undefined || file === 'unknown') continue;
    return `${NO_FILE}: a glob matches whole names, and uppercase and lowercase differ: there is ${file}`;
  }
  return undefined;
}

async function findFirst(ctx: ToolContext, wanted: FileQuery, other?: string): Promise<string | undefined> {
  class FirstFile {
    readonly path: string;
    constructor(path: string) {
      this.path = path;
    }
  }
  const { withTimeLimit } = await import('./query/search-query.ts');
  try {
    const globs = other === undefined ? wanted.globs : readGlobs(other, globRoots(ctx.workspace, [wanted.start]));
    await findMatching(withTimeLimit(ctx, PROBE_MS), { ...wanted, globs }, (path) => {
      throw new FirstFile(path);
    });
    return undefined;
  } catch (error) {
    if (error instanceof FirstFile) return error.path;
    if (error instanceof ToolError && error.code === 'timeout') return 'unknown';
    if (error instanceof ToolError && error.code === 'invalid_glob') return undefined;
    throw error;
  }
}

/** A page of the found files. It holds few more than those up to its end. */
class FilePage {
  total = 0;
  readonly #start: number;
  readonly #end: number;
  #files: { readonly path: string; readonly modified: number }[] = [];

  constructor(start: number, count: number) {
    this.#start = start;
    this.#end = start + count;
  }

  /** Adds the next file in the order of the paths. The last modified files come first. */
  add(path: string, modified: number): void {
    this.total++;
    this.#files.push({ path, modified });
    if (this.#files.length >= 2 * this.#end) this.#cut();
  }

  paths(): readonly string[] {
    this.#cut();
    return this.#files.slice(this.#start).map(({ path }) => path);
  }

  #cut(): void {
    // The sort is stable: files of the same time stay in the order of their paths.
    this.#files = this.#files.sort((a, b) => b.modified - a.modified).slice(0, this.#end);
  }
}

function formatFiles(
  found: readonly string[],
  page: { start: number; limitUsed: number; total: number; maxResult: number | undefined },
  warnings: readonly string[],
  reason: string | undefined,
) {
  const { start, limitUsed, total, maxResult } = page;
  const files = cutToFit(found, maxResult);
  const truncated = start + files.length < total;
  const isHosted = maxResult !== undefined;
  const hint = truncated && isHosted ? `pass offset: ${start + files.length} for the next files` : reason;
  const counts = { truncated, total_count: total, limit_used: limitUsed };
  // In JSON, the files would take more tokens of a model.
  const lines = files.map(oneLine).join('\n');
  const listed = hint === undefined ? lines : `${lines}\n[${files.length} of ${total} files; ${hint}]`;
  const text = files.length > 0 ? listed : `[no files: ${hint ?? `there are ${total}, fewer than offset`}]`;
  return {
    ...(isHosted ? { text } : { data: { files, ...counts, backend: 'jinn', ...(hint !== undefined && { hint }) } }),
    ...(truncated && { truncated, totalCount: total }),
    warnings,
    visualize: () => visualize(files, total, hint),
  };
}

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

function modifiedOf(directory: OpenDirectory, name: string): number {
  try {
    return directory.modifiedOf(name);
  } catch {
    return 0;
  }
}
