import { DANGER_POLICIES, SANDBOX_MODES } from '@jinn/core';
import { type CommandSpec, choose, FlagError, ParsedFlags, toUnknown } from '@jinn/core/command-line';
import { renderHelp } from '@jinn/core/command-line/help-text';
import type { TokensCommand } from '@jinn/team/people/run-tokens';
import { parseNames, TOOLSET_NAMES } from '@jinn/toolsets';
import { DEFAULT_ADDRESS, parseAddress } from './http/http-access.ts';
import { ARGS_IN_LOG, MCP_SPEC, type McpFlag, TOKEN_COMMANDS } from './mcp-spec.ts';

const DEFAULT_TOOLSETS = ['jinn', 'jinni', 'custom'];
const DEFAULT_EXPIRES = '90d';

export type McpServeOptions = ReturnType<typeof toMcpServeOptions>;

/** What the command line asks for. */
export type McpInvocation =
  | { readonly do: 'serve'; readonly options: McpServeOptions }
  | { readonly do: 'install'; readonly install: InstallFlags }
  | { readonly do: 'uninstall'; readonly install: InstallFlags }
  | { readonly do: 'status'; readonly root: string }
  | { readonly do: 'hook' }
  | { readonly do: 'migrate'; readonly team: string }
  | ReturnType<typeof toGrants>
  | ReturnType<typeof toTokens>
  | { readonly do: 'completion'; readonly shell: string }
  | { readonly do: 'print'; readonly text: string };

export type InstallFlags = ReturnType<typeof toInstallFlags>;

/** Parses the arguments after the program's name. Throws an Error whose message is for the user. */
export function parseOptions(argv: readonly string[], version: string): McpInvocation {
  const [name = '', ...rest] = argv;
  if (name === 'help') return { do: 'print', text: helpOf(rest[0]) };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command(rest);
  const given = parse(argv, undefined);
  if (given.has('help')) return { do: 'print', text: helpOf(undefined) };
  if (given.has('version')) return { do: 'print', text: `${version}\n` };
  const [word] = given.words;
  if (word !== undefined) throw unknownCommand(word);
  return { do: 'serve', options: toMcpServeOptions(given) };
}

type GivenFlags = ParsedFlags<McpFlag>;

function unknownCommand(word: string): FlagError {
  return toUnknown('command', word, { known: [...Object.keys(MCP_SPEC.commands ?? {}), 'help'] });
}

function specOf(command: string | undefined): CommandSpec {
  if (command === undefined) return MCP_SPEC;
  const { commands = {} } = MCP_SPEC;
  const spec = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (spec === undefined) throw unknownCommand(command);
  return spec;
}

function helpOf(command: string | undefined): string {
  return renderHelp(command === undefined ? 'jinn-mcp' : `jinn-mcp ${command}`, specOf(command));
}

function parse(argv: readonly string[], command: string | undefined): GivenFlags {
  return new ParsedFlags<string>(specOf(command).flags, argv);
}

function commandOf(name: string, most: number, read: (given: GivenFlags) => McpInvocation) {
  return (argv: readonly string[]): McpInvocation => {
    const given = parse(argv, name);
    if (given.has('help')) return { do: 'print', text: helpOf(name) };
    const surplus = given.words[most];
    if (surplus !== undefined) throw new FlagError(`${name}: ${JSON.stringify(surplus)} is one word too many`);
    return read(given);
  };
}

const COMMANDS: Readonly<Record<string, (argv: readonly string[]) => McpInvocation>> = {
  install: commandOf('install', Infinity, (given) => ({ do: 'install', install: toInstallFlags('install', given) })),
  uninstall: commandOf('uninstall', 1, (given) => ({ do: 'uninstall', install: toInstallFlags('uninstall', given) })),
  status: commandOf('status', 0, (given) => ({ do: 'status', root: given.last('root') ?? '.' })),
  grants: commandOf('grants', Infinity, toGrants),
  tokens: commandOf('tokens', 2, toTokens),
  migrate: commandOf('migrate', 0, (given) => {
    const team = given.last('team');
    if (team === undefined) throw new FlagError('migrate: --team names the settings with the database');
    return { do: 'migrate', team };
  }),
  hook: commandOf('hook', 0, () => ({ do: 'hook' })),
  completion: commandOf('completion', 1, (given) => ({ do: 'completion', shell: given.words[0] ?? '' })),
};

function toInstallFlags(command: string, given: GivenFlags) {
  const [host, ...words] = given.words;
  if (host === undefined) throw new FlagError(`${command}: name a host; jinn-mcp ${command} --help lists them`);
  const mode = (['print', 'dry-run'] as const).find((flag) => given.has(flag)) ?? ('write' as const);
  const http = given.last('http');
  const toolset = given.has('toolset') ? namesOf(given, 'toolset') : undefined;
  if (toolset && http !== undefined) throw new Error('--toolset is for the server that listens: start it with that');
  const unknown = toolset?.find((name) => !TOOLSET_NAMES.includes(name));
  if (unknown !== undefined)
    throw new Error(`unknown toolset: ${unknown}. The toolsets are ${TOOLSET_NAMES.join(', ')}`);
  const more = toolset ? ['--toolset', toolset.join(','), ...words] : words;
  return { host, root: given.last('root') ?? '.', mode, more, ...(http !== undefined && { http }) };
}

