import type { Classification } from '@jinn/bash';
import { ToolError, type ToolOutput } from '@jinn/core';
import { type Denial, signalName } from '@jinn/process';
import { classifyExit } from './exit-class.ts';
import type { Finished, Launched } from './launch.ts';
import type { ShownOutput } from './output-capture.ts';

/** The exit status of `timeout` of coreutils, by convention. */
const TIMEOUT_EXIT = 124;
/** How many parts that failed are told. */
const MOST_TOLD = 5;

/** Returns the exit status that an answer shows, and the parts of pipelines whose failure it hides. */
export function statusOf({ stopper, exitCode, failedParts }: Finished) {
  return {
    exit_code: stopper === 'timeout' ? TIMEOUT_EXIT : exitCode,
    ...(failedParts.length > 0 && { failed_parts: failedParts.slice(0, MOST_TOLD) }),
  };
}

/**
 * Words the answer about a command that has ended: `[exit: N]`, its output, `[classification: …]`. Throws `canceled` and
 * `resource_limit` for a command that was stopped for that, with its output in `meta.output`.
 */
export function reportEnd(launched: Launched, finished: Finished): ToolOutput {
  const { capture, findDecider } = launched;
  const shown = capture.show({ isEnd: true });
  const isTimeout = finished.stopper === 'timeout';
  const status = statusOf(finished);
  const ending = { isTimeout, isQuiet: !capture.hasWritten('stderr') };
  const { classification, reason } = classifyExit(findDecider, finished, ending);
  const { risk } = launched.verdict;
  const denied = deniedTo(launched, finished);
  const meta = { ...toMeta(launched, shown, finished), ...(denied.length > 0 && { sandbox_denied: denied }) };
  if (finished.stopper === 'canceled') {
    throw new ToolError('canceled', 'the request was canceled; the command and all that it started were ended', {
      details: { classification, risk, meta: { ...meta, output: shown.text } },
    });
  }
  if (finished.stopper === 'resource_limit') throw tooMuchOutput(shown, { classification, risk, meta });
  const body = [shown.text, ...remarks(launched, finished), ...denied.map(toLine)].filter(Boolean).join('\n\n');
  return {
    text: `[exit: ${describeStatus(status, finished)}]\n${body}\n[classification: ${classification} — ${reason}]`,
    classification,
    risk,
    ...(shown.truncated && { truncated: true }),
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

/** Words a status as in `0, but go test ended with 1: tail decided`. */
function describeStatus({ exit_code, failed_parts }: ReturnType<typeof statusOf>, { failedParts }: Finished): string {
  if (!failed_parts) return String(exit_code);
  const told = failed_parts.map((part) => `${part.command} ended with ${part.exit_code}: ${part.decided_by} decided`);
  const more = failedParts.length - told.length;
  return `${exit_code}, ${exit_code === 0 ? 'but' : 'and'} ${[...told, ...(more > 0 ? [`${more} more`] : [])].join('; ')}`;
}

/** What a program may want to know of a command that runs or has ended. */
export function toMeta(launched: Launched, { log, overwritten }: ShownOutput, finished?: Finished): object {
  const { capture, sandbox, verdict, streams } = launched;
  return {
    ...(finished && toEnd(finished)),
    sandbox,
    ...(streams && { stdout: capture.endOf('stdout'), stderr: capture.endOf('stderr') }),
    ...(log !== undefined && { output_file: log }),
    ...(overwritten && { overwritten }),
    ...whyRisky(verdict),
  };
}

/** What made a command risky, and which part of it. */
export function whyRisky({ risk, reason, part }: Classification): object {
  return risk === 'safe' ? {} : { risk_reason: reason, ...(part !== undefined && { risk_part: part }) };
}

function toEnd({ signal, stopper, durationMs, leftRunning }: Finished): object {
  const timedOut = stopper === 'timeout';
  return {
    ...(signal !== undefined && !timedOut && { signal: signalName(signal) }),
    ...(timedOut && { timed_out: true }),
    ...(leftRunning && stopper === undefined && { left_running: true }),
    duration_ms: durationMs,
  };
}

function remarks({ seconds }: Launched, { stopper, leftRunning, survivors }: Finished): string[] {
  const remarks: string[] = [];
  if (stopper === 'timeout') remarks.push(`Command timed out after ${seconds} seconds`);
  if (leftRunning && stopper === undefined) {
    remarks.push('[What the command left running was ended with it; background: true keeps a job]');
  }
  if (survivors > 0) remarks.push(`[${survivors} processes that the command started could not be ended]`);
  return remarks;
}

/** What the sandbox kept a command from, or undid after it. A command that succeeded was in nobody's way but git's. */
function deniedTo({ findDenials }: Launched, { undone, exitCode }: Finished): Denial[] {
  const traps = undone.map(({ place, what }) => ({ place, why: `undone, since git would obey it outside: ${what}` }));
  const refused = findDenials().filter(({ place }) => exitCode !== 0 || place.includes('/.git'));
  return [...traps, ...refused];
}

function toLine({ place, setting, why }: Denial): string {
  const allow = setting === undefined ? '' : `; to allow it: ${setting}`;
  return `[sandbox: ${place}: ${why}${allow}]`;
}

function tooMuchOutput({ log, text }: ShownOutput, details: ToolError['details'] & object): ToolError {
  const where = log === undefined ? '; what it wrote could not be kept' : `; what it wrote is in ${log}`;
  return new ToolError('resource_limit', 'the command was stopped: it wrote more than 64 MB of output', {
    suggestion: `write to a file in the working directory, or filter with head, tail or grep${where}`,
    details: { ...details, meta: { ...details.meta, output: text } },
  });
}
