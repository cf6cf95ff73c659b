import { createSchemaCheck, createSession, type ToolContext } from '@jinn/core';
import { indentLines, parseStrictJson, toVisible, toVisibleLines } from '@jinn/core/text';
import type { FoundTool } from '../discover.ts';
import { readSmallFile, readVariables, resolveInside } from '../folders/index.ts';
import { buildGo } from '../run/go-program.ts';
import { findRuntimeFault, missingProgram } from '../run/runtimes.ts';
import { runCheck } from '../run/security-check.ts';
import { copyTool, type ToolCopy } from '../run/tool-copy.ts';
import { toolsCommand } from '../shell-words.ts';
import { type Command, type CommandHost, survey } from './command-host.ts';
import { TEST_INPUT } from './templates.ts';

const MAX_INPUT_BYTES = 1024 * 1024;

export const checkCommand: Command = {
  usage: 'check [NAME]',
  about: 'say what is wrong with the tools, and try their security checks',
  flags: {},
  maxWords: 1,
  help: `Says what is wrong with all tools, or with one: its definition, its schemas, its runtime, its variables.
A security check is run with ${TEST_INPUT} of the folder, or with no arguments; a tool of go is built, but no tool is run.
Exit status 1 if anything is wrong.

  jinn tools check
  jinn tools check word-count`,
  run: async ({ words: [name] }, host) => {
    const { tools, untrusted, faults } = await survey(host);
    const isAsked = (found: { name: string | undefined; shown: string }) =>
      name === undefined || found.name === name || found.shown.split('/').at(-1) === name;
    const wrong = faults.filter(isAsked);
    const found = [...tools, ...untrusted].filter(isAsked);
    for (const { sentence } of wrong) host.write(`✗ ${toVisible(sentence)}\n`);
    let isFine = wrong.length === 0;
    for (const tool of found) {
      const findings = await examine(tool, { isTrusted: !untrusted.includes(tool) }, host);
      const problems = findings.filter(({ isProblem }) => isProblem);
      host.write(`${problems.length === 0 ? '✓' : '✗'} ${toVisible(`${tool.shown}: ${tool.name}`)}\n`);
      for (const { text } of findings) host.write(`${indentLines(toVisibleLines(text))}\n`);
      isFine &&= problems.length === 0;
    }
    if (found.length > 0 || wrong.length > 0) return isFine ? 0 : 1;
    host.write(name === undefined ? 'no custom tools\n' : `✗ there is no tool ${toVisible(name)}\n`);
    return name === undefined ? 0 : 1;
  },
};

interface Finding {
  readonly text: string;
  readonly isProblem: boolean;
}

async function examine(tool: FoundTool, { isTrusted }: { isTrusted: boolean }, host: CommandHost): Promise<Finding[]> {
  const problems: string[] = [];
  for (const [field, schema] of [
    ['inputSchema', tool.inputSchema],
    ['outputSchema', tool.outputSchema],
  ] as const) {
    const fault = await createSchemaCheck(schema)(null).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (fault !== undefined) problems.push(`${field}: ${fault}`);
  }
  const { runtime, env, script, securityScript = script } = tool;
  const { environment, user } = host.machine;
  const program = missingProgram(runtime, environment);
  if (program !== undefined) problems.push(`runtime: ${runtime} is not installed: ${program} is not on the PATH`);
  for (const file of new Set([script, securityScript])) {
    const fault = await findRuntimeFault(runtime, file, environment);
    if (fault !== undefined) problems.push(`runtime: ${fault}`);
  }
  const variables = readVariables(user.state.directory);
  const notes = env
    .filter((name) => !variables.has(name))
    .map((name) => `env: ${name} is not set; jinn tools env set ${name}`);
  if (!isTrusted) notes.push(`off until you allow it: ${toolsCommand('trust', tool.name)}`);
  const findings = [
    ...problems.map((text) => ({ text, isProblem: true })),
    ...notes.map((text) => ({ text, isProblem: false })),
  ];
  return isTrusted && program === undefined ? [...findings, ...(await tryOut(tool, host))] : findings;
}

/** Builds the tool if it must be built, runs the security check, and reports which variables it lacks. */
async function tryOut(tool: FoundTool, host: CommandHost): Promise<Finding[]> {
  const ctx = contextOf(host);
  try {
    const copy = await copyTool(tool, ctx);
    if (tool.runtime === 'go') await buildGo(copy, tool.script, ctx);
    const lacking = tool.env
      .filter((name) => !copy.tool.env.includes(name))
      .map((name) => `env: ${name} is not given to it; ${toolsCommand(`trust --env=${name}`, tool.name)}`);
    const verdict = tool.securityScript === undefined ? [] : [await tryCheck(copy, tool.securityScript, ctx)];
    return [...lacking, ...verdict].map((text) => ({ text, isProblem: false }));
  } catch (error) {
    return [{ text: (error as Error).message, isProblem: true }];
  }
}

async function tryCheck(copy: ToolCopy, script: string, ctx: ToolContext): Promise<string> {
  const args = parseStrictJson(readTestInput(copy.tool) ?? '{}') as object;
  const input = JSON.stringify({ ...args, workspacePath: ctx.workspace.root, sessionId: 'check' });
  const { allowed, requiresApproval, permission, message } = await runCheck(copy, script, input, ctx);
  const verdict = allowed ? 'it runs' : requiresApproval ? 'a person is asked' : 'it is blocked';
  return `security check: ${verdict} (${permission.type}: ${permission.key}) ${message}`.trimEnd();
}

/** Returns the test input of a tool; undefined if its folder has none. */
export function readTestInput({ folder }: FoundTool): string | undefined {
  const file = resolveInside(folder, TEST_INPUT);
  return 'problem' in file ? undefined : readSmallFile(file.path, MAX_INPUT_BYTES);
}

function contextOf({ machine, version }: CommandHost): ToolContext {
  return {
    ...machine,
    session: createSession(),
    catalog: { version, describe: async () => [], survey: async () => ({ tools: [], problems: [] }) },
    canAsk: false,
    warn: () => {},
    recordChanges: () => {},
    progress: () => {},
    checkpoint: async () => {},
  };
}
