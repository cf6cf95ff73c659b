import { posix } from 'node:path';
import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  compilePattern,
  describeForeign,
  describeGrepReading,
  isBeyondAscii,
  type Pattern,
  type PatternOptions,
  parseReplacement,
  readAsGrep,
} from '@jinn/core/regex';
import { counted } from '@jinn/core/text/counted';
import { type ChangedFile, type FileState, type MutationResult, mutate } from '@jinn/workspace';
import { LeftOut } from '@jinn/workspace/walk';
import { changeMeta, diffOf, visualizing } from './diff/change-report.ts';
import {
  BINARY,
  countMatches,
  findTargetFiles,
  type Match,
  type Matches,
  replaceAll,
} from './edit/replace-in-files.ts';
import { rejectLoneSurrogates } from './read/text-content.ts';

const MAX_FILES = 50;
const MAX_SEARCHED = 10_000;
const DEFAULT_SECONDS = 2;
const MAX_SECONDS = 60;
const PROBE_MS = 1_500;
const NO_MATCHES = 'no matches found across any target files';
const UNCHANGED = 'no changes: each match equals its replacement. A line break is always that of the file';
const ESCAPE = 'escape what should stand for itself with a backslash: . * + ? ( ) [ ] { } ^ $ | \\';

export const searchReplace = defineTool({
  name: 'search_replace',
  effect: 'write',
  description:
    'Replace every match of a regular expression in files, at most 50 with matches. All of them are changed or none.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe('Expression')),
      replacement: z.string().check(z.describe(`With groups: $1, $<name>, \${name}`)),
      literal_replacement: z._default(z.boolean().check(z.describe('No groups: $1 is text')), false),
      files: z
        .union([
          z.string().check(z.minLength(1)),
          z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(1_000)),
        ])
        .check(z.describe('Path, glob or directory, or several')),
      include: z.optional(z.string().check(z.minLength(1), z.describe('Globs: *.{ts,tsx},!*.d.ts'))),
      case_insensitive: z._default(z.boolean().check(z.describe('Ignore case')), false),
      multiline: z._default(z.boolean().check(z.describe('Let ^ and $ match at lines')), true),
      dry_run: z._default(z.boolean().check(z.describe('Preview')), false),
      timeout: z.optional(
        z
          .int()
          .check(
            z.minimum(1),
            z.maximum(MAX_SECONDS),
            z.describe(`Seconds: ${DEFAULT_SECONDS}, at most ${MAX_SECONDS}`),
          ),
      ),
      if_versions: z.optional(
        z.record(z.string(), z.string()).check(z.describe('Only if these paths still have these versions')),
      ),
    }),
  examples: [
    { pattern: 'oldName', replacement: 'newName', files: '*.go', dry_run: true },
    { pattern: '(\\w+)=(\\w+)', replacement: '$2=$1', files: ['a.conf', 'conf.d'] },
  ],
  hosting: { isShown: true, tellsVersions: 'without-session', unlisted: ['timeout', 'if_versions'] },

  async run({ files, include, replacement, dry_run, if_versions, timeout = DEFAULT_SECONDS, ...rest }, ctx) {
    rejectLoneSurrogates('replacement', replacement);
    const options: PatternOptions = {
      pattern: rest.pattern,
      caseInsensitive: rest.case_insensitive,
      lines: rest.multiline ? 'across' : 'none',
      suggestion: ESCAPE,
    };
    const pattern = compilePattern(options);
    const parts = rest.literal_replacement ? [replacement] : parseReplacement(replacement, pattern);
    const named = typeof files === 'string' ? [files] : files;
    const leftOut = new LeftOut();
    const { paths, warnings } = await findTargetFiles(ctx, {
      files: named,
      include,
      maxFiles: MAX_SEARCHED,
      leftOut,
    });
    const limitMs = timeout * 1_000;
    const keep = Object.keys(if_versions ?? {});
    const targets = await narrow(ctx, paths, { pattern, limitMs, keep, leftOut });
    const result = await mutate(ctx, {
      operation: 'search_replace',
      targets,
      ifVersions: if_versions,
      dryRun: dry_run,
      compute: (states) => replaceAll(states, { pattern, replacement: parts, limitMs }, ctx),
    });
    const hasMatches = [...result.extra.keys()].some((file) => countOf(result.extra, file) > 0);
    const advice = hasMatches ? [UNCHANGED] : [NO_MATCHES, await adviseGrepReading(ctx, paths, options)];
    if (!hasMatches && isBeyondAscii(pattern)) {
      const isForeign = (match: Match) => match.skipped === undefined && match.isForeign;
      advice.push(describeForeign([...result.extra.values()].filter(isForeign).length));
    }
    const nothing = advice.filter((part) => part !== undefined).join('; ');
    for (const [{ path }, { skipped }] of result.extra) {
      if (skipped !== undefined) leftOut.add(skipped === 'binary file' ? BINARY : `${skipped}, not searched`, path);
    }
    return {
      ...(await report(ctx, result, { dryRun: dry_run, nothing })),
      warnings: [...warnings, ...leftOut.lines()],
    };
  },
});

