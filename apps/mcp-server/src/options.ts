import { type DangerPolicy, SANDBOX_MODES, type SandboxMode } from '@jinn/tool';
import { parseNames, TOOLSET_NAMES } from '@jinn/toolsets';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ARGS_IN_LOG, type ArgsInLog } from './audit/shown-args.ts';
import { type Address, DEFAULT_ADDRESS, parseAddress } from './http/http-address.ts';
import { HOSTS } from './install/hosts.ts';
import type { TokensCommand } from './people/run-tokens.ts';

const DEFAULT_ROOTS: readonly string[] = ['.'];
const DEFAULT_TOOLSETS = ['jinn', 'jinni', 'custom'];

export interface ServeOptions {
  readonly root: readonly string[];
  /** True if a call may name a git worktree of a root. */
  readonly worktrees: boolean;
  readonly toolset: readonly string[];
  readonly tools?: readonly string[];
  readonly excludeTools: readonly string[];
  readonly readOnly: boolean;
  readonly sandbox: SandboxMode | undefined;
  readonly dangerous: DangerPolicy;
  readonly visualize: boolean;
  /** The most text of an answer, in KB; undefined for what is known of the client. */
  readonly maxResult?: number;
  readonly http?: Address;
  readonly tokenFile?: string;
  /** The settings of a team. */
  readonly team?: string;
  readonly approvalKeyFile?: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly logFile?: string;
  readonly logArgs: ArgsInLog;
}

/** What the command line asks for. */
export type Invocation =
  | { readonly do: 'serve'; readonly options: ServeOptions }
  | { readonly do: 'install'; readonly install: InstallFlags }
  | { readonly do: 'uninstall'; readonly install: InstallFlags }
  | { readonly do: 'status'; readonly root: string }
  | { readonly do: 'hook' }
  | {
      readonly do: 'grants';
      readonly root: string;
      readonly person: string;
      readonly team?: string | undefined;
      readonly argv: readonly string[];
    }
  | { readonly do: 'tokens'; readonly command: TokensCommand; readonly file: string | undefined }
  | { readonly do: 'print'; readonly text: string };

export interface InstallFlags {
  readonly host: string;
  readonly mode: 'write' | 'dry-run' | 'print';
  readonly root: string;
  /** The URL of a server that listens already. */
  readonly http?: string;
  /** The arguments after --, for the server. */
  readonly more: readonly string[];
}

/** Parses the arguments after the program's name. Throws an Error whose message is for the user. */
export function parseOptions(argv: readonly string[], version: string): Invocation {
  let invocation: Invocation | undefined;
  let printed = '';
  const program = makeProgram(version, (text) => {
    printed += text;
  });
  program.action((options: RawOptions) => {
    invocation = { do: 'serve', options: toServeOptions(options) };
  });
  const onAsked = (asked: Invocation) => {
    invocation = asked;
  };
  program.helpCommand('help', 'print this');
  addRegistering(program, onAsked);
  addGrants(program, onAsked);
  addTokens(program, onAsked);
  program
    .command('hook')
    .description('a PreToolUse hook of Claude Code: asks a person before a command that is dangerous')
    .action(() => {
      invocation = { do: 'hook' };
    });
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { do: 'print', text: printed };
    throw new Error(error.message.replace(/^error: /, ''));
  }
  if (invocation === undefined) throw new Error('nothing to do');
  return invocation;
}

type RawOptions = Omit<ServeOptions, 'http'> & { readonly http?: Address | true };

function toServeOptions({ http, ...options }: RawOptions): ServeOptions {
  const address = http === true ? toAddress(DEFAULT_ADDRESS) : http;
  const { tokenFile, team, allowHost, allowOrigin } = options;
  if (address === undefined && (tokenFile || team || allowHost.length || allowOrigin.length)) {
    throw new Error('--token-file, --team, --allow-host and --allow-origin are for --http');
  }
  for (const origin of options.allowOrigin) {
    if (!ORIGIN.test(origin)) throw new Error(`--allow-origin: ${origin} is no origin, such as https://example.com`);
  }
  for (const name of options.allowHost) {
    if (!HOST_NAME.test(name)) throw new Error(`--allow-host: ${name} is no host: it is one name, without a port`);
  }
  return { ...options, ...(address !== undefined && { http: address }) };
}

