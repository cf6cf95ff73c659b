import { isUtf8 } from 'node:buffer';
import {
  type ChangedFile,
  defineTool,
  type FileState,
  type MutationResult,
  mutate,
  ToolError,
  type ToolOutput,
} from '@jinn/core';
import { type Replaced, replaceMatches } from '@jinn/process';
import { compilePattern, type Pattern } from '@jinn/regex';
import { changeMeta, diffOf } from './change-report.ts';
import { lineAt } from './line-counter.ts';
import { findTargetFiles } from './target-files.ts';

const MAX_FILES = 50;
/** How far into a file a NUL makes it binary. */
const SNIFF_BYTES = 8_192;
const LIMIT_MS = 10_000;
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
        .union([z.string().check(z.minLength(1)), z.array(z.string().check(z.minLength(1))).check(z.minLength(1))])
        .check(z.describe('Path, glob or directory, or several of them')),
      include: z.optional(
        z.string().check(z.minLength(1), z.describe('Glob that the files must match too, such as *.go')),
      ),
      case_insensitive: z._default(z.boolean().check(z.describe('Match without regard to case')), false),
      multiline: z._default(z.boolean().check(z.describe('Let ^ and $ match at every line')), true),
      dry_run: z._default(z.boolean().check(z.describe('Show what would change, and write nothing')), false),
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

  async run({ files, include, replacement, dry_run, if_versions = {}, ...rest }, ctx): Promise<ToolOutput> {
    const pattern = compilePattern({
      pattern: rest.pattern,
      caseInsensitive: rest.case_insensitive,
      lines: rest.multiline ? 'across' : 'none',
      suggestion: ESCAPE,
    });
    const named = typeof files === 'string' ? [files] : files;
    const paths = await findTargetFiles(ctx, { files: named, include, maxFiles: MAX_FILES });
    const matches = new Map<FileState, Match>();
    const result = await mutate(ctx, {
      operation: 'search_replace',
      targets: paths.map((path) => ({ path, ifVersion: if_versions[path] })),
      dryRun: dry_run,
      compute: async (states) => {
        for (const [file, match] of await replaceAll(states, pattern, replacement)) matches.set(file, match);
        return states.flatMap((file) => {
          const content = matches.get(file)?.content;
          return content ? [{ file, content }] : [];
        });
      },
    });
    return report(result, matches, dry_run);
  },
});

/** What was found in a file. */
type Match =
  | { readonly skipped: string; readonly content?: undefined }
  | { readonly skipped?: undefined; readonly count: number; readonly lines: string; readonly content?: Buffer };

async function replaceAll(
  files: readonly FileState[],
  { js, flags }: Pattern,
  replacement: string,
): Promise<Map<FileState, Match>> {
  const texts = files.map(({ content }) => (content && !isBinary(content) ? content : undefined));
  const readable = texts.filter((content) => content !== undefined);
  // Bytes that are no UTF-8 are matched one by one, so that they come out as they went in.
  const encodings = readable.map((content) => (isUtf8(content) ? 'utf8' : 'latin1'));
  const decoded = readable.map((content, i) => content.toString(encodings[i]));
  const replaced = await replaceMatches({ pattern: js, flags: `g${flags}`, replacement }, decoded, LIMIT_MS);
  let next = 0;
  return new Map(
    files.map((file, i) => {
      const before = texts[i];
      if (before === undefined) return [file, { skipped: 'binary file' }];
      const [text = '', encoding, after] = [decoded[next], encodings[next], replaced[next++]];
      return [file, toMatch(before, text, after as Replaced, encoding as 'utf8' | 'latin1')];
    }),
  );
}

function toMatch(before: Buffer, text: string, after: Replaced, encoding: 'utf8' | 'latin1'): Match {
  const { count, start, end } = after;
  const lines = `${lineAt(text, start)}-${lineAt(text, Math.max(start, end - 1))}`;
  if (count === 0) return { count, lines };
  if (!after.text.isWellFormed())
    throw new ToolError('invalid_regex', 'the replacement would take characters apart', { suggestion: ESCAPE });
  const content = encode(after.text, encoding);
  return content.equals(before) ? { count, lines } : { count, lines, content };
}

/** A replacement may bring characters that latin1 does not have; they are written as UTF-8. */
function encode(text: string, encoding: 'utf8' | 'latin1'): Buffer {
  if (encoding === 'utf8') return Buffer.from(text);
  return Buffer.from(
    text.replace(/[^\0-\xff]+/gu, (characters) => Buffer.from(characters).toString('latin1')),
    'latin1',
  );
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, SNIFF_BYTES).includes(0);
}

function report(result: MutationResult, matches: ReadonlyMap<FileState, Match>, dryRun: boolean): ToolOutput {
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
  return { text: [...text, ...skipped].join('\n'), meta: toMeta(result, matches) };
}

function tell(one: ChangedFile, matches: ReadonlyMap<FileState, Match>, dryRun: boolean): string {
  const { file } = one;
  const match = matches.get(file);
  const lines = match?.skipped === undefined ? match?.lines : '';
  const count = countOf(matches, file);
  if (!dryRun) return `${file.path}: ${count} replacements (lines ${lines})`;
  return `${file.path}: ${count} matches → ${count} replacements (lines ${lines})\n${diffOf(one)}`.trimEnd();
}

function countOf(matches: ReadonlyMap<FileState, Match>, file: FileState): number {
  const match = matches.get(file);
  return match?.skipped === undefined ? (match?.count ?? 0) : 0;
}

function toMeta(result: MutationResult, matches: ReadonlyMap<FileState, Match>): object {
  const { operationId } = result;
  const files = [...matches].map(([file, match]) => {
    if (match.skipped !== undefined) return { path: file.path, error: match.skipped, error_code: 'binary_file' };
    const changed = result.files.find((one) => one.file === file);
    const meta = changed ? changeMeta(changed, { operationId: undefined }) : { version: file.version, unchanged: true };
    return { path: file.path, matches: match.count, ...meta };
  });
  return { ...(operationId !== undefined && { operation_id: operationId }), files };
}
