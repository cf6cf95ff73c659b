import { ToolError } from '@jinn/core/errors';
import { toVisibleJson } from '@jinn/core/text';
import { SECRET_NAME } from '@jinn/workspace/secrets/names';
import { editVariable, readVariables, VARIABLE_NAME } from '../folders/index.ts';
import { type Command, type CommandArgs, type CommandHost, survey, toTable, wordAt } from './command-host.ts';

export const variablesCommand: Command = {
  usage: 'env list [--json] | env set NAME [VALUE] | env unset NAME',
  about: 'the variables of .env that tools declare',
  flags: { json: { about: 'print JSON' } },
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

function nameIn(given: CommandArgs): string {
  const name = wordAt(given, 1, 'NAME');
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
