import {
  createSchemaCheck,
  type Input,
  jsonSchemaInput,
  type PreparedCall,
  type Question,
  type Session,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from '@jinn/core';
import { nearestName, ToolError } from '@jinn/core/errors';
import { countDigits, isObject } from '@jinn/core/text';
import { realPath } from '@jinn/process';
import type { FoundTool } from './discover.ts';
import { boundText } from './run/bound-text.ts';
import type { Progress } from './run/launch-script.ts';
import { runScript } from './run/run-script.ts';
import { outputWarnings, readResult, scriptMeta, stripVisualizations, visualizationOf } from './run/script-result.ts';
import { runCheck } from './run/security-check.ts';
import { changed, copyTool, findCopyChanges, type ToolCopy } from './run/tool-copy.ts';
import { toolsCommand } from './shell-words.ts';
import { askAboutTool, permissionOfTool } from './tool-approval.ts';
import { trustCommandFor } from './tool-trust.ts';

/** A number with at most this many significant digits is held exactly, in any form. */
const SAFE_DIGITS = 15;
const MAX_WARNINGS = 5;
const MAX_KEY = 60;

/** A schema with one of these allows arguments that it does not list, or lists them elsewhere. */
const OPEN = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', '$ref', '$dynamicRef'];

/** Keywords whose schemas describe the same object. */
const SAME_OBJECT = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];

/** The most bytes that 50,000 characters take. A longer result overflows. */
const MOST_SHOWN_BYTES = 200_000;
/** A result of this size fits into a file of the spill. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

/** Makes the tool of a definition. Exactly what the user approved must run. */
export function toTool(found: FoundTool): Tool {
  const { name, description, dangerous } = found;
  return {
    name,
    effect: 'execute',
    description: description || name,
    input: inputOf(found),
    examples: [],
    hosting: { isShown: true, maxResult: MOST_SHOWN_BYTES },
    ...(dangerous && { isMarked: true }),
    async prepare(args: object, ctx: ToolContext): Promise<PreparedCall> {
      if (!found.requireApproval && found.securityScript === undefined) {
        return { run: (at) => runHeld(found, { args, approved: undefined }, at) };
      }
      const approved = await copyTool(found, ctx);
      const question = await decide(approved, args, ctx);
      return { question, run: (at) => runHeld(found, { args, approved }, at) };
    },
  };
}

interface Inputs {
  readonly input: Input;
  readonly checkOutput: (value: unknown) => Promise<readonly string[]>;
}

/** The input schema of each definition, compiled once, at the first call. */
const inputs = new WeakMap<FoundTool, Inputs>();

function inputsOf(found: FoundTool): Inputs {
  const known = inputs.get(found);
  if (known) return known;
  const { name, inputSchema, outputSchema } = found;
  const made = {
    input: jsonSchemaInput(inputSchema, { name, examples: [] }),
    checkOutput: createSchemaCheck(outputSchema),
  };
  inputs.set(found, made);
  return made;
}

function inputOf(found: FoundTool): Input {
  const { input } = inputsOf(found);
  return {
    ...input,
    parse: async (args) => {
      try {
        const parsed = await input.parse(args);
        checkNumbers(found.name, parsed);
        return parsed;
      } catch (error) {
        if (error instanceof ToolError) throw withSuggestion(error, findUnlisted(found.inputSchema, Object(args)));
        throw new ToolError('tool_failed', `${found.shown}/${found.file}: inputSchema: ${(error as Error).message}`, {
          suggestion: `ask the user to fix the tool: ${toolsCommand('check', found.name)}`,
        });
      }
    },
  };
}

async function decide(copy: ToolCopy, args: object, ctx: ToolContext): Promise<Question | undefined> {
  const { tool, fingerprint } = copy;
  const { person } = await ctx.grants();
  const asking = { tool, args, fingerprint, person };
  const ofTool = { ...asking, permission: permissionOfTool(tool), message: '' };
  if (tool.securityScript === undefined) return askAboutTool(ofTool);
  const judgement = await runCheck(copy, tool.securityScript, toInput(args, ctx), ctx);
  const { allowed, requiresApproval, permission, message } = judgement;
  if (allowed) return tool.requireApproval ? askAboutTool({ ...ofTool, message }) : undefined;
  if (requiresApproval) return askAboutTool({ ...asking, permission, message });
  const why = message || 'the security check of the tool does not allow it';
  const { text } = await boundText(why, `${tool.name}-check`, ctx);
  throw new ToolError('command_blocked', `${tool.name} did not run: ${text}`, {
    suggestion: 'do not work around it: tell the user',
    details: { meta: { permission } },
  });
}

/** Runs a tool while the file tools keep out of its folder. `approved` is the copy that the user was asked about. */
async function runHeld(
  found: FoundTool,
  { args, approved }: { args: object; approved: ToolCopy | undefined },
  ctx: ToolContext,
): Promise<ToolOutput> {
  const release = ctx.workspace.heldFolders.hold(realPath(found.folder) ?? found.folder);
  try {
    const copy = await copyTool(found, ctx);
    if (approved && copy.fingerprint !== approved.fingerprint) throw changed(found);
    return await run(found, copy, args, ctx);
  } finally {
    release();
  }
}