function toGrants(given: GivenFlags) {
  const [name = 'list', ...words] = given.words;
  const valued = (['env', 'for'] as const).flatMap((flag) => {
    const value = given.last(flag);
    return value === undefined ? [] : [`--${flag}=${value}`];
  });
  const plain = (['json', 'all', 'yes'] as const).filter((flag) => given.has(flag)).map((flag) => `--${flag}`);
  return {
    do: 'grants' as const,
    root: given.last('root') ?? '.',
    person: given.last('person') ?? '',
    team: given.last('team'),
    // What follows the name may start with a dash.
    argv: [name, ...plain, ...valued, '--', ...words],
  };
}

function toTokens(given: GivenFlags) {
  const [word = 'list', id] = given.words;
  const kept = { do: 'tokens' as const, file: given.last('token-file'), team: given.last('team') };
  const meant = (command: TokensCommand) => ({ ...kept, command });
  const name = given.last('name');
  const command = TOKEN_COMMANDS.find((known) => known === word);
  if (command === undefined) throw toUnknown('command', word, { known: TOKEN_COMMANDS });
  if (id !== undefined && command !== 'revoke')
    throw new FlagError(`tokens: ${JSON.stringify(id)} is one word too many`);
  if (kept.file !== undefined && kept.team !== undefined)
    throw new FlagError('tokens: either --token-file or --team says where they are kept');
  if (command === 'list') return meant({ do: 'list', json: given.has('json') });
  if (command === 'revoke') return meant({ do: 'revoke', id, name });
  if (name === undefined) throw new FlagError('tokens create: name the user, for example --name alice');
  const scopes = given.has('scopes') ? namesOf(given, 'scopes') : undefined;
  const expires = given.last('expires') ?? DEFAULT_EXPIRES;
  return meant({ do: 'create', name, scopes, expires });
}

function toMcpServeOptions(given: GivenFlags) {
  const address = given.has('http') ? given.last('http') || DEFAULT_ADDRESS : undefined;
  const http = address === undefined ? undefined : parseAddress(address);
  if (address !== undefined && http === undefined)
    throw new FlagError(`--http takes HOST:PORT, not ${JSON.stringify(address)}`);
  const [tokenFile, team] = [given.last('token-file'), given.last('team')];
  const [allowHost, allowOrigin] = [namesOf(given, 'allow-host'), namesOf(given, 'allow-origin')];
  if (http === undefined && (tokenFile || team || allowHost.length || allowOrigin.length)) {
    throw new Error('--token-file, --team, --allow-host and --allow-origin are for --http');
  }
  checkReach(allowHost, allowOrigin);
  const sandbox = given.last('sandbox');
  return {
    root: given.has('root') ? given.all('root') : ['.'],
    worktrees: given.has('worktrees'),
    toolset: given.has('toolset')
      ? namesOf(given, 'toolset')
      : DEFAULT_TOOLSETS.filter((name) => TOOLSET_NAMES.includes(name)),
    ...(given.has('tools') && { tools: namesOf(given, 'tools') }),
    excludeTools: namesOf(given, 'exclude-tools'),
    readOnly: given.has('read-only'),
    sandbox: sandbox === undefined ? undefined : choose('--sandbox', SANDBOX_MODES, sandbox),
    dangerous: choose('--dangerous', DANGER_POLICIES, given.last('dangerous') ?? 'ask'),
    visualize: given.has('visualize'),
    views: !given.has('no-views'),
    maxResult: toKilobytes(given.last('max-result')),
    http,
    tokenFile,
    team,
    approvalKeyFile: given.last('approval-key-file'),
    allowHost,
    allowOrigin,
    logFile: given.last('log-file'),
    logArgs: choose('--log-args', ARGS_IN_LOG, given.last('log-args') ?? 'paths'),
  };
}

const ORIGIN = /^(null|[a-z][a-z\d+.-]*:\/\/[^/?#*\sA-Z]+)$/;
const HOST_NAME = /^(\[[0-9a-f:.]+\]|[^:/@*\s]+)$/i;

function checkReach(hosts: readonly string[], origins: readonly string[]): void {
  for (const origin of origins) {
    if (!ORIGIN.test(origin)) throw new Error(`--allow-origin: ${origin} is no origin, such as https://example.com`);
  }
  for (const name of hosts) {
    if (!HOST_NAME.test(name)) throw new Error(`--allow-host: ${name} is not a host: it is one name, without a port`);
  }
}

function toKilobytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits] = /^(\d+)(?:kb?)?$/i.exec(text) ?? [];
  const count = Number(digits);
  if (Number.isSafeInteger(count) && count >= 2) return count;
  throw new FlagError(`--max-result takes a whole number of KB, 2 or more, not ${JSON.stringify(text)}`);
}

// A flag that is repeated adds to the list: names in an earlier --exclude-tools must not be served.
function namesOf(given: GivenFlags, flag: McpFlag): string[] {
  return [...new Set(given.all(flag).flatMap((list) => parseNames(list)))];
}
