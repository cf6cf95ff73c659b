import { ToolError } from '@jinn/core/errors';
import { type Ripgrep, runProgram } from '@jinn/process';
import type { FileFilter } from '../query/file-filter.ts';
import {
  type Hit,
  MAX_WHOLE_FILE,
  SAMPLE_BYTES,
  type SearchQuery,
  searchTimeout,
  timeLeft,
} from '../query/search-query.ts';

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
  /** True if ripgrep failed. False if it only does not accept the pattern. */
  readonly isFailure: boolean;

  constructor(why: string, isFailure: boolean) {
    super(why);
    this.isFailure = isFailure;
  }
}

interface RipgrepTask {
  readonly pattern: string;
  readonly flags: readonly string[];
  /** Directories of which all files are searched, and files. Each starts with `./`. */
  readonly paths: readonly string[];
  readonly signal: AbortSignal | undefined;
  onData(chunk: Buffer): void;
}

/** A file or directory that ripgrep could not read. */
export interface UnreadablePath {
  /** The path without `./`. `.` for the root. */
  readonly path: string;
  readonly why: string;
}

/** Returns the files that could not be read. Throws RipgrepUnusable, and ToolError `timeout` or `canceled`. */
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
    // A glob that includes names would include hidden ones, too. A type does not.
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

const LINE_FEED = 10;

/** Parses `--files-with-matches --null` or `--count --null`. A path may contain line feeds. */
export function pathParser(hasCounts: boolean, onPath: (path: string, count: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (;;) {
      const nul = bytes.indexOf(0, start);
      const end = nul < 0 || !hasCounts ? nul : bytes.indexOf(LINE_FEED, nul);
      if (end < 0) break;
      const path = bytes.toString('utf8', start, nul).replace(/^\.\//, '');
      onPath(path, hasCounts ? Number(bytes.toString('latin1', nul + 1, end)) : 1);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  };
}

const CARRIAGE_RETURN = 13;
const ZERO = 48;
const NINE = 57;
/** Bytes of the longest path and the numbers after it. */
const MAX_HEADER = 4_200;
const MAX_DIGITS = 20;

/**
 * Parses the matching lines that ripgrep prints with --null, --line-number, --column, --byte-offset and NUL as the
 * separator of fields. It keeps only a sample of a line, so that a line may be of any length.
 */
export class MatchingLines {
  readonly #onHit: (hit: Hit) => void;
  #header: Buffer = Buffer.alloc(0);
  #line: LineText | undefined;

  constructor(onHit: (hit: Hit) => void) {
    this.#onHit = onHit;
  }

  get isComplete(): boolean {
    return this.#line === undefined && this.#header.length === 0;
  }

  /** Adds output. Throws if the bytes have another form. */
  push(chunk: Buffer): void {
    let rest: Buffer | undefined = chunk;
    while (rest && rest.length > 0) rest = this.#line ? this.#readText(this.#line, rest) : this.#readHeader(rest);
  }

  #readHeader(chunk: Buffer): Buffer | undefined {
    const bytes = this.#header.length === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    const header = parseHeader(bytes);
    this.#header = header ? Buffer.alloc(0) : bytes;
    if (!header && bytes.length > MAX_HEADER) throw new Error('the output of ripgrep cannot be parsed');
    if (!header) return undefined;
    this.#line = new LineText(header);
    return bytes.subarray(header.end);
  }

  #readText(line: LineText, bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(LINE_FEED);
    line.push(end < 0 ? bytes : bytes.subarray(0, end));
    if (end < 0) return undefined;
    this.#onHit(line.toHit());
    this.#line = undefined;
    return bytes.subarray(end + 1);
  }
}

interface LineHeader extends Pick<Hit, 'path' | 'line' | 'offset'> {
  /** Undefined for a match at the very end of the line. */
  readonly start: number | undefined;
  readonly end: number;
}

/** An empty match at the end of a file has no column. Returns undefined while more bytes are needed. */
function parseHeader(bytes: Buffer): LineHeader | undefined {
  const pathEnd = bytes.indexOf(0);
  if (pathEnd < 0) return undefined;
  const line = parseNumber(bytes, pathEnd + 1);
  const second = line && parseNumber(bytes, line.end);
  const third = second && parseNumber(bytes, second.end);
  if (!line || !second || !third) return undefined;
  const path = bytes.toString('utf8', 0, pathEnd).replace(/^\.\//, '');
  if (third.value === undefined)
    return { path, line: line.value ?? 0, offset: second.value ?? 0, start: undefined, end: second.end };
  return { path, line: line.value ?? 0, offset: third.value, start: (second.value ?? 0) - 1, end: third.end };
}

/** Parses digits and a NUL. The value is undefined for anything else, and the result while more bytes are needed. */
function parseNumber(
  bytes: Buffer,
  start: number,
): { readonly value: number | undefined; readonly end: number } | undefined {
  let value = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === 0 && at > start) return { value, end: at + 1 };
    if (byte < ZERO || byte > NINE || at - start >= MAX_DIGITS) return { value: undefined, end: start };
    value = 10 * value + byte - ZERO;
  }
  return undefined;
}

/** The text of a line, which arrives in pieces. */
class LineText {
  readonly #header: LineHeader;
  #length = 0;
  #sample: Buffer = Buffer.alloc(0);
  #last = 0;

  constructor(header: LineHeader) {
    this.#header = header;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const { start } = this.#header;
    const missing = SAMPLE_BYTES - this.#sample.length;
    if (start !== undefined && missing > 0 && this.#length + bytes.length > start) {
      const from = Math.max(0, start - this.#length);
      this.#sample = Buffer.concat([this.#sample, bytes.subarray(from, from + missing)]);
    }
    this.#length += bytes.length;
    this.#last = bytes.at(-1) as number;
  }

  toHit(): Hit {
    const { start, path, line, offset } = this.#header;
    // ripgrep adds a carriage return to a last line that has no line end.
    const length = this.#last === CARRIAGE_RETURN ? this.#length - 1 : this.#length;
    const from = start ?? length;
    return { path, line, offset, length, start: from, sample: this.#sample.subarray(0, length - from) };
  }
}
