import { isUtf8 } from 'node:buffer';
import {
  type ChangedFile,
  type Computed,
  defineTool,
  type FileChange,
  type FileState,
  type MutationResult,
  mutate,
  ToolError,
  type ToolOutput,
} from '@jinn/core';
import { Replacer } from '@jinn/process';
import { compilePattern, type Pattern } from '@jinn/regex';
import { changeMeta, diffOf } from './change-report.ts';
import { findTargetFiles } from './target-files.ts';
import { encodeContent, encodingOf, markLength, refuseLoneSurrogates, utf16ToUtf8 } from './text-content.ts';

const MAX_FILES = 50;
/** How far into a file a NUL makes it binary. */
const SNIFF_BYTES = 8_192;
const DEFAULT_SECONDS = 2;
const MAX_SECONDS = 60;
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Text that is not UTF-8 takes several times its size while it is matched. */
const MAX_FOREIGN_BYTES = 32 * 1024 * 1024;
const ESCAPE = 'escape what should stand for itself with a backslash: . * + ? ( ) [ ] { } ^ $ | \\';

export const searchReplace = defineTool({
  name: 'search_replace',
  effect: 'write',
  description:
    'Replace every match of a regular expression in files: paths, globs, directories, at most 50 files. All files are changed or none.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe('Regular expression to search for')),
      replacement: z.string().check(z.describe('What to put there: $1 is a group, $& the match, $$ a dollar')),
      files: z
        .union([
          z.string().check(z.minLength(1)),
          z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(1_000)),
        ])
        .check(z.describe('Path, glob or directory, or several of them')),
      include: z.optional(
        z.string().check(z.minLength(1), z.describe('Glob that the files must match too, such as *.go')),
      ),
      case_insensitive: z._default(z.boolean().check(z.describe('Match without regard to case')), false),
      multiline: z._default(z.boolean().check(z.describe('Let ^ and $ match at every line')), true),
      dry_run: z._default(z.boolean().check(z.describe('Show what would change, and write nothing')), false),
      timeout: z.optional(
        z
          .int()
          .check(
            z.minimum(1),
            z.maximum(MAX_SECONDS),
            z.describe(`Seconds that matching may take (default ${DEFAULT_SECONDS}, at most ${MAX_SECONDS})`),
          ),
      ),
      if_versions: z.optional(
        z
          .record(z.string(), z.string())
          .check(z.describe('Change nothing unless these files have these versions: path to version')),
      ),
    }),
  examples: [
    { pattern: 'oldName', replacement: 'newName', files: '*.go', dry_run: true },
    { pattern: '(\\w+)=(\\w+)', replacement: '$2=$1', files: ['a.conf', 'conf.d'] },
  ],
  hosting: { tellsVersions: true },

  async run({ files, include, replacement, dry_run, if_versions, timeout = DEFAULT_SECONDS, ...rest }, ctx) {
    refuseLoneSurrogates('replacement', replacement);
    const pattern = compilePattern({
      pattern: rest.pattern,
      caseInsensitive: rest.case_insensitive,
      lines: rest.multiline ? 'across' : 'none',
      suggestion: ESCAPE,
    });
    const named = typeof files === 'string' ? [files] : files;
    const paths = await findTargetFiles(ctx, { files: named, include, maxFiles: MAX_FILES });
    const options = { pattern, replacement, limitMs: timeout * 1_000, signal: ctx.signal };
    const result = await mutate(ctx, {
      operation: 'search_replace',
      targets: paths.map((path) => ({ path })),
      ifVersions: if_versions,
      dryRun: dry_run,
      compute: (states) => replaceAll(states, options),
    });
    return report(result, dry_run);
  },
});

/** What was found in a file. */
type Match =
  | { readonly skipped: string }
  | { readonly skipped?: undefined; readonly count: number; readonly lines: string };

type Matches = ReadonlyMap<FileState, Match>;

interface Replacing {
  readonly pattern: Pattern;
  readonly replacement: string;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
}

async function replaceAll(files: readonly FileState[], options: Replacing): Promise<Computed<Matches>> {
  const { pattern, replacement, limitMs, signal } = options;
  const replacer = new Replacer({ pattern: pattern.js, flags: `g${pattern.flags}`, replacement }, limitMs, signal);
  const matches = new Map<FileState, Match>();
  const changes: FileChange[] = [];
  let room = MAX_TOTAL_BYTES;
  try {
    for (const file of files) {
      if (matches.has(file)) continue;
      const { match, content } = await replaceIn(file, replacer, room);
      matches.set(file, match);
      if (content === undefined) continue;
      room -= content.length;
      changes.push({ file, content });
    }
  } finally {
    await replacer.close();
  }
  return { changes, found: matches };
}

