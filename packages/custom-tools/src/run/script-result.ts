import { isUtf8 } from 'node:buffer';
import { stripVTControlCharacters } from 'node:util';
import type { ToolContext } from '@jinn/core';
import { type ErrorDetails, ToolError } from '@jinn/core/errors';
import { type ExactJson, isObject, parseExactJson } from '@jinn/core/text';
import { checkVisualization } from '@jinn/core/visualization';
import { signalName } from '@jinn/process';
import type { FoundTool } from '../discover.ts';
import { toolsCommand } from '../shell-words.ts';
import { boundText } from './bound-text.ts';
import type { ScriptEnd } from './launch-script.ts';

/** The member of a script's output that the user is shown. */
const KEY = '_visualization';

/** Data is far less nested, and the stack of JSON.stringify overflows far later. */
const MAX_DEPTH = 500;

const SHOWN_OUTPUT = 200;
const MAX_META_CHARACTERS = 10_000;

const NOT_UTF8 = 'the tool printed bytes that are not UTF-8, each of which is shown as \ufffd';

/** The JSON object that a tool printed. */
export type PrintedJson = ExactJson & { readonly value: Record<string, unknown> };

/**
 * Returns the JSON object that a tool printed. Rejects with ToolError if it was stopped, exited with another status than 0,
 * printed anything else, or reported an error in the member `error`. The error carries the visualization, if it printed one.
 */
export async function readResult(tool: FoundTool, end: ScriptEnd, ctx: ToolContext): Promise<PrintedJson> {
  rejectStopped(tool, end);
  const output = parseOutput(end.stdout);
  const printed = isPrinted(output) ? output : undefined;
  const reported = printed && reportedError(printed);
  const hasFailed = end.exitCode !== 0;
  if (!hasFailed && reported === undefined && printed) return printed;
  const message = reported ?? (hasFailed ? describeExit(end) : describeOutput(end.stdout, output));
  const { text } = await boundText(stripVTControlCharacters(message), tool.name, ctx);
  throw new ToolError('tool_failed', `${tool.name}: ${text}`, {
    suggestion: reported === undefined ? faultAdvice(tool, hasFailed) : 'fix the arguments, or tell the user',
    details: printed
      ? await detailsWith(end, printed)
      : { meta: { ...scriptMeta(end), ...warningsOf(outputWarnings(end)) } },
  });
}

/** Returns warnings about the bytes that a tool printed, and about how it ended. */
export function outputWarnings({ stdout, leftRunning, stopper }: ScriptEnd): string[] {
  const left = leftRunning && stopper === undefined;
  return [...(isUtf8(stdout) ? [] : [NOT_UTF8]), ...(left ? ['what the tool left running was ended with it'] : [])];
}

function isPrinted(output: ExactJson | undefined): output is PrintedJson {
  return isObject(output?.value);
}

function faultAdvice({ name }: FoundTool, hasFailed: boolean): string {
  const form = hasFailed ? '' : ': it must print one JSON object, and logs go to standard error';
  return `tell the user that the tool has an error${form}: ${toolsCommand('check', name)} may show more`;
}

function rejectStopped({ name, timeout }: FoundTool, end: ScriptEnd): void {
  const { stopper } = end;
  if (stopper === undefined) return;
  const details = { meta: scriptMeta(end) };
  if (stopper === 'timeout') {
    throw new ToolError(
      'timeout',
      `${name}: timed out after ${timeout} ms: it and everything it started were stopped`,
      {
        suggestion: 'ask for less, or ask the user to raise timeout in the definition of the tool',
        details,
      },
    );
  }
  if (stopper === 'canceled') {
    throw new ToolError('canceled', 'the request was canceled: the tool and everything it started were stopped', {
      details,
    });
  }
  throw new ToolError('resource_limit', `${name}: it was ended: it wrote more than 64 MB of output`, {
    suggestion: 'ask for less',
    details,
  });
}

