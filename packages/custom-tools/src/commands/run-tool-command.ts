import { type Answer, createRegistry, createSession, type Outcome, type Question, toEnvelope } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { parseStrictJson, toVisible, toVisibleJson, toVisibleLines } from '@jinn/core/text';
import { wordsFor } from '@jinn/core/text/answer-words';
import { isObject } from '@jinn/core/text/is-object';
import { renderVisualization } from '@jinn/views/terminal/render-visualization';
import { createCustomToolset } from '../custom-toolset.ts';
import { readTestInput } from './check-command.ts';
import { type Command, type CommandArgs, type CommandHost, survey, wordAt } from './command-host.ts';
import { TEST_INPUT } from './templates.ts';

export const runCommand: Command = {
  usage: "run NAME ['{…}'|-] [--json]",
  about: 'run a tool, and show what a model and what a person would see',
  flags: { json: { about: 'print JSON' } },
  maxWords: 2,
  help: `Runs a tool in this directory as a call of a model would. Without arguments it gets ${TEST_INPUT} of its folder, with -
what stands on standard input. Exit status 1 if the answer is not ok.

  --json  print the answer as jinn gives it

  jinn tools run word-count '{"text": "a b c"}'
  jinn tools run word-count --json < /dev/null`,
  run: async (given, host) => {
    const name = wordAt(given, 0, 'NAME');
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

/** The parts of `meta` that a person is shown. */
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
    lines ? `\n${heading('what a person sees')}${lines.join('\n')}\n` : '',
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
