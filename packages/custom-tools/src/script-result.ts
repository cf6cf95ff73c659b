import { checkVisualization, type ErrorDetails, type Spill, stripVisualizations, ToolError } from '@jinn/core';
import { signalName } from '@jinn/process';
import { boundText } from './bound-text.ts';
import type { FoundTool } from './discover.ts';
import type { ScriptEnd } from './run-script.ts';
import { isObject } from './schema-faults.ts';

const SHOWN_OUTPUT = 200;
const MAX_META_CHARACTERS = 10_000;

export type JsonObject = Record<string, unknown>;

/**
 * Returns the JSON object that a tool printed. Rejects with ToolError if it was stopped, exited with another status than 0,
 * printed anything else, or reported an error in the member `error`. The error carries the visualization, if it printed one.
 */
export async function readResult(tool: FoundTool, end: ScriptEnd, spill: Spill): Promise<JsonObject> {
  refuseStopped(tool, end);
  const output = parseOutput(end.stdout);
  const reported = isObject(output) ? reportedError(output) : undefined;
  const hasFailed = end.exitCode !== 0;
  if (!hasFailed && reported === undefined && isObject(output)) return output;
  const message = reported ?? (hasFailed ? describeExit(end) : describeOutput(end.stdout, output));
  throw new ToolError('tool_failed', `${tool.name}: ${boundText(message, tool.name, spill).text}`, {
    suggestion: hasFailed || reported !== undefined ? 'correct the arguments, or tell the person' : FORM_ADVICE,
    details: isObject(output) ? await detailsWith(end, output) : detailsOf(end),
  });
}

const FORM_ADVICE =
  'tell the person that the tool is at fault: it must print one JSON object, and logs go to standard error';

function refuseStopped({ name, timeout }: FoundTool, end: ScriptEnd): void {
  const { stopper } = end;
  if (stopper === undefined) return;
  const details = detailsOf(end);
  if (stopper === 'timeout') {
    throw new ToolError('timeout', `${name}: timed out after ${timeout} ms; it and all that it started were ended`, {
      suggestion: 'ask for less, or ask the person to raise timeout in the definition of the tool',
      details,
    });
  }
  if (stopper === 'canceled') {
    throw new ToolError('canceled', 'the request was canceled; the tool and all that it started were ended', {
      details,
    });
  }
  throw new ToolError('resource_limit', `${name}: it was ended: it wrote more than 64 MB of output`, {
    suggestion: 'ask for less',
    details,
  });
}

/** Returns undefined if the output is not JSON. */
function parseOutput(stdout: Buffer): unknown {
  try {
    return JSON.parse(stdout.toString().replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** Returns what a tool says in `error`. `null`, `false` and an empty text say that there is none. */
function reportedError(output: JsonObject): string | undefined {
  const error = Object.hasOwn(output, 'error') ? output['error'] : undefined;
  if (error === undefined || error === null || error === false || error === '') return undefined;
  if (typeof error === 'string') return error;
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

function describeExit({ exitCode, signal, stderr }: ScriptEnd): string {
  const how = signal === undefined ? `exited with code ${exitCode}` : `was ended by ${signalName(signal)}`;
  return stderr === '' ? `the tool ${how}` : `the tool ${how}: ${stderr}`;
}

function describeOutput(stdout: Buffer, output: unknown): string {
  if (output !== undefined) {
    const kind = Array.isArray(output) ? 'an array' : output === null ? 'null' : `a ${typeof output}`;
    return `the tool printed ${kind}, not a JSON object`;
  }
  const text = stdout.toString().trim();
  if (text === '') return 'the tool printed nothing, not a JSON object';
  const shown = text.slice(0, SHOWN_OUTPUT).toWellFormed();
  return `the output of the tool is not JSON: ${shown}${text.length > SHOWN_OUTPUT ? '…' : ''}`;
}

export interface Shown extends Pick<ErrorDetails, 'visualization'> {
  readonly warnings: readonly string[];
}

/** Checks the visualization that a tool printed. One that is wrong is a warning. */
export async function visualizationOf(output: JsonObject): Promise<Shown> {
  if (!Object.hasOwn(output, '_visualization')) return { warnings: [] };
  const checked = await checkVisualization(output['_visualization']);
  if ('problem' in checked) return { warnings: [`_visualization is not shown: ${checked.problem}`] };
  const { visualization, warning } = checked;
  return { visualization, warnings: warning === undefined ? [] : [`_visualization: ${warning}`] };
}

/** What a program may want to know of a call that failed. */
function detailsOf(end: ScriptEnd): ErrorDetails {
  return { meta: toMeta(end) };
}

/** What a program may want to know, and a person may be shown, of a call that failed with this output. */
async function detailsWith(end: ScriptEnd, output: JsonObject): Promise<ErrorDetails> {
  const { visualization, warnings } = await visualizationOf(output);
  const meta = { ...toMeta(end), output: boundMember(output), ...(warnings.length > 0 && { warnings }) };
  return { meta, ...(visualization && { visualization }) };
}

/** What a program may want to know of a call: how it ended, and what it wrote to standard error for the person. */
export function toMeta({ exitCode, stderr, durationMs }: ScriptEnd): object {
  return {
    exit_code: exitCode,
    duration_ms: durationMs,
    ...(stderr !== '' && { stderr: stderr.slice(0, MAX_META_CHARACTERS).toWellFormed() }),
  };
}

function boundMember(output: JsonObject): unknown {
  const text = JSON.stringify(stripVisualizations(output));
  return text.length <= MAX_META_CHARACTERS
    ? JSON.parse(text)
    : `${text.slice(0, MAX_META_CHARACTERS).toWellFormed()}…`;
}
