import type { ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { signalName } from '@jinn/process';
import type { Denial } from '@jinn/process/sandbox';
import { classifyExit, NON_ZERO } from './exit-class.ts';
import { type FinishedCommand, type LaunchedCommand, namedVariables } from './launch-command.ts';
import type { ShownOutput, ShowOutputOptions } from './output-capture.ts';
import type { Classification } from './risk/index.ts';

/** The exit status of `timeout` of coreutils, by convention. */
const TIMEOUT_EXIT = 124;
/** Matches the messages in which a server says that it serves. */
const SERVES =
  /\blistening\b|\bserving\b|server (?:is )?(?:running|started|ready)|https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b/i;
const MOST_TOLD = 5;

/** The part of the output that an answer shows: its most bytes, and the byte where it starts. */
export interface OutputView extends Pick<ShowOutputOptions, 'max' | 'since'> {
  /** True if the output was reported before, and is only counted. */
  readonly isReported?: boolean;
}

/** Returns the exit status that an answer shows, and the parts of pipelines whose failure it hides. */
export function statusOf({ stopper, exitCode, failedParts }: FinishedCommand) {
  return {
    exit_code: stopper === 'timeout' ? TIMEOUT_EXIT : exitCode,
    ...(failedParts.length > 0 && { failed_parts: failedParts.slice(0, MOST_TOLD) }),
  };
}

/**
 * Formats the answer about a command that has ended. A model gets `[classification: …]` only if it says more than the
 * status. Throws `canceled` and `resource_limit` for a command that was stopped for that, with its output in
 * `meta.output`.
 */
export function reportEnd(launched: LaunchedCommand, finished: FinishedCommand, view: OutputView = {}): ToolOutput {
  const { capture, verdict } = launched;
  const isTimeout = finished.stopper === 'timeout';
  const status = statusOf(finished);
  const isSuccess = finished.stopper === undefined && status.exit_code === 0 && !status.failed_parts;
  const shown = capture.show({ isEnd: true, isSuccess, max: view.max ?? launched.maxOutput, since: view.since });
  const ending = { isTimeout, isQuiet: !capture.hasWritten('stderr') };
  const exit = classifyExit(verdict.findDecider, finished, ending);
  const { classification, reason } = exit;
  const { risk } = verdict;
  const denied = deniedTo(launched, finished);
  const meta = { ...toMeta(launched, shown, finished), ...deniedMeta(denied) };
  if (finished.stopper === 'canceled') {
    throw new ToolError('canceled', 'the request was canceled: the command and everything it started were stopped', {
      details: { classification, risk, meta: { ...meta, output: shown.text } },
    });
  }
  if (finished.stopper === 'resource_limit') throw tooMuchOutput(shown, { classification, risk, meta });
  // The status alone describes a command that succeeded, or that merely exited with another status than 0.
  const saysAll = capture.isForModel && (classification === 'success' || exit === NON_ZERO);
  const told = saysAll ? '' : `[classification: ${classification} — ${reason}]`;
  const output = view.isReported ? countReported(capture.lines) : shown.text;
  const body = [output, ...decodedLine(shown), ...remarks(launched, finished), ...denied.map(toLine)]
    .filter(Boolean)
    .join('\n\n');
  return {
    text: `${[`[exit: ${describeStatus(status, finished)}]`, body].filter(Boolean).join('\n')}\n${told}`,
    classification,
    risk,
    ...(shown.truncated && !view.isReported && { truncated: true }),
    meta: { ...status, ...meta },
    visualize: () => ({
      type: 'shell-output',
      command: launched.command,
      stdout: capture.endOf('stdout'),
      stderr: capture.endOf('stderr'),
      exitCode: status.exit_code,
      ...(shown.truncated && { title: 'the end of a longer output' }),
    }),
  };
}

/** Returns the line that names the encoding of an output that was decoded. */
export function decodedLine({ encoding }: ShownOutput): string[] {
  return encoding === undefined ? [] : [`[decoded from ${encoding}, the encoding of the locale]`];
}

function countReported(lines: number): string {
  if (lines === 0) return '';
  return `[reported already: ${lines === 1 ? 'line 1' : `lines 1 to ${lines}`}; since: 0 shows the output again]`;
}

/** Formats a status as in `0, but go test ended with 1: tail decided`. */
function describeStatus(
  { exit_code, failed_parts }: ReturnType<typeof statusOf>,
  { failedParts }: FinishedCommand,
): string {
  if (!failed_parts) return String(exit_code);
  const told = failed_parts.map((part) => `${part.command} ended with ${part.exit_code}: ${part.decided_by} decided`);
  const more = failedParts.length - told.length;
  return `${exit_code}, ${exit_code === 0 ? 'but' : 'and'} ${[...told, ...(more > 0 ? [`${more} more`] : [])].join('; ')}`;
}

export function toMeta(
  launched: LaunchedCommand,
  { log, overwritten, encoding }: ShownOutput,
  finished?: FinishedCommand,
): object {
  const { capture, sandbox, verdict, streams } = launched;
  return {
    ...(finished && toEnd(finished)),
    sandbox,
    ...(streams && { stdout: capture.endOf('stdout'), stderr: capture.endOf('stderr') }),
    ...(log !== undefined && { output_file: log }),
    ...(overwritten && { overwritten }),
    ...(encoding !== undefined && { encoding }),
    ...riskMeta(verdict),
  };
}

/** Returns the reason for the risk of a command, and the part that causes it, or nothing for a safe command. */
export function riskMeta({ risk, reason, part }: Classification): object {
  return risk === 'safe' ? {} : { risk_reason: reason, ...(part !== undefined && { risk_part: part }) };
}

function toEnd({ signal, stopper, durationMs, leftRunning }: FinishedCommand): object {
  const timedOut = stopper === 'timeout';
  return {
    ...(signal !== undefined && !timedOut && { signal: signalName(signal) }),
    ...(timedOut && { timed_out: true }),
    ...(leftRunning && stopper === undefined && { left_running: true }),
    duration_ms: durationMs,
  };
}

function remarks(launched: LaunchedCommand, finished: FinishedCommand): string[] {
  const { stopper, leftRunning, survivors, didListen } = finished;
  const remarks: string[] = [];
  if (stopper === 'timeout') {
    remarks.push(`Command timed out after ${launched.seconds} seconds`);
    const isServer = didListen || SERVES.test(launched.capture.plain());
    if (isServer && !launched.background) remarks.push('[It looks like a server: background: true runs it as a job]');
  }
  if (stopper === 'terminate') remarks.push('[SIGTERM ended it]');
  if (stopper === 'kill') remarks.push('[SIGTERM did not end it within 2 seconds; SIGKILL did]');
  const { command, capture, jinnEnvironment } = launched;
  const unset = finished.exitCode === 0 ? [] : namedVariables(command, capture.plain(), jinnEnvironment);
  if (unset.length > 0)
    remarks.push(`[Commands get PATH, HOME, LANG and the like: set ${unset.join(', ')} in the command]`);
  if (leftRunning && stopper === undefined) {
    remarks.push('[What the command left running was ended with it; background: true keeps a job]');
  }
  if (survivors > 0) remarks.push(`[${survivors} processes that the command started could not be ended]`);
  return remarks;
}

/** For a command that succeeded, only those refusals of the sandbox count that concern git. */
function deniedTo({ findDenials }: LaunchedCommand, { undone, exitCode }: FinishedCommand): Denial[] {
  const traps = undone.map(({ place, what, by = 'git', setting, isLeft }) => {
    const why = isLeft
      ? `could not be checked or undone, and ${by} may obey it outside: ${what}`
      : `undone, since ${by} would obey it outside: ${what}`;
    return { place, why, ...(setting && { setting }) };
  });
  const refused = findDenials().filter(({ place }) => exitCode !== 0 || place.includes('/.git'));
  return [...traps, ...refused];
}

/** Returns what the sandbox refused, for programs. */
export function deniedMeta(denied: readonly Denial[]): object {
  return denied.length > 0 ? { sandbox_denied: denied } : {};
}

/** Formats, for the answer, what the sandbox refused. */
export function toLine({ place, setting, why }: Denial): string {
  const allow = setting === undefined ? '' : `; to allow it: ${setting}`;
  return `[sandbox: ${place}: ${why}${allow}]`;
}

function tooMuchOutput({ log, text }: ShownOutput, details: ToolError['details'] & object): ToolError {
  const where = log === undefined ? '. Its output could not be kept' : `. Its output is in ${log}`;
  return new ToolError('resource_limit', 'the command was stopped: it wrote more than 64 MB of output', {
    suggestion: `write to a file in the working directory, or filter with head, tail or grep${where}`,
    details: { ...details, meta: { ...details.meta, output: text } },
  });
}
