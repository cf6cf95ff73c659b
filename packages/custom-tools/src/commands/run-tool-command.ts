import {
  type Answer,
  createRegistry,
  createSchemaCheck,
  createSession,
  type Outcome,
  type Question,
  type ToolContext,
  toEnvelope,
} from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { indentLines, isObject, parseStrictJson, toVisible, toVisibleJson, toVisibleLines } from '@jinn/core/text';
import { wordsFor } from '@jinn/core/text/answer-words';
import { renderVisualization } from '@jinn/views/terminal/render-visualization';
import { createCustomToolset } from '../custom-toolset.ts';
import type { FoundTool } from '../discover.ts';
import { readSmallFile, readVariables, resolveInside } from '../folders/index.ts';
import { buildGo } from '../run/run-script.ts';
import { findRuntimeFault, missingProgram } from '../run/runtimes.ts';
import { runCheck } from '../run/security-check.ts';
import { copyTool, type ToolCopy } from '../run/tool-copy.ts';
import { toolsCommand } from '../shell-words.ts';
import { type CommandArgs, type CommandHost, requiredWord, survey, type TerminalCommand } from './command-host.ts';
import { TEST_INPUT } from './new-tool.ts';

const MAX_INPUT_BYTES = 1024 * 1024;

export const checkCommand: TerminalCommand = {
  usage: 'check [NAME]',
  about: 'Report errors in tools, and try their security checks',
  flags: {},
  maxWords: 1,
  help: `Says what is wrong with all tools, or with one: its definition, its schemas, its runtime, its variables.
A security check is run with ${TEST_INPUT} of the folder, or with no arguments. A tool of go is built, but no tool is run.
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

export const runToolCommand: TerminalCommand = {
  usage: "run NAME ['{…}'|-] [--json]",
  about: 'Run a tool, and show what a model and a user get',
  flags: { json: { about: 'Print JSON' } },
  maxWords: 2,
  help: `Runs a tool in this directory as a call of a model would. Without arguments it gets ${TEST_INPUT} of its folder, with -
what stands on standard input. Exit status 1 if the answer is not ok.

  --json  print the answer as jinn gives it

  jinn tools run word-count '{"text": "a b c"}'
  jinn tools run word-count --json < /dev/null`,
  run: async (given, host) => {
    const name = requiredWord(given, 0, 'NAME');
    const args = await argumentsOf(name, given, host);
    const outcome = await callTool(name, args, host);
    if (given.flags['json'] === true) host.write(`${toVisibleJson(toEnvelope(outcome))}\n`);
    else host.write(toText(outcome, host));
    return outcome.ok ? 0 : 1;
  },
};

async function argumentsOf(name: string, { words: [, text] }: CommandArgs, host: CommandHost): Promise<object> {
  const source = text === '-' ? host.readInput() : (text ?? (await testInput(name, host)) ?? '{}');
  try {
    const value = parseStrictJson(source);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new ToolError('invalid_args', `the arguments are ${(cause as Error).message}`, {
      suggestion: `jinn tools run ${name} '{"text": "a"}'`,
      cause,
    });
  }
  throw new ToolError('invalid_args', 'the arguments must be a JSON object', {
    suggestion: `jinn tools run ${name} '{"text": "a"}'`,
  });
}

async function testInput(name: string, host: CommandHost): Promise<string | undefined> {
  const tool = (await survey(host)).tools.find((found) => found.name === name);
  return tool && readTestInput(tool);
}

async function callTool(name: string, args: object, host: CommandHost): Promise<Outcome> {
  const { machine, builtIn, version, ask } = host;
  const registry = await createRegistry({
    toolsets: [createCustomToolset({ machine, builtIn })],
    version,
    onInternalError: (error) => machine.log(String(error)),
  });
  const session = createSession();
  const at = {
    ...machine,
    session,
    showsVisualizations: true,
    progress: (message: string, done: number, total?: number) =>
      machine.log(`… ${toVisible(message)} (${done}${total === undefined ? '' : ` of ${total}`})`),
    ask: ask && ((question: Question) => askPerson(question, ask)),
  };
  try {
    return await registry.call({ tool: name, args }, at);
  } finally {
    await session.close();
  }
}

async function askPerson({ message, onlyOnce }: Question, ask: NonNullable<CommandHost['ask']>): Promise<Answer> {
  const answers = wordsFor(onlyOnce === undefined ? ['once', 'always', 'deny'] : ['once', 'deny']);
  const choices = Object.entries(answers).map(([answer, words]) => `${words} (${answer})`);
  const answer = (await ask(`${message}\n\n${choices.join(', ')}? `)).trim().toLowerCase();
  return answer === 'once' || answer === 'always' ? answer : 'deny';
}

interface ShownMeta {
  readonly stderr?: string;
  readonly visualization_fault?: string;
  readonly warnings?: readonly string[];
}

function toText(outcome: Outcome, { width, color }: CommandHost): string {
  const { visualization, meta = {} } = outcome.ok ? outcome : (outcome.error.details ?? {});
  const { stderr, visualization_fault, ...rest } = meta as ShownMeta;
  const told = (outcome.ok ? outcome : rest).warnings ?? [];
  const warnings = visualization_fault === undefined ? told : [...told, `_visualization: ${visualization_fault}`];
  const lines = visualization && renderVisualization(visualization, { width, color });
  return [
    outcome.ok
      ? `${heading('what the model gets')}${toVisibleLines(outcome.text ?? '')}\n`
      : toErrorText(outcome.error),
    lines ? `\n${heading('what the user sees')}${lines.join('\n')}\n` : '',
    stderr === undefined ? '' : `\n${heading('standard error')}${toVisibleLines(stderr)}\n`,
    warnings.length === 0 ? '' : `\n${heading('warnings')}${toVisibleLines(warnings.join('\n'))}\n`,
  ].join('');
}

function toErrorText({ code, message, suggestion }: ToolError): string {
  return `${heading('error')}${toVisibleLines(`${code}: ${message}\n${suggestion === undefined ? '' : `${suggestion}\n`}`)}`;
}

function heading(title: string): string {
  return `── ${title} ──\n`;
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
    .map((name) => `env: ${name} is not set: jinn tools env set ${name}`);
  if (!isTrusted) notes.push(`off until you allow it: ${toolsCommand('trust', tool.name)}`);
  const findings = [
    ...problems.map((text) => ({ text, isProblem: true })),
    ...notes.map((text) => ({ text, isProblem: false })),
  ];
  return isTrusted && program === undefined ? [...findings, ...(await tryOut(tool, host))] : findings;
}

async function tryOut(tool: FoundTool, host: CommandHost): Promise<Finding[]> {
  const ctx = contextOf(host);
  try {
    const copy = await copyTool(tool, ctx);
    if (tool.runtime === 'go') await buildGo(copy, tool.script, ctx);
    const lacking = tool.env
      .filter((name) => !copy.tool.env.includes(name))
      .map((name) => `env: ${name} is not given to it: ${toolsCommand(`trust --env=${name}`, tool.name)}`);
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
  const verdict = allowed ? 'it runs' : requiresApproval ? 'the user is asked' : 'it is blocked';
  return `security check: ${verdict} (${permission.type}: ${permission.key}) ${message}`.trimEnd();
}

function readTestInput({ folder }: FoundTool): string | undefined {
  const file = resolveInside(folder, TEST_INPUT);
  return 'problem' in file ? undefined : readSmallFile(file.path, MAX_INPUT_BYTES);
}

function contextOf({ machine, version }: CommandHost): ToolContext {
  return {
    ...machine,
    session: createSession(),
    catalog: { version, list: async () => ({ tools: [], leftOut: [] }) },
    canAsk: false,
    warn: () => {},
    recordChanges: () => {},
    progress: () => {},
    checkpoint: async () => {},
  };
}
