import { DANGER_POLICIES, SANDBOX_MODES } from '@jinn/core';
import { type CommandSpec, type Flag, HELP, SHELLS } from '@jinn/core/command-line';
import type { ArgsInLog } from '@jinn/team/audit/audit';
import { TOOLSET_NAMES } from '@jinn/toolsets';
import { DEFAULT_ADDRESS } from './http/http-access.ts';
import { HOSTS } from './install/hosts.ts';

const HOST_NAMES = Object.keys(HOSTS);
export const ARGS_IN_LOG = ['none', 'paths', 'full'] as const satisfies readonly ArgsInLog[];
export const TOKEN_COMMANDS = ['create', 'list', 'revoke'] as const;

const ROOT: Flag = { about: 'Project directory (default: .)', value: 'DIR', names: 'directory' };
const DRY_RUN: Flag = { about: 'Print the resulting file without writing it' };

const FLAGS = {
  root: {
    about: 'Confine file tools to this directory (default: .). Can be repeated',
    value: 'DIR',
    isList: true,
    names: 'directory',
  },
  worktrees: { about: 'Accept Git worktrees of a root as roots of calls' },
  toolset: {
    about: 'Serve these toolsets, separated by commas (default: jinn,jinni,custom)',
    value: 'NAMES',
    isList: true,
    choices: TOOLSET_NAMES,
  },
  tools: { about: 'Serve only these tools of them', value: 'NAMES', isList: true },
  'exclude-tools': { about: 'Do not serve these tools', value: 'NAMES', isList: true },
  'read-only': { about: 'Disable tools that write files or run commands' },
  sandbox: {
    about: 'Confine commands: auto (default, if a sandbox works), require (default for named users), off',
    value: 'MODE',
    choices: SANDBOX_MODES,
  },
  dangerous: {
    about: 'Handle dangerous commands: ask (default), allow or deny',
    value: 'WHAT',
    choices: DANGER_POLICIES,
  },
  'max-result': { about: 'Limit the text of a result, in KB (default: 24, or the limit of the host)', value: 'KB' },
  visualize: { about: 'Add a visualization for the user to each result, in _meta' },
  'no-views': { about: 'Do not offer result views to hosts (MCP Apps)' },
  http: { about: `Serve Streamable HTTP (default: ${DEFAULT_ADDRESS})`, value: 'HOST:PORT', optional: 'word' },
  'token-file': {
    about: 'Require bearer tokens: one, or a line name:token for each user (or JINN_MCP_TOKEN)',
    value: 'FILE',
    names: 'file',
  },
  team: { about: 'Read the settings of a team server: users and what each may use', value: 'FILE', names: 'file' },
  'approval-key-file': {
    about: 'Sign approvals, so that several servers can share them (or JINN_MCP_APPROVAL_KEY)',
    value: 'FILE',
    names: 'file',
  },
  'allow-host': { about: 'Accept these host names over HTTP, separated by commas', value: 'NAMES', isList: true },
  'allow-origin': { about: 'Accept these origins over HTTP, separated by commas', value: 'ORIGINS', isList: true },
  'log-file': { about: 'Write a log line for each call, approval, rejection and error', value: 'FILE', names: 'file' },
  'log-args': { about: 'Log arguments of calls: none, paths (default), full', value: 'WHICH', choices: ARGS_IN_LOG },
  version: { about: 'Print the version', short: 'v' },
  help: HELP,
} as const satisfies Record<string, Flag>;

const INSTALL = {
  root: ROOT,
  toolset: {
    about: 'Serve these toolsets, separated by commas. lean is for hosts with small limits',
    value: 'NAMES',
    isList: true,
    choices: TOOLSET_NAMES,
  },
  http: { about: 'Register the server at this URL, with the token in JINN_MCP_TOKEN', value: 'URL' },
  'dry-run': DRY_RUN,
  print: { about: 'Print only the registration' },
  help: HELP,
} as const satisfies Record<string, Flag>;

