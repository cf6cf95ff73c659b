import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { classifyExit } from '@jinn/shell/exit-class';
import type { FinishedCommand, LaunchedCommand } from '@jinn/shell/launch-command';
import { LineChooser, type Room } from '@jinn/shell/line-chooser';
import { riskMeta, statusOf } from '@jinn/shell/report';
import { buffersOf } from '../buffers/buffers.ts';
import { jsonBytes } from '../fit/fit-json.ts';
import type { CommandCapture } from './command-capture.ts';
import { type PreparedCommand, withReferences } from './prepared-command.ts';

const MAX_LINE = 400;

/** The most bytes of chosen lines. */
const MAX_CHOSEN = 10_000;

/** Output of fewer bytes is in the answer as it is. */
const INLINE_BYTES = 10_000;
/** How much of a longer output is shown beyond its last lines, and how much of standard error. */
const CHOSEN_BYTES = 4_000;
/** How much of the output is read to choose from. */
const READ_BYTES = 8 * 1024 * 1024;
/** The room next to the output in an answer: for how the command ended, and for what the sandbox denied. */
const STATUS_BYTES = 1_200;

export interface EndedCommand {
  readonly launched: LaunchedCommand<CommandCapture>;
  readonly finished: FinishedCommand;
  readonly prepared: PreparedCommand;
}

/**
 * Formats the answer about a command that has ended. Short output is in the answer. Long output goes to a buffer,
 * and the answer has chosen lines. Throws `canceled`, and `resource_limit` for a command that wrote too much.
 */
export async function reportCommand(ctx: ToolContext, ended: EndedCommand): Promise<ToolOutput> {
  const { launched, finished } = ended;
  launched.capture.finish();
  const answer = answerOf(ctx, ended);
  const denied = finished.exitCode === 0 ? [] : launched.findDenials();
  const { classification } = classifyExit(launched.verdict.findDecider, finished, {
    isTimeout: finished.stopper === 'timeout',
    isQuiet: launched.capture.stderr.size === 0,
  });
  const { verdict } = launched;
  const details = { classification, risk: verdict.risk, meta: { output_id: answer['output_id'] } };
  if (finished.stopper === 'canceled') {
    throw new ToolError('canceled', 'the request was canceled: the command and everything it started were stopped', {
      details,
    });
  }
  if (finished.stopper === 'resource_limit') {
    const where = answer['output_id'] === undefined ? '' : `. Its output is in ${answer['output_id']}`;
    throw new ToolError('resource_limit', 'the command was stopped: it wrote more than 64 MB of output', {
      suggestion: `write to a file of the project, or filter with head, tail or grep${where}`,
      details,
    });
  }
  const data = {
    ...answer,
    ...(finished.leftRunning && finished.stopper === undefined && { left_running: 'ended with the command' }),
    ...(denied.length > 0 && {
      sandbox: denied.map(({ place, why, setting }) => ({ place, why, ...(setting && { setting }) })),
    }),
  };
  return {
    data,
    classification,
    risk: verdict.risk,
    ...('truncated' in answer && { truncated: true }),
    meta: { sandbox: launched.sandbox, duration_ms: finished.durationMs, ...riskMeta(verdict) },
  };
}

type Answer = Readonly<Record<string, unknown>>;

function answerOf(ctx: ToolContext, ended: EndedCommand): Answer {
  const { launched, finished, prepared } = ended;
  const { stdout, stderr } = launched.capture;
  const timeout = finished.stopper === 'timeout' && {
    timed_out: true,
    hint: `Timed out after ${launched.seconds} seconds: pass a larger timeout_secs, or run_in_background`,
  };
  const status = { ...timeout, ...statusOf(finished) };
  if (stdout.size + stderr.size <= INLINE_BYTES) {
    const text = (whole: string) => withReferences(whole, prepared);
    const all = { stdout: text(stdout.text(INLINE_BYTES)), stderr: text(stderr.text(INLINE_BYTES)) };
    if (fits(ctx, all)) return { ...all, ...status };
  }
  return { ...(prepared.isQuery ? formatQuery(ctx, ended) : formatLarge(ctx, ended)), ...status };
}

