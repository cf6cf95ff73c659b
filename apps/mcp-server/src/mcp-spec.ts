import { DANGER_POLICIES, SANDBOX_MODES } from '@jinn/core';
import { type CommandSpec, type Flag, HELP, SHELLS } from '@jinn/core/command-line';
import type { ArgsInLog } from '@jinn/team/audit/audit';
import { TOOLSET_NAMES } from '@jinn/toolsets';
import { DEFAULT_ADDRESS } from './http/http-access.ts';
import { HOSTS } from './install/hosts.ts';

const HOST_NAMES = Object.keys(HOSTS);
export const ARGS_IN_LOG = ['none', 'paths', 'full'] as const satisfies readonly ArgsInLog[];
export const TOKEN_COMMANDS = ['create', 'list', 'revoke'] as const;

const ROOT: Flag = { about: 'the project (default: .)', value: 'DIR', names: 'directory' };
const DRY_RUN: Flag = { about: 'print the file as it would be, and write nothing' };

const FLAGS = {
  root: {
    about: 'the directory that paths are relative to, and confined to; may be repeated (default: .)',
    value: 'DIR',
    isList: true,
    names: 'directory',
  },
  worktrees: { about: 'let a call name a git worktree of a root as its root' },
  toolset: {
    about: 'serve these toolsets, separated by commas (default: jinn,jinni,custom)',
    value: 'NAMES',
    isList: true,
    choices: TOOLSET_NAMES,
  },
  tools: { about: 'serve only these tools of them, separated by commas', value: 'NAMES', isList: true },
  'exclude-tools': { about: 'serve all but these, separated by commas', value: 'NAMES', isList: true },
  'read-only': { about: 'serve nothing that writes or executes' },
  sandbox: {
    about:
      'confine commands by the sandbox of the system: auto (default, if one works), off, require (default if users have names)',
    value: 'MODE',
    choices: SANDBOX_MODES,
  },
  dangerous: {
    about: 'ask a person before a dangerous command, allow it, or deny it (default: ask)',
    value: 'WHAT',
    choices: DANGER_POLICIES,
  },
  'max-result': { about: 'the most text of an answer, in KB (default: 24, or what the host passes on)', value: 'KB' },
  visualize: { about: 'give what a person may be shown of each result, in _meta' },
  'no-views': { about: 'give no page to hosts that show what a call did in one (MCP Apps)' },
  http: { about: `serve Streamable HTTP instead (default: ${DEFAULT_ADDRESS})`, value: 'HOST:PORT', optional: 'word' },
  'token-file': {
    about: 'the bearer tokens that HTTP asks for: one, or a line name:token for each person; or JINN_MCP_TOKEN',
    value: 'FILE',
    names: 'file',
  },
  team: {
    about: 'settings of a server for a team, as JSON: who people are, and what each may use',
    value: 'FILE',
    names: 'file',
  },
  'approval-key-file': {
    about: 'seals approvals, so that several servers can share them; or JINN_MCP_APPROVAL_KEY',
    value: 'FILE',
    names: 'file',
  },
  'allow-host': {
    about: 'more names that HTTP may be asked for by, separated by commas',
    value: 'NAMES',
    isList: true,
  },
  'allow-origin': {
    about: 'web pages that HTTP may be asked from, separated by commas',
    value: 'ORIGINS',
    isList: true,
  },
  'log-file': {
    about: 'write a line for each call, question, answer and refusal, and what goes wrong inside',
    value: 'FILE',
    names: 'file',
  },
  'log-args': {
    about: 'how much of the arguments of calls the log has: none, paths (default), full',
    value: 'WHICH',
    choices: ARGS_IN_LOG,
  },
  version: { about: 'print the version', short: 'v' },
  help: HELP,
} as const satisfies Record<string, Flag>;

