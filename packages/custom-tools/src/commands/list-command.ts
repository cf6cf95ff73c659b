import { toVisible, toVisibleJson } from '@jinn/core/text';
import type { FoundTool } from '../discover.ts';
import { readSource, readVariables } from '../folders/index.ts';
import { missingProgram } from '../run/runtimes.ts';
import { type Command, type CommandHost, survey, toTable } from './command-host.ts';

const MAX_DESCRIPTION = 60;

export const listCommand: Command = {
  usage: 'list [--json]',
  about: 'list the tools, and what is wrong with others',
  flags: { json: { about: 'print JSON' } },
  maxWords: 0,
  help: `Lists all custom tools. ⚠ stands before those that their author marked as dangerous.

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
    if (rows.length === 0 && problems.length === 0) host.write('no custom tools; jinn tools new NAME writes one\n');
    else host.write(toTable(rows.map(toCells)) + problems.map((problem) => `✗ ${toVisible(problem)}\n`).join(''));
    return 0;
  },
};

function toRow(tool: FoundTool, isServed: boolean, { machine }: CommandHost) {
  const { name, runtime, shown, description, dangerous, requireApproval, securityScript, env } = tool;
  const variables = env.length === 0 ? new Map() : readVariables(machine.user.state.directory);
  const missing = env.filter((each) => !variables.has(each));
  const program = missingProgram(runtime, machine.environment);
  const ready = program === undefined ? 'ready' : `needs ${program}, which is not on the PATH`;
  const source = readSource(tool.folder);
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
