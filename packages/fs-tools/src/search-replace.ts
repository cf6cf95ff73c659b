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
import { type ChangedFile, type FileState, type MutationResult, mutate } from '@jinn/workspace';
import { changeMeta, diffOf } from './diff/change-report.ts';
import { countMatches, type Matches, replaceAll } from './edit/replace-in-files.ts';
import { findTargetFiles } from './edit/target-files.ts';
import { rejectLoneSurrogates } from './read/text-content.ts';

const MAX_FILES = 50;
/** How many files may be searched to find those with a match. */
const MAX_SEARCHED = 10_000;
const DEFAULT_SECONDS = 2;
const MAX_SECONDS = 60;
/** The time for finding how many matches the pattern would have as grep reads it. */
const PROBE_MS = 1_500;
const NO_MATCHES = 'no matches found across any target files';
const UNCHANGED = 'no changes: each match is its replacement already; a line break is always that of the file';
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
    const { paths, warnings: unmatched } = await findTargetFiles(ctx, {
      files: named,
      include,
      maxFiles: MAX_SEARCHED,
    });
    const limitMs = timeout * 1_000;
    const { targets, warnings } = await narrow(ctx, paths, { pattern, limitMs, keep: Object.keys(if_versions ?? {}) });
    const result = await mutate(ctx, {
      operation: 'search_replace',
      targets,
      ifVersions: if_versions,
      dryRun: dry_run,
      compute: (states) => replaceAll(states, { pattern, replacement: parts, limitMs }, ctx.signal),
    });
    const hasMatches = [...result.extra.keys()].some((file) => countOf(result.extra, file) > 0);
    const advice = hasMatches ? [UNCHANGED] : [NO_MATCHES, await adviseGrepReading(ctx, paths, options)];
    if (!hasMatches && isBeyondAscii(pattern)) advice.push(describeForeign(countForeign(result.extra)));
    const nothing = advice.filter((part) => part !== undefined).join('; ');
    return {
      ...report(result, { dryRun: dry_run, nothing, wantsMeta: ctx.wantsMeta }),
      warnings: [...unmatched, ...warnings],
    };
  },
});

interface NarrowOptions {
  readonly pattern: Pattern;
  readonly limitMs: number;
  /** Files that are returned even without a match. */
  readonly keep: readonly string[];
}

/** Returns all files if they are few, else those with a match. Throws for more files than a call changes. */
async function narrow(ctx: ToolContext, paths: readonly string[], { keep, ...options }: NarrowOptions) {
  if (paths.length <= MAX_FILES) return { targets: paths.map((path) => ({ path })), warnings: [] };
  const { counts, binary } = await countMatches(ctx, paths, options);
  const kept = new Set(keep.map((path) => posix.normalize(path)));
  const targets = paths.filter((path) => counts.has(path) || kept.has(path)).map((path) => ({ path }));
  if (targets.length > MAX_FILES) throw tooMany(targets.length);
  const skipped = `${binary.length} binary files were skipped, such as ${binary[0]}`;
  return { targets, warnings: binary.length > 0 ? [skipped] : [] };
}

function tooMany(count: number): ToolError {
  return new ToolError('resource_limit', `${count} files have matches; a call changes at most ${MAX_FILES}`, {
    suggestion: `narrow files or include, or name up to ${MAX_FILES} files at a time: search_files lists them with format "filenames"; nothing was changed`,
  });
}

/** Returns advice if a pattern that matches nothing would match as grep reads it. */
async function adviseGrepReading(ctx: ToolContext, paths: readonly string[], options: PatternOptions) {
  const reading = readAsGrep(options);
  if (!reading) return undefined;
  try {
    const { counts } = await countMatches(ctx, paths, { pattern: reading.pattern, limitMs: PROBE_MS });
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
  /** The text for no change. */
  readonly nothing: string;
  readonly wantsMeta: boolean | undefined;
}

function report(result: MutationResult<Matches>, { dryRun, nothing, wantsMeta }: ReportOptions): ToolOutput {
  const matches = result.extra;
  const changed = result.files.filter(({ changed: isChanged }) => isChanged);
  const total = changed.reduce((sum, { file }) => sum + countOf(matches, file), 0);
  const skipped = [...matches].flatMap(([{ path }, match]) =>
    match.skipped ? [`${path}: skipped (${match.skipped})`] : [],
  );
  const head = dryRun
    ? `[dry-run] ${changed.length} files would be changed:`
    : `replaced ${total} matches across ${changed.length} files:`;
  const lines = changed.map((one) => formatChange(one, matches, dryRun));
  const text = changed.length === 0 ? [nothing] : [head, ...lines];
  return {
    text: [...text, ...skipped].join('\n'),
    meta: toMeta(result, { wantsMeta }),
    visualize: async () => {
      const { visualizeChanges } = await import('./diff/visualize-changes.ts');
      return visualizeChanges(changed, { dryRun });
    },
  };
}

function formatChange(one: ChangedFile, matches: Matches, dryRun: boolean): string {
  const { file } = one;
  const match = matches.get(file);
  const lines = match?.skipped === undefined ? match?.lines : '';
  const told = `${file.path}: ${countOf(matches, file)} (${lines})`;
  return dryRun ? `${told}\n${diffOf(one)}`.trimEnd() : told;
}

function countForeign(matches: Matches): number {
  return [...matches.values()].filter((match) => match.skipped === undefined && match.isForeign).length;
}

function countOf(matches: Matches, file: FileState): number {
  const match = matches.get(file);
  return match?.skipped === undefined ? (match?.count ?? 0) : 0;
}

function toMeta(result: MutationResult<Matches>, asked: Pick<ReportOptions, 'wantsMeta'>): object {
  const { operationId, extra: matches } = result;
  const files = [...matches].map(([file, match]) => {
    if (match.skipped !== undefined)
      return { path: file.path, error: match.skipped, error_code: match.skipped.replaceAll(' ', '_') };
    const changed = result.files.find((one) => one.file === file);
    const meta = changed
      ? changeMeta(changed, { operationId: undefined }, asked)
      : { version: file.version, unchanged: true };
    return { path: file.path, matches: match.count, ...meta };
  });
  return { ...(operationId !== undefined && { operation_id: operationId }), files };
}