const INSTALL = {
  root: ROOT,
  toolset: {
    about: 'serve these toolsets, separated by commas; lean is for hosts with little room',
    value: 'NAMES',
    isList: true,
    choices: TOOLSET_NAMES,
  },
  http: { about: 'register the server that listens there; its token is taken from JINN_MCP_TOKEN', value: 'URL' },
  'dry-run': DRY_RUN,
  print: { about: 'print the registration alone' },
  help: HELP,
} as const satisfies Record<string, Flag>;

const GRANTS = {
  root: { ...ROOT, about: 'the root (default: .)' },
  person: { about: 'those of this person, whose token has a name', value: 'NAME' },
  team: {
    about: 'the settings that the server was started with, if it shares approvals with others',
    value: 'FILE',
    names: 'file',
  },
  json: { about: 'list as JSON' },
  for: {
    about: 'revoke: only what is allowed to everybody, or to you alone',
    value: 'WHOM',
    choices: ['everybody', 'me'],
  },
  all: { about: 'revoke: all of it; trust: all tools of the workspace' },
  env: { about: 'trust: give the tool these variables', value: 'NAMES' },
  yes: { about: 'trust: answer yes to what is asked' },
  help: HELP,
} as const satisfies Record<string, Flag>;

const TOKENS = {
  name: { about: 'create: whose it is; revoke: all of this person', value: 'NAME' },
  scopes: {
    about:
      'create: what it lets them do: read, write, execute, admin, metrics (default: the first three), separated by commas',
    value: 'SCOPES',
    isList: true,
  },
  expires: { about: 'create: a time such as 12h, 90d or 4w, a date, or never (default: 90d)', value: 'WHEN' },
  'token-file': { about: 'where they are kept (default: in the state directory)', value: 'FILE', names: 'file' },
  team: {
    about: 'the settings that the server was started with: its database keeps them, if it has one',
    value: 'FILE',
    names: 'file',
  },
  json: { about: 'list as JSON' },
  help: HELP,
} as const satisfies Record<string, Flag>;

export type McpFlag = keyof typeof FLAGS | keyof typeof INSTALL | keyof typeof GRANTS | keyof typeof TOKENS;

/** All that may follow `jinn-mcp`. */
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
      about: `register jinn-mcp with a host, with the arguments after -- for the server: ${HOST_NAMES.join(', ')}`,
      usage: 'HOST [FLAGS] [-- ARGUMENTS…]',
      flags: INSTALL,
      words: HOST_NAMES,
    },
    uninstall: {
      about: 'take the registration out again',
      usage: 'HOST [FLAGS]',
      flags: { root: ROOT, 'dry-run': DRY_RUN, help: HELP },
      words: HOST_NAMES,
    },
    status: {
      about: 'say with which hosts jinn-mcp is registered, and whether it starts',
      usage: '[FLAGS]',
      flags: { root: ROOT, help: HELP },
    },
    grants: {
      about:
        'list what is allowed for good in a root, take it back: revoke NAME [TYPE [KEY]], or allow to everybody tools that the root brings: trust NAME…',
      usage: '[list|revoke …|trust …] [FLAGS]',
      flags: GRANTS,
      words: ['list', 'revoke', 'trust'],
    },
    tokens: {
      about: 'make, list and take back the bearer tokens of people',
      usage: 'create --name NAME [--scopes SCOPES] [--expires WHEN]\nlist [--json]\nrevoke ID | revoke --name NAME',
      flags: TOKENS,
      words: TOKEN_COMMANDS,
    },
    migrate: {
      about: "make the tables of a team's database, or bring them up to date",
      usage: '--team FILE',
      flags: { team: TOKENS.team, help: HELP },
    },
    hook: {
      about: 'a PreToolUse hook of Claude Code: asks a person before a command that is dangerous',
      usage: '',
      flags: { help: HELP },
    },
    completion: {
      about: 'print the completion for a shell',
      usage: SHELLS.join('|'),
      flags: { help: HELP },
      words: SHELLS,
    },
  },
};
