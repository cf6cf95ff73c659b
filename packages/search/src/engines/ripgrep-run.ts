import { ToolError } from '@jinn/core/errors';
import { type Ripgrep, runProgram } from '@jinn/process';
import type { FileFilter } from '../query/file-filter.ts';
import { MAX_WHOLE_FILE } from '../query/limits.ts';
import { type SearchQuery, timeLeft } from '../query/search-query.ts';
import { searchTimeout } from '../query/with-time-limit.ts';

/** Bytes of paths for one process. Systems accept from 256 KiB to 2 MiB, with the environment. */
const MAX_ARGUMENTS = 192 * 1024;
/** `runProgram` keeps this much of standard error. */
const MAX_STDERR = 4_096;
const BAD_PATTERN = /^(rg: )?(regex parse error|error: .*regex|.*size limit)/m;
const FILE_ERROR = /^rg: (.+?): (.+?) \(os error (\d+)\)$/;
const MET_FIFO = 'ripgrep waited at a FIFO that took the place of a file';
/**
 * EPERM, ENOENT, EIO, EACCES, ENOTDIR, EISDIR, ELOOP, ESTALE: errors of one file, after which all others are searched.
 */
const FILE_ERRORS = new Set([1, 2, 5, 13, 20, 21, 40, 62, 70, 116]);

export interface RipgrepOptions {
  readonly ripgrep: Ripgrep;
  readonly filter: FileFilter | undefined;
  readonly query: SearchQuery;
  /** True to search hidden files in whole directories. */
  readonly showsHidden: boolean;
}

/** ripgrep gave no answer, or one that may be incomplete: the built-in engine has to search. */
export class RipgrepUnusable extends Error {
  /** True if ripgrep failed; false if it only does not accept the pattern. */
  readonly isFailure: boolean;

  constructor(why: string, isFailure: boolean) {
    super(why);
    this.isFailure = isFailure;
  }
}

export interface RipgrepTask {
  readonly pattern: string;
  readonly flags: readonly string[];
  /** Directories of which all files are searched, and files; each begins with `./`. */
  readonly paths: readonly string[];
  readonly signal: AbortSignal | undefined;
  onData(chunk: Buffer): void;
}

/** A file or directory that ripgrep could not read. */
export interface UnreadablePath {
  /** The path without `./`; `.` for the root. */
  readonly path: string;
  readonly why: string;
}

/**
 * Searches paths, with as many processes as their number requires. Returns the files that could not be read. Throws
 * RipgrepUnusable, and ToolError `timeout` or `canceled`.
 */
export async function runRipgrep(options: RipgrepOptions, task: RipgrepTask): Promise<UnreadablePath[]> {
  const { ripgrep, query } = options;
  const unreadable: UnreadablePath[] = [];
  for (const paths of groupsOf(task.paths)) {
    const args = [...task.flags, ...commonFlags(options), '--', task.pattern, ...paths];
    const { status, stderr } = await runOnce(ripgrep, args, query, task);
    // 0 is a match and 1 is none. Whatever else it says, it may have found more than it told.
    if (status === 2) unreadable.push(...unreadableOf(stderr));
    else if (status > 1) throw new RipgrepUnusable(`ripgrep failed with exit status ${status}`, true);
  }
  return unreadable;
}

async function runOnce(ripgrep: Ripgrep, args: readonly string[], { ctx, limits }: SearchQuery, task: RipgrepTask) {
  try {
    return await runProgram({
      command: ripgrep.command,
      args,
      cwd: ctx.workspace.root,
      env: {},
      limitMs: timeLeft(limits),
      signal: task.signal,
      refusesFifos: true,
      onData: (chunk) => task.onData(chunk),
    });
  } catch (error) {
    if (error instanceof ToolError && error.code === 'timeout') throw searchTimeout(limits.totalMs, error);
    if (error instanceof ToolError && error.code === 'not_a_file') throw new RipgrepUnusable(MET_FIFO, true);
    if (error instanceof ToolError && error.code !== 'internal') throw error;
    throw new RipgrepUnusable('ripgrep could not be started, or was ended from outside', true);
  }
}

function commonFlags({ query, filter, showsHidden }: RipgrepOptions): string[] {
  return [
    '--no-config',
    '--no-ignore',
    '--max-depth=1',
    '--no-mmap',
    '--null',
    '--with-filename',
    '--no-heading',
    '--color=never',
    '--crlf',
    '--regex-size-limit=16M',
    query.pattern.caseInsensitive ? '--ignore-case' : '--case-sensitive',
    ...(query.crossesLines ? ['--multiline', `--max-filesize=${MAX_WHOLE_FILE}`] : []),
    ...(showsHidden ? ['--hidden'] : []),
    // A glob that includes names would include hidden ones, too; a type does not.
    ...(filter?.nameGlobs?.map((glob) => `--type-add=jinn:${glob}`) ?? []),
    ...(filter?.nameGlobs ? ['--type=jinn'] : []),
  ];
}

/** Returns the files that could not be read: status 2 may mean that, or anything else. */
function unreadableOf(stderr: string): UnreadablePath[] {
  if (BAD_PATTERN.test(stderr)) throw new RipgrepUnusable('ripgrep does not accept the pattern', false);
  const lines = stderr.split('\n');
  // The last line is empty, or cut.
  if (lines.pop() !== '' && stderr.length < MAX_STDERR) lines.length = 0;
  const errors = lines.map((line) => FILE_ERROR.exec(line));
  if (errors.length === 0 || errors.some((error) => !error || !FILE_ERRORS.has(Number(error[3])))) {
    throw new RipgrepUnusable('ripgrep failed with exit status 2', true);
  }
  return errors.map((error) => ({
    path: error?.[1]?.replace(/^\.\/(?=.)/, '').replace(/\/$/, '') ?? '',
    why: error?.[2]?.toLowerCase() ?? '',
  }));
}

/** Splits paths into groups that fit into one command line each. */
function* groupsOf(paths: readonly string[]): Generator<readonly string[]> {
  let group: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += Buffer.byteLength(path) + 1;
    if (bytes > MAX_ARGUMENTS) {
      yield group;
      group = [];
      bytes = Buffer.byteLength(path) + 1;
    }
    group.push(path);
  }
  if (group.length > 0) yield group;
}
