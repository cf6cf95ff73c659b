import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Pattern, ReplacementPart } from '@jinn/core/regex';
import { type ReplaceResult, Replacer } from '@jinn/core/thread';
import {
  type ComputedChanges,
  type FileChange,
  type FileState,
  isBinary,
  rejectTooLarge,
  SNIFF_BYTES,
} from '@jinn/workspace';
import { MAX_DECODED_BYTES } from '@jinn/workspace/find-charset';
import {
  adviseGlob,
  EXCLUDED_DIRECTORIES,
  type Glob,
  globRoots,
  isGlob,
  type LeftOut,
  PathMatcher,
  readGlobs,
  showPath,
  walk,
} from '@jinn/workspace/walk';
import { markLength } from '../read/text-content.ts';
import { decodeContent } from './edit-text.ts';
import { Notebook } from './notebook-sources.ts';

const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

export const BINARY = 'binary, not searched';

export type Match =
  | { readonly skipped: string }
  | {
      readonly skipped?: undefined;
      readonly count: number;
      readonly lines: string;
      readonly isForeign: boolean;
    };

export type Matches = ReadonlyMap<FileState, Match>;

interface ReplaceOptions {
  readonly pattern: Pattern;
  readonly replacement: readonly ReplacementPart[];
  readonly limitMs: number;
}

/** Replaces in all files. If it throws ToolError, nothing may be changed. */
export async function replaceAll(
  files: readonly FileState[],
  options: ReplaceOptions,
  ctx: ToolContext,
): Promise<ComputedChanges<Matches>> {
  const replacer = openReplacer(options, ctx.signal);
  const matches = new Map<FileState, Match>();
  const changes: FileChange[] = [];
  let room = MAX_TOTAL_BYTES;
  try {
    for (const file of files) {
      if (matches.has(file)) continue;
      const { match, content } = await replaceIn(ctx, file, replacer, room);
      matches.set(file, match);
      if (content === undefined) continue;
      room -= content.length;
      changes.push({ file, content });
    }
  } finally {
    await replacer.close();
  }
  return { changes, extra: matches };
}

/** Counts the matches in files. It holds one file at a time, so there may be any number. Throws ToolError. */
export async function countMatches(
  ctx: ToolContext,
  paths: readonly string[],
  options: Omit<ReplaceOptions, 'replacement'> & { readonly leftOut?: LeftOut },
) {
  const replacer = openReplacer({ ...options, replacement: [] }, ctx.signal);
  const counts = new Map<string, number>();
  try {
    for (const path of paths) {
      await ctx.checkpoint();
      const found = ctx.workspace.withFile(path, (file) => {
        if (file.size > MAX_FILE_BYTES && isBinary(file.slice(0, SNIFF_BYTES))) return undefined;
        rejectTooLarge(path, file.size);
        return { asked: path, path: file.path, content: file.slice(0, file.size) };
      });
      const text = found && (await readText(ctx, found));
      if (!text) {
        options.leftOut?.add(BINARY, path);
        continue;
      }
      const { count } = await replaceText(text, replacer, Number.POSITIVE_INFINITY);
      if (count > 0) counts.set(path, count);
    }
  } finally {
    await replacer.close();
  }
  return counts;
}

function openReplacer({ pattern, replacement, limitMs }: ReplaceOptions, signal: AbortSignal | undefined): Replacer {
  return new Replacer({ pattern: pattern.js, flags: `g${pattern.flags}`, replacement }, limitMs, signal);
}

async function replaceIn(
  ctx: ToolContext,
  { asked, path, content }: FileState,
  replacer: Replacer,
  room: number,
): Promise<{ match: Match; content?: Buffer }> {
  if (content === undefined) return { match: { skipped: 'file not found' } };
  const text = await readText(ctx, { asked, path, content });
  if (!text) return { match: { skipped: 'binary file' } };
  const { mark, encode } = text;
  const { bytes, ...found } = await replaceText(text, replacer, Math.min(room, MAX_FILE_BYTES) - mark.length);
  const { count, firstLine, lastLine } = found;
  const lines = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
  const match = { count, lines, isForeign: !isUtf8(text.bytes) };
  if (found.count === 0) return { match };
  if (bytes === undefined)
    throw new ToolError(
      'file_too_large',
      `the replacement would make ${asked} too large: over 50 MB, or 64 MB with the files before it`,
      { suggestion: 'use a shorter replacement, or a pattern that matches less (nothing was changed)' },
    );
  const after = encode(Buffer.concat([mark, bytes]));
  return after.equals(content) ? { match } : { match, content: after };
}