/** The content is undefined if it stays as it is. */
async function replaceIn(
  { asked, content }: FileState,
  replacer: Replacer,
  room: number,
): Promise<{ match: Match; content?: Buffer }> {
  if (content === undefined) return { match: { skipped: 'file not found' } };
  const encoding = encodingOf(content);
  const text = encoding === 'bytes' ? undefined : utf16ToUtf8(content, encoding);
  if (!text && content.subarray(0, SNIFF_BYTES).includes(0)) return { match: { skipped: 'binary file' } };
  if (content.length > MAX_FOREIGN_BYTES && !text && !isUtf8(content)) throw tooLargeForeign(asked);
  const mark = content.subarray(0, markLength(content));
  const { bytes, ...found } = await replacer.replaceIn(
    text ?? content.subarray(mark.length),
    Math.min(room, MAX_FILE_BYTES) - mark.length,
  );
  const match = { count: found.count, lines: `${found.firstLine}-${found.lastLine}` };
  if (found.count === 0) return { match };
  if (bytes === undefined) throw tooLarge(asked);
  const after = text ? encodeContent({ bytes: bytes.toString('latin1'), encoding }) : Buffer.concat([mark, bytes]);
  return after.equals(content) ? { match } : { match, content: after };
}

function tooLarge(asked: string): ToolError {
  return new ToolError(
    'file_too_large',
    `the replacement would make ${asked} too large: over 50 MB, or 64 MB with the files before it`,
    {
      suggestion: 'use a shorter replacement, or a pattern that matches less; nothing was changed',
    },
  );
}

function tooLargeForeign(asked: string): ToolError {
  return new ToolError('file_too_large', `file too large: ${asked} is not UTF-8 and over 32 MB`, {
    suggestion: 'change it with a command, or convert it to UTF-8 first; nothing was changed',
  });
}

function report(result: MutationResult<Matches>, dryRun: boolean): ToolOutput {
  const matches = result.found;
  const changed = result.files.filter(({ changed: isChanged }) => isChanged);
  const total = changed.reduce((sum, { file }) => sum + countOf(matches, file), 0);
  const skipped = [...matches].flatMap(([{ path }, match]) =>
    match.skipped ? [`${path}: skipped (${match.skipped})`] : [],
  );
  const head = dryRun
    ? `[dry-run] ${changed.length} files would be changed:`
    : `replaced ${total} matches across ${changed.length} files:`;
  const lines = changed.map((one) => tell(one, matches, dryRun));
  const text = changed.length === 0 ? ['no matches found across any target files'] : [head, ...lines];
  return {
    text: [...text, ...skipped].join('\n'),
    meta: toMeta(result),
    visualize: async () => {
      const { visualizeChanges } = await import('./visualize-changes.ts');
      return visualizeChanges(changed, { dryRun });
    },
  };
}

function tell(one: ChangedFile, matches: Matches, dryRun: boolean): string {
  const { file } = one;
  const match = matches.get(file);
  const lines = match?.skipped === undefined ? match?.lines : '';
  const count = countOf(matches, file);
  if (!dryRun) return `${file.path}: ${count} replacements (lines ${lines})`;
  return `${file.path}: ${count} matches → ${count} replacements (lines ${lines})\n${diffOf(one)}`.trimEnd();
}

function countOf(matches: Matches, file: FileState): number {
  const match = matches.get(file);
  return match?.skipped === undefined ? (match?.count ?? 0) : 0;
}

function toMeta(result: MutationResult<Matches>): object {
  const { operationId, found: matches } = result;
  const files = [...matches].map(([file, match]) => {
    if (match.skipped !== undefined)
      return { path: file.path, error: match.skipped, error_code: match.skipped.replaceAll(' ', '_') };
    const changed = result.files.find((one) => one.file === file);
    const meta = changed ? changeMeta(changed, { operationId: undefined }) : { version: file.version, unchanged: true };
    return { path: file.path, matches: match.count, ...meta };
  });
  return { ...(operationId !== undefined && { operation_id: operationId }), files };
}
