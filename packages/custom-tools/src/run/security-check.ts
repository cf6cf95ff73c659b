import { isUtf8 } from 'node:buffer';
import { stripVTControlCharacters } from 'node:util';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { isObject, parseStrictJson } from '@jinn/core/text';
import { TOOL_TRUST, TOOL_VARIABLE } from '@jinn/core/trust';
import type { FoundTool } from '../discover.ts';
import { toolsCommand } from '../shell-words.ts';
import { boundText } from './bound-text.ts';
import type { ScriptEnd } from './launch-script.ts';
import { runScript } from './run-script.ts';
import type { ToolCopy } from './tool-copy.ts';

const MAX_PERMISSION = 4_096;

/** The verdict of a check script on a call. */
export interface CheckResult {
  readonly allowed: boolean;
  readonly requiresApproval: boolean;
  /** What the answer "always" would permit. */
  readonly permission: { readonly type: string; readonly key: string };
  readonly message: string;
}

/**
 * Runs the check script of a tool with the input of the call. Every fault of it refuses the call: throws
 * `command_blocked`, or `timeout`.
 */
export async function runCheck(copy: ToolCopy, script: string, input: string, ctx: ToolContext): Promise<CheckResult> {
  const { tool } = copy;
  const end = await runScript(copy, { script, input, timeout: tool.securityTimeout }, ctx);
  if (end.stopper === 'canceled') throw new ToolError('canceled', 'the request was canceled before the tool ran');
  if (end.stopper === 'timeout') {
    throw await failed(tool, `it timed out after ${tool.securityTimeout} ms`, ctx, 'timeout');
  }
  if (end.stopper !== undefined) throw await failed(tool, 'it wrote more than 64 MB of output', ctx);
  if (end.exitCode !== 0) throw await failed(tool, describeExit(end), ctx);
  const judgement = readCheckResult(end.stdout);
  if (typeof judgement === 'string') throw await failed(tool, judgement, ctx);
  return judgement;
}

function readCheckResult(output: Buffer): CheckResult | string {
  // Security: bytes that are not UTF-8 would all become the same character, so that one approved key stood for others.
  if (!isUtf8(output)) return 'its output is not UTF-8';
  let value: unknown;
  try {
    value = parseStrictJson(output.toString());
  } catch (error) {
    return `its output is ${(error as Error).message}`;
  }
  if (!isObject(value)) return 'its output is not a JSON object';
  const { allowed, requiresApproval, permissionType: type, permissionKey: key, message = '' } = value;
  if (typeof allowed !== 'boolean') return 'allowed must be true or false';
  if (typeof requiresApproval !== 'boolean') return 'requiresApproval must be true or false';
  if (!isPermission(type)) return `permissionType must be a text of 1 to ${MAX_PERMISSION} characters`;
  // Security: the answer "always" to the question of a check must not be a word by which a tool is trusted.
  if (type === TOOL_TRUST || type === TOOL_VARIABLE) return `permissionType must not be ${type}`;
  if (!isPermission(key)) return `permissionKey must be a text of 1 to ${MAX_PERMISSION} characters`;
  if (typeof message !== 'string') return 'message must be a text';
  return { allowed, requiresApproval, permission: { type, key }, message };
}

function isPermission(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_PERMISSION && value.isWellFormed();
}

function describeExit({ exitCode, stderr }: ScriptEnd): string {
  return `it exited with code ${exitCode}${stderr === '' ? '' : `: ${stderr}`}`;
}

async function failed(
  { name }: FoundTool,
  why: string,
  ctx: ToolContext,
  code: 'command_blocked' | 'timeout' = 'command_blocked',
) {
  const { text } = await boundText(stripVTControlCharacters(why), `${name}-check`, ctx);
  return new ToolError(code, `${name} did not run: its security check failed: ${text}`, {
    suggestion: `ask the user to fix the check: ${toolsCommand('check', name)}`,
  });
}