async function replaceText(
  { bytes: text, notebook }: FileText,
  replacer: Replacer,
  room: number,
): Promise<ReplaceResult> {
  if (!notebook) return replacer.replaceIn(text, room);
  const sources = notebook.cells.map(({ source }) => source);
  let [count, firstLine, lastLine] = [0, 1, 1];
  for (const [i, cell] of notebook.cells.entries()) {
    if (cell.source === undefined) continue;
    const { bytes, ...found } = await replacer.replaceIn(Buffer.from(cell.source, 'latin1'), room);
    if (found.count === 0) continue;
    if (bytes === undefined) return { ...found, bytes };
    sources[i] = bytes.toString('latin1');
    const before = cell.firstLine - 1;
    if (count === 0) firstLine = before + found.firstLine;
    lastLine = before + found.lastLine;
    count += found.count;
  }
  return {
    count,
    firstLine,
    lastLine,
    bytes: count === 0 ? undefined : Buffer.from(notebook.withSources(sources), 'latin1'),
  };
}

interface FileText {
  readonly bytes: Buffer;
  readonly mark: Buffer;
  encode(text: Buffer): Buffer;
  readonly notebook?: Notebook | undefined;
}

type AskedFile = Pick<FileState, 'asked' | 'path'> & { readonly content: Buffer };

async function readText(ctx: ToolContext, file: AskedFile): Promise<FileText | undefined> {
  const { asked, path, content } = file;
  if (content.length > MAX_DECODED_BYTES && !isBinary(content) && !isUtf8(content))
    throw new ToolError('file_too_large', `file too large: ${asked} is not UTF-8 and over 16 MB`, {
      suggestion: 'change it with a command, or convert it to UTF-8 first (nothing was changed)',
    });
  try {
    const { text, encode } = await decodeContent(ctx, file);
    const mark = text.subarray(0, markLength(text));
    const bytes = text.subarray(mark.length);
    return { bytes, mark, encode, notebook: Notebook.read(bytes, path) };
  } catch (error) {
    if (error instanceof ToolError && error.code === 'binary_file') return undefined;
    throw error;
  }
}

/**
 * Finds the files that a caller names: a path stands for itself, a directory for the files below it that git does not
 * ignore, a glob for the files that it matches. Each file comes once, in the order of the names. Throws ToolError for a
 * path that is refused or missing, if nothing matches, and for too many files.
 */
export async function findTargetFiles(
  ctx: ToolContext,
  {
    files,
    include,
    maxFiles,
    leftOut,
  }: { files: readonly string[]; include: string | undefined; maxFiles: number; leftOut: LeftOut },
) {
  const roots = globRoots(ctx.workspace);
  const wanted = new PathMatcher(include === undefined ? [] : readGlobs(include, roots, ','));
  const named = files.flatMap((text) => readGlobs(text, roots));
  const [spared, globs] = [named.filter(({ excludes }) => excludes), named.filter(({ excludes }) => !excludes)];
  const isSpared = new PathMatcher(spared);
  const found = new Set<string>();
  const unmatched: string[] = [];
  for (const glob of globs.length > 0 ? globs : readGlobs('.', roots)) {
    let count = 0;
    await expand(ctx, glob, leftOut, (path) => {
      const [directory, name] = [posix.dirname(path), posix.basename(path)];
      if (!isSpared.matches(directory, name) || !wanted.matches(directory, name)) return;
      count++;
      // A tilde at the start would stand for the home.
      if (found.add(path.startsWith('~') ? `./${path}` : path).size > maxFiles)
        throw new ToolError('resource_limit', `more than ${maxFiles} files to look through`, {
          suggestion: 'name fewer files, or narrow them with include (nothing was changed)',
        });
    });
    if (count === 0) unmatched.push(glob.asked);
  }
  if (found.size === 0) {
    const globs = include === undefined ? unmatched : wanted.unmatched();
    const advice = globs.map((glob) => adviseGlob(ctx.workspace, glob, '.')).find((one) => one !== undefined);
    throw new ToolError('file_not_found', `no files matched ${files.join(', ').slice(0, 300)}`, {
      suggestion: advice ?? (include === undefined ? 'use list_dir to see what is there' : `check include: ${include}`),
    });
  }
  const all = [...unmatched, ...wanted.unmatched()];
  return { paths: [...found], warnings: all.map((glob) => `no file matches ${showPath(glob)}`) };
}

async function expand(ctx: ToolContext, glob: Glob, leftOut: LeftOut, add: (path: string) => void): Promise<void> {
  const status = readStatus(ctx, glob.asked);
  const matcher = new PathMatcher(status ? [] : [glob]);
  if (status && status.kind !== 'directory') return add(status.path);
  const { workspace, checkpoint, warn } = ctx;
  const hidden = !status && matcher.hidden;
  const options = { hidden, gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint, leftOut };
  const base = `./${status?.path ?? matcher.base}`;
  const { warnings } = await walk(workspace, base, options, ({ kind, path, directory, name }) => {
    if (kind === 'file' && matcher.matches(directory.path, name)) add(path);
    return undefined;
  });
  warnings.forEach(warn);
}

function readStatus({ workspace }: ToolContext, target: string) {
  try {
    return workspace.status(target);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'file_not_found' && isGlob(target)) return undefined;
    throw error;
  }
}