/** What a browser sends as the Origin of a page, in small letters; `null` is that of a file. Editors have schemes of their own. */
const ORIGIN = /^(null|[a-z][a-z\d+.-]*:\/\/[^/?#*\sA-Z]+)$/;
/** A name or an address as it stands in the header Host, without the port. */
const HOST_NAME = /^(\[[0-9a-f:.]+\]|[^:/@*\s]+)$/i;

function makeProgram(version: string, print: (text: string) => void): Command {
  const defaults = DEFAULT_TOOLSETS.filter((name) => TOOLSET_NAMES.includes(name));
  const program = new Command('jinn-mcp')
    .description('Serves the tools of jinn over MCP, on standard input and output, or over HTTP.')
    .addOption(rootOption())
    .option('--worktrees', 'let a call name a git worktree of a root as its root', false)
    .addOption(listOption('--toolset <names>', 'serve these toolsets', defaults))
    .addOption(listOption('--tools <names>', 'serve only these tools of them'))
    .addOption(listOption('--exclude-tools <names>', 'serve all but these', []))
    .option('--read-only', 'serve nothing that writes or executes', false)
    .addOption(sandboxOption())
    .addOption(dangerousOption())
    .addOption(maxResultOption())
    .option('--visualize', 'give what a person may be shown of each result, in _meta', false)
    .addOption(
      new Option('--http [host:port]', `serve Streamable HTTP instead (default: ${DEFAULT_ADDRESS})`).argParser(
        toAddress,
      ),
    )
    .option(
      '--token-file <file>',
      'the bearer tokens that HTTP asks for: one, or a line name:token for each person; or JINN_MCP_TOKEN',
    )
    .option('--team <file>', 'settings of a server for a team, as JSON: who people are, and what each may use')
    .option(
      '--approval-key-file <file>',
      'seals approvals, so that several servers can share them; or JINN_MCP_APPROVAL_KEY',
    )
    .addOption(listOption('--allow-host <names>', 'more names that HTTP may be asked for by', []))
    .addOption(listOption('--allow-origin <origins>', 'web pages that HTTP may be asked from', []))
    .option('--log-file <file>', 'write a line for each call, question, answer and refusal, and what goes wrong inside')
    .addOption(
      new Option('--log-args <which>', 'how much of the arguments of calls the log has')
        .choices([...ARGS_IN_LOG])
        .default('paths'),
    )
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .allowExcessArguments(false)
    .enablePositionalOptions()
    .exitOverride();
  return program.configureOutput({ writeOut: print, writeErr: () => undefined });
}

interface RawInstall {
  readonly root: string;
  readonly http?: string;
  readonly toolset?: readonly string[];
  readonly dryRun?: true;
  readonly print?: true;
}

function addRegistering(program: Command, onAsked: (asked: Invocation) => void): void {
  const toFlags = (host: string, raw: RawInstall, given: readonly string[]): InstallFlags => {
    const { root, http, toolset, dryRun, print } = raw;
    const mode = print ? 'print' : dryRun ? 'dry-run' : 'write';
    if (toolset && http !== undefined) throw new Error('--toolset is for the server that listens: start it with that');
    const unknown = toolset?.find((name) => !TOOLSET_NAMES.includes(name));
    if (unknown !== undefined)
      throw new Error(`unknown toolset: ${unknown}; the toolsets are ${TOOLSET_NAMES.join(', ')}`);
    const more = toolset ? ['--toolset', toolset.join(','), ...given] : given;
    return { host, root, mode, more, ...(http !== undefined && { http }) };
  };
  program
    .command('install <host> [arguments...]')
    .description(`register jinn-mcp with a host, with these arguments after --: ${Object.keys(HOSTS).join(', ')}`)
    .option('--root <dir>', 'the project', '.')
    .addOption(listOption('--toolset <names>', 'serve these toolsets; lean is for hosts with little room'))
    .option('--http <url>', 'register the server that listens there; its token is taken from JINN_MCP_TOKEN')
    .option('--dry-run', 'print the file as it would be, and write nothing')
    .option('--print', 'print the registration alone')
    .action((host: string, more: readonly string[], raw: RawInstall) => {
      onAsked({ do: 'install', install: toFlags(host, raw, more) });
    });
  program
    .command('uninstall <host>')
    .description('take the registration out again')
    .option('--root <dir>', 'the project', '.')
    .option('--dry-run', 'print the file as it would be, and write nothing')
    .action((host: string, raw: RawInstall) => onAsked({ do: 'uninstall', install: toFlags(host, raw, []) }));
  program
    .command('status')
    .description('say with which hosts jinn-mcp is registered, and whether it starts')
    .option('--root <dir>', 'the project', '.')
    .action(({ root }: { root: string }) => onAsked({ do: 'status', root }));
}

function addGrants(program: Command, onAsked: (asked: Invocation) => void): void {
  program
    .command('grants [command...]')
    .description('list what is allowed for good in a root, or take it back: revoke NAME [TYPE [KEY]], revoke --all')
    .option('--root <dir>', 'the root', '.')
    .option('--person <name>', 'those of this person, whose token has a name', '')
    .option('--team <file>', 'the settings that the server was started with, if it shares approvals with others')
    .option('--json', 'list as JSON')
    .option('--all', 'take all of it back')
    .action(([name, ...words]: readonly string[], { root, person, team, json, all }: RawGrants) => {
      const flags = [...(json ? ['--json'] : []), ...(all ? ['--all'] : [])];
      // What follows the name may begin with a dash.
      onAsked({ do: 'grants', root, person, team, argv: [name ?? 'list', ...flags, '--', ...words] });
    });
}

function addTokens(program: Command, onAsked: (asked: Invocation) => void): void {
  const tokens = program.command('tokens').description('make, list and take back the bearer tokens of people');
  const fileOption = () => new Option('--token-file <file>', 'where they are kept (default: in the state directory)');
  tokens
    .command('create')
    .description('make a token, and print it once')
    .requiredOption('--name <name>', 'whose it is')
    .addOption(listOption('--scopes <scopes>', 'read, write, execute, admin (default: the first three)'))
    .option('--expires <when>', 'a time such as 12h, 90d or 4w, a date, or never', '90d')
    .addOption(fileOption())
    .action(({ name, scopes, expires, tokenFile }: RawTokens) =>
      onAsked({ do: 'tokens', command: { do: 'create', name: name ?? '', scopes, expires }, file: tokenFile }),
    );
  tokens
    .command('list')
    .description('list them, without what opens the server')
    .option('--json', 'list as JSON', false)
    .addOption(fileOption())
    .action(({ json, tokenFile }: RawTokens) =>
      onAsked({ do: 'tokens', command: { do: 'list', json }, file: tokenFile }),
    );
  tokens
    .command('revoke [id]')
    .description('take back a token, or all of a person')
    .option('--name <name>', 'all of this person')
    .addOption(fileOption())
    .action((id: string | undefined, { name, tokenFile }: RawTokens) =>
      onAsked({ do: 'tokens', command: { do: 'revoke', id, name }, file: tokenFile }),
    );
}

interface RawTokens {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly expires: string;
  readonly json: boolean;
  readonly tokenFile?: string;
}

interface RawGrants {
  readonly root: string;
  readonly person: string;
  readonly team?: string;
  readonly json?: true;
  readonly all?: true;
}

function sandboxOption(): Option {
  return new Option(
    '--sandbox <mode>',
    'run commands in a sandbox of the system (default: auto, or what config.json says)',
  ).choices([...SANDBOX_MODES]);
}

function dangerousOption(): Option {
  return new Option('--dangerous <policy>', 'ask a person before a dangerous command, allow it, or deny it')
    .choices(['ask', 'allow', 'deny'])
    .default('ask');
}

function rootOption(): Option {
  const option = new Option(
    '--root <dir>',
    'the directory that paths are relative to, and confined to; may be repeated',
  );
  return option
    .argParser<readonly string[]>((directory, before) => [...(before === DEFAULT_ROOTS ? [] : before), directory])
    .default(DEFAULT_ROOTS, '.');
}

function maxResultOption(): Option {
  const option = new Option(
    '--max-result <kb>',
    'the most text of an answer (default: 24, or what the host passes on)',
  );
  return option.argParser(toKilobytes);
}

function toKilobytes(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 2)
    throw new InvalidArgumentError('it is not a whole number of KB from 2 on.');
  return count;
}

function listOption(flags: string, description: string, fallback?: readonly string[]): Option {
  const option = new Option(flags, `${description}, separated by commas`);
  // A flag that is repeated adds to the list: names in an earlier --exclude-tools must not be served.
  option.argParser<readonly string[]>((text, before) => {
    const earlier = before === undefined || before === fallback ? [] : before;
    return [...new Set([...earlier, ...toNames(text)])];
  });
  return fallback === undefined ? option : option.default(fallback, fallback.join(',') || 'none');
}

function toAddress(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new InvalidArgumentError('it is not HOST:PORT.');
  return address;
}

function toNames(text: string): string[] {
  try {
    return parseNames(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