function fits({ maxResult = Number.POSITIVE_INFINITY }: ToolContext, members: Answer): boolean {
  return jsonBytes(members) <= maxResult - STATUS_BYTES;
}

function firstThatFits(ctx: ToolContext, answerAt: (scale: number) => Answer): Answer {
  for (let scale = 1; scale > 1 / 16; scale /= 2) {
    const answer = answerAt(scale);
    if (fits(ctx, answer)) return answer;
  }
  return answerAt(1 / 16);
}

/** Answers a query of a buffer. Its output is shown in part, and never put into a buffer of its own. */
function formatQuery(ctx: ToolContext, { launched: { capture }, prepared }: EndedCommand): Answer {
  const [out, err] = [capture.stdout.text(2 * INLINE_BYTES), capture.stderr.text(INLINE_BYTES)];
  const texts = { out: withReferences(out, prepared), err: withReferences(err, prepared) };
  return firstThatFits(ctx, (scale) => firstOfBoth(capture, { ...texts, hasParts: prepared.hasParts }, scale));
}

interface QueryTexts {
  readonly out: string;
  readonly err: string;
  readonly hasParts: boolean;
}

function firstOfBoth(capture: CommandCapture, { out, err, hasParts }: QueryTexts, scale: number): Answer {
  const stderr = firstLines(err, { lines: 20, bytes: 2_000 * scale });
  const room = { lines: 100 - stderr.shown, bytes: INLINE_BYTES * scale - Buffer.byteLength(stderr.text) };
  const stdout = firstLines(out, room);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: true,
    stdout_shown: stdout.shown,
    stdout_total: capture.stdout.lines,
    ...(capture.stderr.size > 0 && { stderr_shown: stderr.shown, stderr_total: capture.stderr.lines }),
    hint: `Narrow the query, or take the next page: ${hasParts ? 'put { and ; } around the whole command, and ' : ''}add | sed -n '${stdout.shown + 1},${stdout.shown + 100}p'`,
  };
}

function formatLarge(ctx: ToolContext, { launched: { capture } }: EndedCommand): Answer {
  const { stdout, stderr } = capture;
  const output = stdout.moveToFile();
  const error = stderr.size > 0 ? stderr.moveToFile() : undefined;
  const id = output === undefined ? undefined : buffersOf(ctx).add(ctx, { kind: 'cmd', output, error });
  const [out, err] = [stdout.text(READ_BYTES), stderr.text(READ_BYTES)];
  const [chooseOut, chooseErr] = [lineChooserOf(out), lineChooserOf(err)];
  const both = (scale: number) => ({
    stdout: chooseOut({ usual: CHOSEN_BYTES * scale, most: INLINE_BYTES * scale }),
    ...(err !== '' && { stderr: chooseErr({ usual: CHOSEN_BYTES * scale, most: CHOSEN_BYTES * scale }) }),
  });
  return firstThatFits(ctx, (scale) => ({
    ...(id !== undefined && { output_id: `@${id}` }),
    ...both(scale),
    total_lines: stdout.lines,
    ...(stderr.size > 0 && { stderr_lines: stderr.lines }),
    truncated: true,
    query:
      id === undefined ? 'The output could not be kept' : `grep -n PATTERN @${id}${error ? `, or @${id}.err` : ''}`,
  }));
}

function firstLines(text: string, { lines: maxLines, bytes }: { lines: number; bytes: number }) {
  const lines = toLines(text);
  const shown: string[] = [];
  let room = bytes;
  for (const line of lines.slice(0, Math.max(0, maxLines))) {
    const fitting = cutLine(line);
    room -= Buffer.byteLength(fitting) + 1;
    if (room < 0) break;
    shown.push(fitting);
  }
  return { text: shown.join('\n'), shown: shown.length };
}

function lineChooserOf(text: string): (room: Room) => string {
  const chooser = new LineChooser(MAX_CHOSEN);
  for (const line of toLines(text)) chooser.push(Buffer.from(`${line}\n`));
  return (room) => chooser.choose(room, '').text;
}

/** Splits a text into lines. Of a line that was overwritten, such as progress, it keeps the last state. */
function toLines(text: string): string[] {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return text === '' ? [] : lines.map(lastState);
}

function lastState(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.slice(whole.lastIndexOf('\r') + 1);
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}…`;
}
