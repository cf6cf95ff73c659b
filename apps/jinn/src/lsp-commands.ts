import { ToolError } from '@jinn/core/errors';
import { toVisible } from '@jinn/core/text';
import { SERVER_TOOL, SERVER_TRUST, serverTrust } from '@jinn/core/trust';
import {
  type CommandHost,
  confirm,
  describeRevoked,
  invalid,
  type TerminalCommand,
  toTable,
} from '@jinn/custom-tools/commands/command-host';
import { type CommandFamily, runCommandLine } from '@jinn/custom-tools/commands/command-line';
import { type LanguageStatus, listLanguages, type OwnCode } from '@jinn/lsp';
import { shortFingerprint } from '@jinn/store/fingerprints';

const listCommand: TerminalCommand = {
  usage: '[list]',
  about: 'List language servers for the files of this directory',
  flags: {},
  maxWords: 0,
  help: `Lists the servers that are installed for the languages of this directory, the one that is used first, and says of the others
what they lack. A language without any has one line that says how to install a server.

  jinn lsp`,
  run: async (_, { machine, write }) => {
    const { languages, warnings } = await listLanguages(machine);
    const rows = languages.flatMap(toRows);
    write(rows.length === 0 ? 'there are no files here that a server knows\n' : toTable(rows));
    for (const warning of warnings) write(`${toVisible(warning)}\n`);
    return 0;
  },
};

const trustCommand: TerminalCommand = {
  usage: 'trust [SERVER…] [--yes]',
  about: 'Trust servers that run code of this directory',
  flags: { yes: { about: 'Do not ask' } },
  maxWords: 100,
  help: `A server that runs code of this directory, or is in it, is off until you allow it. If one of the files that decide on that code
changes, it is off again. Without a name this lists the servers that need approval.

  jinn lsp trust
  jinn lsp trust rust-analyzer`,
  run: async (given, host) => {
    const waiting = findWaiting((await listLanguages(host.machine)).languages);
    if (given.words.length === 0) {
      const rows = [...waiting].map(([id, { why }]) => [id, why]);
      host.write(rows.length === 0 ? 'no server waits to be allowed\n' : toTable(rows));
      return 0;
    }
    for (const id of given.words) {
      const own = waiting.get(id);
      if (!own) throw notWaiting(id);
      const fingerprint = await own.fingerprint();
      if (fingerprint === undefined) throw tooMuch(id);
      host.write(`${id}: ${own.why} (${shortFingerprint(fingerprint)})\n`);
      if (!(await confirm(`Allow ${id} to run that in ${host.machine.workspace.root}?`, given, host))) return 1;
      await (await host.machine.grants()).add({ ...serverTrust(id), fingerprint });
      host.write(`allowed ${id}\n`);
    }
    return 0;
  },
};

const revokeCommand: TerminalCommand = {
  usage: 'revoke SERVER | revoke --all',
  about: 'Revoke trust',
  flags: { all: { about: 'Select all' } },
  maxWords: 1,
  help: `Revokes what was allowed in this directory. A server of a running session continues until the session ends.

  jinn lsp revoke rust-analyzer
  jinn lsp revoke --all`,
  run: async ({ words: [key], flags }, { machine, write }) => {
    if ((key === undefined) !== (flags['all'] === true)) throw invalid('name a server, or give --all', 'see --help');
    const count = await (await machine.grants()).revoke({ tool: SERVER_TOOL, type: SERVER_TRUST, ...(key && { key }) });
    write(`${describeRevoked(count)}\n`);
    return count === 0 && key !== undefined ? 1 : 0;
  },
};

export const LSP_FAMILY: CommandFamily = {
  program: 'jinn lsp',
  introduction:
    'usage: jinn lsp [COMMAND …]\n\nList and trust language servers for the files of this directory. See docs/lsp.md.\n',
  commands: { list: listCommand, trust: trustCommand, revoke: revokeCommand },
};

/** Runs what is behind `jinn lsp`. Without a command it lists. Returns the exit status, as for `jinn tools`. */
export function runLspCommand(argv: readonly string[], host: CommandHost): Promise<number> {
  return runCommandLine(LSP_FAMILY, argv.length === 0 ? ['list'] : argv, host);
}

function toRows({ language, servers }: LanguageStatus): string[][] {
  const rows = servers.flatMap(({ id, program, isTrusted, untrusted }) => {
    if (program !== undefined) return [[isTrusted ? 'trusted' : 'ready', language, id, program]];
    return untrusted
      ? [['off', language, id, `needs trust, since ${untrusted.why}. Allow it with: jinn lsp trust ${id}`]]
      : [];
  });
  const [best] = servers;
  if (rows.length > 0 || !best) return rows;
  return [['none', language, best.id, `install with: ${best.install}`]];
}

function findWaiting(languages: readonly LanguageStatus[]): ReadonlyMap<string, OwnCode> {
  const servers = languages.flatMap(({ servers: ofLanguage }) => ofLanguage);
  return new Map(servers.flatMap(({ id, untrusted }) => (untrusted ? [[id, untrusted] as const] : [])));
}

function notWaiting(id: string): ToolError {
  return new ToolError('not_found', `no server ${id} for the files of this directory waits to be allowed`, {
    suggestion: 'jinn lsp lists them',
  });
}

function tooMuch(id: string): ToolError {
  return new ToolError(
    'resource_limit',
    `too much of this directory decides on what ${id} runs: it cannot be allowed`,
    { suggestion: 'choose another server in config.json' },
  );
}
