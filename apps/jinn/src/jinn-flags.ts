import { DANGER_POLICIES, SANDBOX_MODES } from '@jinn/core';
import { type Flag, HELP } from '@jinn/core/command-line';
import { SCHEMA_FORMATS, TOOLSET_NAMES } from '@jinn/toolsets';

export const APPROVAL_WAYS = ['stdio'] as const;
export const PRINTED_SCHEMAS = [...SCHEMA_FORMATS, 'protocol'] as const;

export const JINN_FLAGS = {
  toolset: {
    about: 'Serve these toolsets, separated by commas (default: jinn,custom)',
    value: 'NAMES',
    isList: true,
    choices: TOOLSET_NAMES,
  },
  tools: { about: 'Serve only these tools of them', value: 'NAMES', isList: true },
  'exclude-tools': { about: 'Do not serve these tools', value: 'NAMES', isList: true },
  'read-only': { about: 'Disable tools that write files or run commands' },
  'no-history': { about: 'Do not record changes for undo' },
  sandbox: {
    about: 'Confine commands: auto (default, if a sandbox works), require, off',
    value: 'MODE',
    choices: SANDBOX_MODES,
  },
  'no-network': { about: 'Run commands without network (needs the sandbox)' },
  visualize: { about: 'Add a visualization for the user to each result' },
  meta: { about: 'Add all of meta to each response (default: versions and ids)' },
  progress: { about: 'Write progress lines while a call runs' },
  approvals: {
    about: 'Ask for approvals on stdout, and read decisions from stdin: stdio',
    value: 'WAY',
    choices: APPROVAL_WAYS,
  },
  dangerous: {
    about: "Handle dangerous commands: ask, allow or deny (default: the call's force argument)",
    value: 'WHAT',
    choices: DANGER_POLICIES,
  },
  schema: {
    about:
      'Print tool schemas: openai (default), openai-responses, anthropic, gemini, mcp, or the schema of the protocol',
    value: 'FORMAT',
    optional: 'equals',
    choices: PRINTED_SCHEMAS,
  },
  strict: { about: 'Print them for strict function calling (openai, openai-responses)' },
  doctor: { about: 'Print what works on this machine, and how to install the rest' },
  version: { about: 'Print the version', short: 'v' },
  help: HELP,
} as const satisfies Record<string, Flag>;