async function narrow(
  ctx: ToolContext,
  paths: readonly string[],
  { keep, ...options }: { pattern: Pattern; limitMs: number; keep: readonly string[]; leftOut: LeftOut },
) {
  if (paths.length <= MAX_FILES) return paths.map((path) => ({ path }));
  const counts = await countMatches(ctx, paths, options);
  const kept = new Set(keep.map((path) => posix.normalize(path)));
  const targets = paths.filter((path) => counts.has(path) || kept.has(path)).map((path) => ({ path }));
  if (targets.length > MAX_FILES)
    throw new ToolError('resource_limit', `${targets.length} files have matches: a call changes at most ${MAX_FILES}`, {
      suggestion: `narrow files or include, or name up to ${MAX_FILES} files at a time: search_files lists them with format "filenames" (nothing was changed)`,
    });
  return targets;
}

async function adviseGrepReading(ctx: ToolContext, paths: readonly string[], options: PatternOptions) {
  const reading = readAsGrep(options);
  if (!reading) return undefined;
  try {
    const counts = await countMatches(ctx, paths, { pattern: reading.pattern, limitMs: PROBE_MS });
    return describeGrepReading(
      reading,
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    );
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'canceled') return describeGrepReading(reading, undefined);
    throw error;
  }
}

interface ReportOptions {
  readonly dryRun: boolean;
  readonly nothing: string;
}

async function report(
  ctx: ToolContext,
  result: MutationResult<Matches>,
  { dryRun, nothing }: ReportOptions,
): Promise<ToolOutput> {
  const matches = result.extra;
  const changed = result.files.filter(({ changed: isChanged }) => isChanged);
  const total = changed.reduce((sum, { file }) => sum + countOf(matches, file), 0);
  const files = counted(changed.length, 'file');
  const head = dryRun
    ? `[dry-run] ${files} would be changed:`
    : `replaced ${counted(total, 'match')} ${changed.length === 1 ? 'in' : 'across'} ${files}:`;
  const toLine = async (one: ChangedFile) => {
    const match = matches.get(one.file);
    const told = `${one.file.path}: ${countOf(matches, one.file)} (${match?.skipped === undefined ? match?.lines : ''})`;
    return dryRun ? `${told}\n${await diffOf(one, ctx)}`.trimEnd() : told;
  };
  const lines = await Promise.all(changed.map(toLine));
  const text = changed.length === 0 ? [nothing] : [head, ...lines];
  return {
    text: text.join('\n'),
    meta: await toMeta(ctx, result),
    visualize: visualizing(changed, { dryRun }, ctx),
  };
}

function countOf(matches: Matches, file: FileState): number {
  const match = matches.get(file);
  return match?.skipped === undefined ? (match?.count ?? 0) : 0;
}

async function toMeta(ctx: ToolContext, result: MutationResult<Matches>): Promise<object> {
  const { operationId, extra: matches } = result;
  const isFound = [...matches.keys()].some((file) => countOf(matches, file) > 0);
  const files: object[] = [];
  for (const [{ path, version }, match] of matches) {
    if (match.skipped !== undefined)
      files.push({ path, error: match.skipped, error_code: match.skipped.replaceAll(' ', '_') });
    else if (isFound) {
      const changed = result.files.find((one) => one.file.path === path);
      const meta = changed ? await changeMeta(changed, { operationId: undefined }, ctx) : { version, unchanged: true };
      files.push({ path, matches: match.count, ...meta });
    } // An answer without a match is short.
  }
  return { ...(operationId !== undefined && { operation_id: operationId }), files };
}
