import type { Stream } from '@jinn/process';
import type { PipelinePart, RunnableCommand, StatusCommand, WatchedText } from './risk/index.ts';

export interface ExitClass {
  readonly classification: 'success' | 'expected_nonzero' | 'error' | 'timeout' | 'signal';
  readonly reason: string;
}

/** The largest exit status by which a shell reports a signal: 128 plus SIGRTMAX. */
const LAST_SIGNAL_STATUS = 192;

/** The status by which git says that it was called in a wrong way. */
const GIT_USAGE_STATUS = 129;

const NO_MATCHES = { status: 1, reason: 'no matches found' };
const DIFFERENT = { status: 1, reason: 'files differ' };
const FALSE = { status: 1, reason: 'condition is false' };

const PART_FAILED: ExitClass = { classification: 'error', reason: 'a part of a pipeline failed' };

export const NON_ZERO: ExitClass = { classification: 'error', reason: 'command exited with non-zero status' };

const SIGNAL: ExitClass = { classification: 'signal', reason: 'process was terminated by a signal' };

/** Exit statuses that are an answer and not a failure, by program. */
const EXPECTED: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  grep: NO_MATCHES,
  egrep: NO_MATCHES,
  fgrep: NO_MATCHES,
  rg: NO_MATCHES,
  ag: NO_MATCHES,
  diff: DIFFERENT,
  cmp: DIFFERENT,
  test: FALSE,
  '[': FALSE,
  '[[': FALSE,
  curl: { status: 22, reason: 'HTTP status 400 or above' },
};

/**
 * Classifies the exit status of a command by the part of it that decided the status. `isQuiet` is true if standard
 * error is empty: an earlier part that failed, such as the `cd` in `cd x && grep y`, would have written there.
 */
export function classifyExit(
  findDecider: () => StatusCommand | undefined,
  {
    exitCode,
    signal,
    failedParts,
    stopper,
  }: { exitCode: number; signal: number | undefined; failedParts: readonly unknown[]; stopper: string | undefined },
  { isTimeout, isQuiet }: { isTimeout: boolean; isQuiet: boolean },
): ExitClass {
  if (isTimeout) return { classification: 'timeout', reason: 'command exceeded time limit' };
  // It may have ended by itself before it was stopped, but its output is incomplete.
  if (stopper === 'resource_limit') return SIGNAL;
  if (exitCode === 0 && failedParts.length > 0) return PART_FAILED;
  if (exitCode === 0) return { classification: 'success', reason: 'command completed successfully' };
  if (signal !== undefined) return SIGNAL;
  const decider = findDecider();
  const isGitUsage = exitCode === GIT_USAGE_STATUS && decider?.words[0] === 'git';
  if (exitCode > 128 && exitCode <= LAST_SIGNAL_STATUS && !isGitUsage) return SIGNAL;
  const expected = decider && (decider.certain || isQuiet) ? expectedOf(decider, exitCode) : undefined;
  if (expected !== undefined && failedParts.length === 0)
    return { classification: 'expected_nonzero', reason: expected };
  return NON_ZERO;
}

/** Reports whether a part of a pipeline ended with 1 to say no, as `grep` does, and did not fail. */
export function isAnswer(decider: StatusCommand | undefined, exitCode: number): boolean {
  return decider?.certain === true && exitCode === 1 && expectedOf(decider, exitCode) !== undefined;
}

function expectedOf(decider: StatusCommand, exitCode: number): string | undefined {
  if (decider.negated) return exitCode === 1 ? 'the command after ! succeeded' : undefined;
  const name = decider.words[0]?.toLowerCase() ?? '';
  const expected = Object.hasOwn(EXPECTED, name) ? EXPECTED[name] : undefined;
  return expected?.status === exitCode ? expected.reason : undefined;
}

/** A part of a pipeline that failed, while another part decided the status of the pipeline. */
export interface FailedPart {
  readonly command: string;
  readonly exit_code: number;
  readonly decided_by: string;
}

/** 128 and SIGPIPE: the status of a program whose reader has closed, such as `yes` in `yes | head -1`. */
const SIGPIPE_EXIT = 141;
const MARK = '\x1e';
/** A text that may be the start of a report. */
const BEGINNING = new RegExp(`${MARK}[\\da-f]{0,40} ?=?\\d{0,3}$`);

