import { ToolError } from '@jinn/core';
import { shortFingerprint } from '@jinn/store/tool-folders';
import type { FoundTool } from '../discover.ts';
import { TRUST, trustIn } from '../trust.ts';
import { type Command, type CommandHost, confirm, survey, toTable } from './command.ts';

export const trustCommand: Command = {
  usage: 'trust [NAME…|--all] [--yes]',
  about: 'allow tools that this directory brings in .jinn/tools',
  flags: { all: 'boolean', yes: 'boolean' },
  maxWords: 100,
  help: `Tools in .jinn/tools of a directory are off until you allow them, each as it is: after any change in its folder it is off
again. Without a name this lists them with their fingerprints. jinn tools revoke NAME ${TRUST} takes it back.

  jinn tools trust
  jinn tools trust word-count
  jinn tools trust --all`,
  run: async (given, host) => {
    const { tools, untrusted } = await survey(host);
    const isAll = given.flags['all'] === true;
    if (given.words.length === 0 && !isAll) return list(tools, untrusted, host);
    const chosen = isAll ? untrusted : given.words.map((name) => find(name, untrusted));
    if (chosen.length === 0) host.write('nothing to allow\n');
    for (const tool of chosen) {
      const subject = trustIn(tool);
      if (subject === undefined) {
        throw new ToolError('resource_limit', `${tool.shown} is too large to be trusted`, {
          suggestion: 'remove what it does not need',
        });
      }
      host.write(toTable([toCells(tool)]));
      if (!(await confirm(`Allow ${tool.name} to run in ${host.machine.workspace.root}?`, given, host))) return 1;
      await (await host.machine.grants()).add(subject);
      host.write(`allowed ${tool.name}\n`);
    }
    return 0;
  },
};

function list(tools: readonly FoundTool[], untrusted: readonly FoundTool[], host: CommandHost): number {
  const trusted = tools.filter(({ origin }) => origin === 'workspace');
  const rows = [
    ...trusted.map((tool) => ['allowed', ...toCells(tool)]),
    ...untrusted.map((tool) => ['off', ...toCells(tool)]),
  ];
  host.write(rows.length === 0 ? 'this directory brings no tools\n' : toTable(rows));
  return 0;
}

function find(name: string, untrusted: readonly FoundTool[]): FoundTool {
  const tool = untrusted.find((found) => found.name === name);
  if (tool) return tool;
  throw new ToolError('not_found', `no tool ${name} of this directory waits to be allowed`, {
    suggestion: 'jinn tools trust lists them',
  });
}

function toCells(tool: FoundTool): string[] {
  const subject = trustIn(tool);
  const code = subject ? shortFingerprint(subject.fingerprint) : 'too large';
  return [tool.name, tool.shown, tool.runtime, code, tool.dangerous ? '⚠ dangerous' : ''];
}