function parseOutput(stdout: Buffer): ExactJson | undefined {
  try {
    return parseExactJson(stdout.toString().replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function reportedError({ value, toText }: PrintedJson): string | undefined {
  const error = Object.hasOwn(value, 'error') ? value['error'] : undefined;
  if (error === undefined || error === null || error === false || error === '') return undefined;
  if (typeof error === 'string') return error;
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : toText((output) => (output as { error: unknown }).error);
}

function describeExit({ exitCode, signal, stderr }: ScriptEnd): string {
  const how = signal === undefined ? `exited with code ${exitCode}` : `was ended by ${signalName(signal)}`;
  return stderr === '' ? `the tool ${how}` : `the tool ${how}: ${stderr}`;
}

function describeOutput(stdout: Buffer, parsed: ExactJson | undefined): string {
  if (parsed !== undefined) {
    const output = parsed.value;
    const kind = Array.isArray(output) ? 'an array' : output === null ? 'null' : `a ${typeof output}`;
    return `the tool printed ${kind}, not a JSON object`;
  }
  const text = stdout.toString().trim();
  if (text === '') return 'the tool printed nothing, not a JSON object';
  const shown = text.slice(0, SHOWN_OUTPUT).toWellFormed();
  return `the output of the tool is not JSON: ${shown}${text.length > SHOWN_OUTPUT ? '…' : ''}`;
}

interface ShownResult extends Pick<ErrorDetails, 'visualization'> {
  /** The fault of the visualization. It is for the author, since a model could do nothing about it. */
  readonly fault?: { readonly visualization_fault: string };
}

/** Checks the visualization that a tool printed. */
export async function visualizationOf({ value, readable }: PrintedJson): Promise<ShownResult> {
  if (!Object.hasOwn(value, '_visualization')) return {};
  const checked = await checkVisualization((readable() as typeof value)['_visualization']);
  if ('problem' in checked) return { fault: { visualization_fault: `it is not shown: ${checked.problem}` } };
  const { visualization, warning } = checked;
  return { visualization, ...(warning !== undefined && { fault: { visualization_fault: warning } }) };
}

async function detailsWith(end: ScriptEnd, output: PrintedJson): Promise<ErrorDetails> {
  const { visualization, fault } = await visualizationOf(output);
  const meta = { ...scriptMeta(end), output: boundMember(output), ...warningsOf(outputWarnings(end)), ...fault };
  return { meta, ...(visualization && { visualization }) };
}

function warningsOf(warnings: readonly string[]) {
  return warnings.length > 0 && { warnings };
}

/** Returns the facts about a call for programs: how it ended, and what it wrote to standard error for the user. */
export function scriptMeta({ exitCode, stderr, durationMs, leftRunning, stopper }: ScriptEnd): object {
  return {
    exit_code: exitCode,
    duration_ms: durationMs,
    ...(leftRunning && stopper === undefined && { left_running: true }),
    ...(stderr !== '' && { stderr: stderr.slice(0, MAX_META_CHARACTERS).toWellFormed() }),
  };
}

function boundMember({ isRounded, toText }: PrintedJson): unknown {
  const text = toText(stripVisualizations);
  if (text.length > MAX_META_CHARACTERS) return `${text.slice(0, MAX_META_CHARACTERS).toWellFormed()}…`;
  return isRounded ? text : JSON.parse(text);
}

/**
 * Copies a JSON value without the members called `_visualization`, at every depth. Everything else stays as it is, a member
 * called `__proto__` too. Throws `resource_limit` if the value is nested too deeply.
 */
export function stripVisualizations<T>(value: T): T {
  return strip(value, 0) as T;
}

function strip(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) {
    throw new ToolError('resource_limit', `the output is nested deeper than ${MAX_DEPTH} levels`, {
      suggestion: 'the tool must return flatter data',
    });
  }
  if (Array.isArray(value)) return value.map((item) => strip(item, depth + 1));
  const kept = Object.entries(value).filter(([key]) => key !== KEY);
  return Object.fromEntries(kept.map(([key, member]) => [key, strip(member, depth + 1)]));
}
