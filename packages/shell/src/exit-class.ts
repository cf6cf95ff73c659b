import type { StatusCommand } from './risk/index.ts';

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