/**
 * Makes the pipelines of a command report how their parts ended, unless that makes it longer than `maxBytes`. A
 * subshell after each pipeline writes the statuses to standard error, with a mark that cannot be guessed, and `take`
 * removes them. It keeps `$?`, and leaves no variable, function or descriptor.
 */
export function watchPipes(
  { command, verdict }: { command: string; verdict: Pick<RunnableCommand, 'watch'> },
  maxBytes: number,
): PipeWatch {
  const token = process.getBuiltinModule('node:crypto').randomBytes(12).toString('hex');
  const watched = verdict.watch((index) => reportOf(`${token}${index}`));
  const fits = watched !== undefined && Buffer.byteLength(watched.text) <= maxBytes;
  return new PipeWatch(fits ? watched : { text: command, pipelines: [] }, token);
}

/**
 * It writes nothing if the command has redirected its shell to a file. The status of the pipeline comes first, with `=`
 * before it. `set +e` is for a write that fails, and descriptor 9 keeps a trace (`set -x`) out of standard error.
 */
function reportOf(mark: string): string {
  return `(builtin set +e -- "=$?" "\${PIPESTATUS[@]}";[[ -p /dev/fd/9 || -S /dev/fd/9 ]]&&builtin printf "\\036${mark} %s;" "$@" >&9;builtin exit "\${1#=}") 9>&2 2>/dev/null`;
}

export class PipeWatch {
  readonly command: string;
  readonly #pipelines: WatchedText['pipelines'];
  /** For each pipeline, its status and those of its parts when it last ended. */
  readonly #statuses: readonly number[][];
  /** For each pipeline, the parts that failed, by part and status: in a loop a pipeline ends many times. */
  readonly #failed: readonly Map<string, FailedPart>[];
  readonly #report: RegExp;
  /** A text that may be the start of a report, as latin1. */
  readonly #held = { stdout: '', stderr: '' };

  constructor({ text, pipelines }: WatchedText, token: string) {
    this.command = text;
    this.#pipelines = pipelines;
    this.#statuses = pipelines.map(() => []);
    this.#failed = pipelines.map(() => new Map());
    this.#report = new RegExp(`${MARK}${token}(\\d{1,6}) (=?)(\\d{1,3});`, 'g');
  }

  /**
   * Takes output, and returns what the command itself wrote. A command may have joined the two streams of its shell.
   */
  take(stream: Stream, chunk: Buffer): Buffer {
    const held = this.#held[stream];
    if (this.#pipelines.length === 0 || (held === '' && !chunk.includes(MARK))) return chunk;
    const text = (held + chunk.toString('latin1')).replace(this.#report, (_, index, first, status) => {
      this.#add(Number(index), Number(status), first !== '');
      return '';
    });
    const rest = BEGINNING.exec(text)?.[0] ?? '';
    this.#held[stream] = rest;
    return Buffer.from(text.slice(0, text.length - rest.length), 'latin1');
  }

  finish(stream: Stream): Buffer {
    return Buffer.from(this.#held[stream], 'latin1');
  }

  /** The parts that failed without deciding the status of their pipeline, in the order of the command. */
  get failedParts(): FailedPart[] {
    return this.#failed.flatMap((parts) => [...parts.values()]);
  }

  /** A command can read its own text and write reports without end: more than are possible are dropped. */
  #add(index: number, status: number, isFirst: boolean): void {
    const [known, parts, failed] = [this.#statuses[index], this.#pipelines[index], this.#failed[index]];
    if (!known || !parts || !failed) return;
    if (isFirst) known.length = 0;
    else if (known.length === 0 || known.length > parts.length) return;
    known.push(status);
    if (known.length <= parts.length) return;
    for (const [key, part] of failedOf(parts, known)) failed.set(key, part);
  }
}

/**
 * The failed parts, with keys of place and status. `status` is the pipeline's. With `pipefail`, the last failed part's.
 */
function failedOf(parts: readonly PipelinePart[], [status, ...statuses]: readonly number[]): [string, FailedPart][] {
  const decider = status === statuses.at(-1) ? parts.length - 1 : statuses.findLastIndex((each) => each !== 0);
  return parts.flatMap((part, i) => {
    const exitCode = statuses[i] ?? 0;
    const isFailure = exitCode !== 0 && exitCode !== SIGPIPE_EXIT && !isAnswer(part.decider, exitCode);
    if (i === decider || !isFailure) return [];
    return [[`${i} ${exitCode}`, { command: part.name, exit_code: exitCode, decided_by: parts[decider]?.name ?? '' }]];
  });
}
