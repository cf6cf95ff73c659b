import { ToolError } from '@jinn/core/errors';
import { toVisible, toVisibleJson } from '@jinn/core/text';
import { SECRET_NAME } from '@jinn/workspace/secrets/names';
import type { FoundTool } from '../discover.ts';
import { editVariable, readInstallSource, readVariables, VARIABLE_NAME } from '../folders/index.ts';
import { missingProgram } from '../run/runtimes.ts';
import {
  type CommandArgs,
  type CommandHost,
  requiredWord,
  survey,
  type TerminalCommand,
  toTable,
} from './command-host.ts';
import { type CommandFamily, runCommandLine } from './command-line.ts';
import { grantsCommand, revokeCommand } from './grant-commands.ts';
import { installCommand } from './install-command.ts';
import { newTool } from './new-tool.ts';
import { checkCommand, runToolCommand } from './run-tool-command.ts';
import { trustCommand } from './trust-command.ts';

const variablesCommand: TerminalCommand = {
  usage: 'env list [--json] | env set NAME [VALUE] | env unset NAME',
  about: 'List and set the variables of .env that tools declare',
  flags: { json: { about: 'Print JSON' } },
  maxWords: 3,
  help: `Edits .env in jinn's configuration directory (mode 0600). A tool gets the variables that its definition names in env, at
its next call. Without VALUE, the value is read from standard input, so that it does not stand in the history of the shell.
Values of names such as API_KEY, SECRET and TOKEN are never printed.

  jinn tools env list
  jinn tools env set MY_TOOL_CACHE_DIR /data/cache
  jinn tools env set MY_API_KEY < key.txt
  jinn tools env unset MY_API_KEY`,
  run: async (given, host) => {
    const [action = 'list'] = given.words;
    if (action === 'list') return list(given, host);
    const { directory } = host.machine.user.state;
    const name = nameIn(given);
    if (action === 'unset') {
      const wasSet = await editVariable(directory, name, undefined);
      host.write(wasSet ? `unset ${name}\n` : `${name} was not set\n`);
      return 0;
    }
    if (action !== 'set')
      throw new ToolError('invalid_args', `unknown command env ${action}`, { suggestion: 'it is list, set or unset' });
    await editVariable(directory, name, given.words[2] ?? host.readInput().replace(/\r?\n$/, ''));
    host.write(`set ${name}\n`);
    return 0;
  },
};

const MAX_DESCRIPTION = 60;
const listCommand: TerminalCommand = {
  usage: 'list [--json]',
  about: 'List tools, and errors in others',
  flags: { json: { about: 'Print JSON' } },
  maxWords: 0,
  help: `Lists all custom tools. ⚠ marks those that their author calls dangerous.

  --json  print an object of tools and problems

  jinn tools list
  jinn tools list --json | jq '.tools[].name'`,
  run: async ({ flags }, host) => {
    const { tools, untrusted, faults } = await survey(host);
    const rows = [
      ...tools.map((tool) => toRow(tool, true, host)),
      ...untrusted.map((tool) => toRow(tool, false, host)),
    ];
    const problems = faults.map(({ sentence }) => sentence);
    if (flags['json'] === true) {
      host.write(`${toVisibleJson({ tools: rows, problems }, 1)}\n`);
      return 0;
    }
    if (rows.length === 0 && problems.length === 0) host.write('no custom tools: jinn tools new NAME creates one\n');
    else host.write(toTable(rows.map(toCells)) + problems.map((problem) => `✗ ${toVisible(problem)}\n`).join(''));
    return 0;
  },
};

const COMMANDS: Readonly<Record<string, TerminalCommand>> = {
  new: newTool,
  check: checkCommand,
  run: runToolCommand,
  list: listCommand,
  env: variablesCommand,
  grants: grantsCommand,
  revoke: revokeCommand('jinn tools'),
  trust: trustCommand('jinn tools'),
  install: installCommand,
};

export const TOOLS_FAMILY: CommandFamily = {
  program: 'jinn tools',
  introduction: `usage: jinn tools COMMAND …

A folder with a definition and a script is a tool for models. See docs/custom-tools.md.
`,
  commands: COMMANDS,
};

/** Runs what is behind `jinn tools`. Returns the exit status: 0, 1 if something is wrong, 2 for a wrong command line. */
export function runToolsCommand(argv: readonly string[], host: CommandHost): Promise<number> {
  return runCommandLine(TOOLS_FAMILY, argv, host);
}

function toRow(tool: FoundTool, isServed: boolean, { machine }: CommandHost) {
  const { name, runtime, shown, description, dangerous, requireApproval, securityScript, env } = tool;
  const variables = env.length === 0 ? new Map() : readVariables(machine.user.state.directory);
  const missing = env.filter((each) => !variables.has(each));
  const program = missingProgram(runtime, machine.environment);
  const ready = program === undefined ? 'ready' : `needs ${program}, which is not on the PATH`;
  const source = readInstallSource(tool.folder);
  return {
    name,
    runtime,
    folder: shown,
    state: isServed ? ready : 'not trusted',
    dangerous,
    asks: requireApproval ? 'always' : securityScript === undefined ? 'never' : 'by its check',
    missing_env: missing,
    ...(source !== undefined && { installed_from: source }),
    description: description.split('\n')[0] ?? '',
  };
}

function toCells({ name, dangerous, runtime, folder, state, missing_env, description }: ReturnType<typeof toRow>) {
  const missing = missing_env.length > 0 ? `, ${missing_env.length} variables not set` : '';
  return [dangerous ? '⚠' : ' ', name, runtime, folder, state + missing, description.slice(0, MAX_DESCRIPTION)];
}

function nameIn(given: CommandArgs): string {
  const name = requiredWord(given, 1, 'NAME');
  if (VARIABLE_NAME.test(name)) return name;
  throw new ToolError('invalid_args', `${JSON.stringify(name)} is not the name of a variable`, {
    suggestion: 'use letters, digits and _, not a digit first',
  });
}

async function list({ flags }: CommandArgs, host: CommandHost): Promise<number> {
  const variables = readVariables(host.machine.user.state.directory);
  const { tools, untrusted } = await survey(host);
  const all = [...tools, ...untrusted];
  const names = [...new Set([...variables.keys(), ...all.flatMap(({ env }) => env)])].sort();
  const rows = names.map((name) => {
    const value = variables.get(name);
    const isSensitive = SECRET_NAME.test(name);
    return {
      name,
      set: value !== undefined,
      sensitive: isSensitive,
      ...(value !== undefined && !isSensitive && { value }),
      needed_by: all.filter(({ env }) => env.includes(name)).map((tool) => tool.name),
    };
  });
  if (flags['json'] === true) host.write(`${toVisibleJson(rows, 1)}\n`);
  else if (rows.length === 0) host.write('no variables\n');
  else {
    const cells = rows.map(({ name, set, value, needed_by }) => {
      const shown = value === undefined ? (set ? '(set)' : '(not set)') : JSON.stringify(value);
      return [name, shown, needed_by.length === 0 ? '' : `for ${needed_by.join(', ')}`];
    });
    host.write(toTable(cells));
  }
  return 0;
}