async function run(tool: FoundTool, copy: ToolCopy, args: object, ctx: ToolContext): Promise<ToolOutput> {
  const { script, timeout, name } = tool;
  const onProgress = progressTo(ctx);
  const end = await runScript(copy, { script, timeout, input: toInput(args, ctx), onProgress }, ctx);
  const odd = [...findUnlisted(tool.inputSchema, args), ...findCopyChanges(tool, copy)];
  const output = await readResult(tool, end, ctx).catch(async (error: unknown) => {
    throw withSuggestion(error, [...odd, ...(await missingVariables(tool, copy, ctx))]);
  });
  const { visualization, fault } = await visualizationOf(output);
  const text = output.toText(stripVisualizations);
  if (Buffer.byteLength(text) > MAX_RESULT_BYTES) {
    throw new ToolError('resource_limit', `${name}: its result is larger than 16 MiB`, { suggestion: 'ask for less' });
  }
  const bound = await boundText(text, name, ctx, () => output.toText(stripVisualizations, 1));
  return {
    text: bound.text,
    ...(bound.total !== undefined && { truncated: true, totalCount: bound.total }),
    ...(visualization && { visualization }),
    warnings: [
      ...odd,
      ...checkNumbers(name, args),
      ...outputWarnings(end),
      ...(await outputFaults(tool, stripVisualizations(output.value))),
    ],
    meta: { ...scriptMeta(end), ...fault },
  };
}

/** The ids that sessions have for tools. */
const sessionIds = new WeakMap<Session, string>();

function sessionId(session: Session): string {
  const known = sessionIds.get(session) ?? process.getBuiltinModule('node:crypto').randomUUID();
  sessionIds.set(session, known);
  return known;
}

/** Makes the input of a script: the arguments, and the facts that jinn adds, which an agent cannot override. */
function toInput(args: object, { workspace, session }: ToolContext): string {
  return JSON.stringify({ ...args, workspacePath: workspace.root, sessionId: sessionId(session) });
}

function progressTo(ctx: ToolContext): (progress: Progress) => void {
  let count = 0;
  return ({ message, done, total }) => {
    count = Math.max(count + (done === undefined ? 1 : 0), done ?? 0);
    ctx.progress(message || 'running', count, total);
  };
}

async function outputFaults(found: FoundTool, result: unknown): Promise<string[]> {
  try {
    const faults = await inputsOf(found).checkOutput(result);
    return faults.length === 0 ? [] : [`the result does not fit outputSchema: ${faults.join('; ')}`];
  } catch (error) {
    return [`the result was not checked: outputSchema of the tool is invalid: ${(error as Error).message}`];
  }
}

async function missingVariables(found: FoundTool, { tool }: ToolCopy, { grants }: ToolContext): Promise<string[]> {
  const missing = found.env.filter((variable) => !tool.env.includes(variable)).join();
  if (missing === '') return [];
  const command = trustCommandFor(found, await grants(), ` --env=${missing}`);
  return [`the tool did not get ${missing}, which the user gives it with ${command}`];
}

function withSuggestion(error: unknown, odd: readonly string[]): unknown {
  if (!(error instanceof ToolError) || odd.length === 0) return error;
  const { code, message, suggestion, details, cause } = error;
  return new ToolError(code, message, {
    suggestion: [...odd, suggestion].filter((sentence) => sentence !== undefined).join('; '),
    ...(details && { details }),
    cause,
  });
}

/**
 * Returns warnings about the numbers of some arguments: large ones may have lost digits before they arrived. Throws
 * `invalid_args` for a number that certainly is not what was sent, or that looks like one.
 */
function checkNumbers(tool: string, args: object): string[] {
  const odd: string[] = [];
  const waiting: (readonly [at: string, value: unknown])[] = [['', args]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, value] = next;
    if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) waiting.push([at === '' ? key : `${at}.${key}`, member]);
    } else if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      if (countDigits(value) > SAFE_DIGITS) throw inexact(tool, at, `arrived as ${value}, which may have lost digits`);
      odd.push(`${at}: the tool got ${value}. If more digits were sent, send the number as a text`);
    } else if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      throw inexact(tool, at, 'is larger than any number that can be passed on');
    }
  }
  return odd.slice(0, MAX_WARNINGS);
}

function inexact(tool: string, at: string, why: string): ToolError {
  return new ToolError('invalid_args', `${tool}: ${at}: the number ${why} (the tool did not run)`, {
    suggestion: `send it as a text if inputSchema takes one, or with at most ${SAFE_DIGITS} digits that are not 0. Beyond 2^53 more are not safe`,
  });
}

/**
 * Lists the arguments that a schema does not list, if it lists some and does not allow others explicitly. JSON Schema
 * lets them pass, but they may be misspelled.
 */
export function findUnlisted(schema: object, args: object): string[] {
  const names = listedNames(schema);
  if (names === undefined || names.size === 0) return [];
  const unlisted = Object.keys(args).filter((key) => !names.has(key));
  return unlisted.slice(0, MAX_WARNINGS).map((key) => {
    const near = nearestName(key, names);
    const meant = near === undefined ? '' : `: did you mean ${JSON.stringify(near)}?`;
    return `inputSchema of the tool has no argument ${JSON.stringify(key.slice(0, MAX_KEY))}${meant}`;
  });
}

function listedNames(schema: unknown): Set<string> | undefined {
  if (!isObject(schema)) return new Set();
  if (OPEN.some((keyword) => keyword in schema)) return undefined;
  const { properties } = schema;
  const names = new Set(isObject(properties) ? Object.keys(properties) : []);
  for (const keyword of SAME_OBJECT) {
    const value = schema[keyword];
    const isOne = !Array.isArray(value) && keyword !== 'dependentSchemas';
    for (const part of isOne ? [value] : Object.values(value ?? {})) {
      const more = listedNames(part);
      if (more === undefined) return undefined;
      for (const name of more) names.add(name);
    }
  }
  return names;
}