const GRANTS = {
  root: { ...ROOT, about: 'Root directory (default: .)' },
  person: { about: 'Show or revoke approvals of this named user', value: 'NAME' },
  team: { about: 'Settings of the server, if it shares approvals with others', value: 'FILE', names: 'file' },
  json: { about: 'List as JSON' },
  for: { about: 'revoke: only approvals for everybody, or only yours', value: 'WHOM', choices: ['everybody', 'me'] },
  all: { about: 'revoke: all approvals. trust: all tools of the workspace' },
  env: { about: 'trust: pass these variables to the tool', value: 'NAMES' },
  yes: { about: 'trust: do not ask' },
  help: HELP,
} as const satisfies Record<string, Flag>;

const TOKENS = {
  name: { about: 'create: name of the user. revoke: all tokens of the user', value: 'NAME' },
  scopes: {
    about: 'create: scopes, from read, write, execute, admin, metrics (default: the first three)',
    value: 'SCOPES',
    isList: true,
  },
  expires: { about: 'create: expiry, such as 12h, 90d, 4w, a date, or never (default: 90d)', value: 'WHEN' },
  'token-file': { about: 'File with the tokens (default: in the state directory)', value: 'FILE', names: 'file' },
  team: {
    about: 'Settings of the server, whose database stores the tokens if it has one',
    value: 'FILE',
    names: 'file',
  },
  json: { about: 'List as JSON' },
  help: HELP,
} as const satisfies Record<string, Flag>;

export type McpFlag = keyof typeof FLAGS | keyof typeof INSTALL | keyof typeof GRANTS | keyof typeof TOKENS;

export const MCP_SPEC: CommandSpec = {
  about: 'the tools of a coding agent over MCP, on standard input and output, or over HTTP',
  usage: '[FLAGS]\nCOMMAND …',
  flags: FLAGS,
  text: `Serves the tools of jinn to a host of MCP. File tools are confined to the directory that it is started in, and commands to
the sandbox of the system if one works.

  jinn-mcp install claude-code
  jinn-mcp --http --token-file ~/tokens

The exit status is 0, 1 for a fault, and 2 for a wrong command line.`,
  commands: {
    install: {
      about: `Register jinn-mcp with a host (${HOST_NAMES.join(', ')}). Arguments after -- are for the server`,
      usage: 'HOST [FLAGS] [-- ARGUMENTS…]',
      flags: INSTALL,
      words: HOST_NAMES,
    },
    uninstall: {
      about: 'Remove the registration',
      usage: 'HOST [FLAGS]',
      flags: { root: ROOT, 'dry-run': DRY_RUN, help: HELP },
      words: HOST_NAMES,
    },
    status: {
      about: 'List hosts where jinn-mcp is registered, and check that it starts',
      usage: '[FLAGS]',
      flags: { root: ROOT, help: HELP },
    },
    grants: {
      about:
        'List saved approvals of a root, revoke them (revoke NAME [TYPE [KEY]]), or trust tools of the root (trust NAME…)',
      usage: '[list|revoke …|trust …] [FLAGS]',
      flags: GRANTS,
      words: ['list', 'revoke', 'trust'],
    },
    tokens: {
      about: 'Create, list and revoke bearer tokens of users',
      usage: 'create --name NAME [--scopes SCOPES] [--expires WHEN]\nlist [--json]\nrevoke ID | revoke --name NAME',
      flags: TOKENS,
      words: TOKEN_COMMANDS,
    },
    migrate: {
      about: 'Create or update the tables of a team database',
      usage: '--team FILE',
      flags: { team: TOKENS.team, help: HELP },
    },
    hook: {
      about: 'Run as a PreToolUse hook of Claude Code: ask before dangerous commands',
      usage: '',
      flags: { help: HELP },
    },
    completion: {
      about: 'Print the completion for a shell',
      usage: SHELLS.join('|'),
      flags: { help: HELP },
      words: SHELLS,
    },
  },
};
