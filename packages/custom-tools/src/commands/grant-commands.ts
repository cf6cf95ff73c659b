import { type Grant, type GrantFilter, ToolError } from '@jinn/core';
import { fingerprintFolder, shortFingerprint } from '@jinn/store/tool-folders';
import { type Command, type CommandHost, confirm, type Given, invalid, survey, toTable, wordAt } from './command.ts';

export const grantsCommand: Command = {
  usage: 'grants [--json] | grants add NAME TYPE KEY [--yes]',
  about: 'list what is allowed for good in this directory, or allow something',
  flags: { json: 'boolean', yes: 'boolean' },
  maxWords: 4,
  help: `Lists the approvals that were given for always in this directory: of custom tools, of commands, of tools of the workspace.
grants add gives one: NAME may do what its check calls TYPE and KEY, as long as its folder does not change.

  jinn tools grants
  jinn tools grants add deploy tool deploy
  jinn tools revoke deploy`,
  run: async (given, host) => {
    if (given.words[0] === 'add') return add(given, host);
    if (given.words.length > 0) throw invalid(`unknown command grants ${given.words[0]}`, 'it is add, or nothing');
    const grants = await (await host.machine.grants()).list();
    if (given.flags['json'] === true) host.write(`${JSON.stringify(grants, null, 1)}\n`);
    else host.write(grants.length === 0 ? 'nothing is allowed for good here\n' : toTable(await toRows(grants, host)));
    return 0;
  },
};

export const revokeCommand: Command = {
  usage: 'revoke NAME [TYPE [KEY]] | revoke --all',
  about: 'take approvals back',
  flags: { all: 'boolean' },
  maxWords: 3,
  help: `Takes back what was allowed for good in this directory: all of a tool, of a type, one key, or everything.

  jinn tools revoke deploy
  jinn tools revoke deploy file_write /etc/hosts
  jinn tools revoke --all`,
  run: async (given, host) => {
    const [tool, type, key] = given.words;
    if ((tool === undefined) !== (given.flags['all'] === true))
      throw invalid('name a tool, or give --all', 'see --help');
    const filter: GrantFilter = { ...(tool && { tool }), ...(type && { type }), ...(key && { key }) };
    const count = await (await host.machine.grants()).revoke(filter);
    host.write(`took back ${count} ${count === 1 ? 'approval' : 'approvals'}\n`);
    return count === 0 && tool !== undefined ? 1 : 0;
  },
};

async function add(given: Given, host: CommandHost): Promise<number> {
  const [name, type, key] = [wordAt(given, 1, 'NAME'), wordAt(given, 2, 'TYPE'), wordAt(given, 3, 'KEY')];
  const tool = (await survey(host)).tools.find((found) => found.name === name);
  if (!tool)
    throw new ToolError('not_found', `there is no custom tool ${name}`, { suggestion: 'jinn tools list shows them' });
  const fingerprint = fingerprintFolder(tool.folder);
  if (fingerprint === undefined) {
    throw new ToolError('resource_limit', `the folder of ${name} is too large to be remembered`, {
      suggestion: 'approve each call',
    });
  }
  const question = `${name} (${tool.shown}, ${shortFingerprint(fingerprint)}) may do ${type}: ${key} in ${host.machine.workspace.root}, unasked?`;
  if (!(await confirm(question, given, host))) return 1;
  await (await host.machine.grants()).add({ tool: name, type, key, fingerprint });
  host.write('allowed\n');
  return 0;
}

/** Says of each approval of a custom tool whether it holds for the folder as it is now. */
async function toRows(grants: readonly Grant[], host: CommandHost): Promise<string[][]> {
  const { tools, untrusted } = await survey(host);
  const now = new Map([...tools, ...untrusted].map(({ name, folder }) => [name, fingerprintFolder(folder)]));
  return grants.map(({ tool, type, key, fingerprint, created }) => {
    const isCode = /^[0-9a-f]{64}$/.test(fingerprint);
    const isAsleep = isCode && now.has(tool) && now.get(tool) !== fingerprint;
    const version = isCode ? shortFingerprint(fingerprint) : '';
    const state = isAsleep ? 'does not hold: the folder has changed' : '';
    return [tool, type, JSON.stringify(key), version, created.toISOString().slice(0, 10), state];
  });
}
