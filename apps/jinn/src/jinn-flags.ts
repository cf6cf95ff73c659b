import { DANGER_POLICIES, SANDBOX_MODES } from '@jinn/core';
import { type Flag, HELP } from '@jinn/core/command-line';
import { SCHEMA_FORMATS, TOOLSET_NAMES } from '@jinn/toolsets';

export const APPROVAL_WAYS = ['stdio'] as const;
export const PRINTED_SCHEMAS = [...SCHEMA_FORMATS, 'protocol'] as const;

export const JINN_FLAGS = {
  toolset: {
    about: 'serve these toolsets, separated by commas (default: jinn,custom)',
    value: 'NAMES',
    isList: true,
    choices: TOOLSET_NAMES,
  },
  tools: { about: 'serve only these tools of them', value: 'NAMES', isList: true },
  'exclude-tools': { about: 'serve all but these', value: 'NAMES', isList: true },
  'read-only': { about: 'serve nothing that writes or executes' },
  'no-history': { about: 'change files without recording what they were, for undo' },
  sandbox: {
    about: 'confine commands by the sandbox of the system: auto (default, if one works), off, require',
    value: 'MODE',
    choices: SANDBOX_MODES,
  },
  'no-network': { about: 'run commands without the network; needs the sandbox' },
  visualize: { about: 'give what a person may be shown of each result, as visualization' },
  meta: { about: 'give all of meta with every answer, not versions and ids alone' },
  progress: { about: 'write lines on how far a call is, until it is answered' },
  approvals: {
    about: 'put what a person must approve to the host as a line, and read the decision',
    value: 'WAY',
    choices: APPROVAL_WAYS,
  },
  dangerous: {
    about: 'what becomes of dangerous commands; without the flag, a person who can be asked decides, or force',
    value: 'WHAT',
    choices: DANGER_POLICIES,
  },
  schema: {
    about:
      'print the schemas of the tools: openai (the default), openai-responses, anthropic, gemini, mcp; or protocol: the schema of requests and answers',
    value: 'FORMAT',
    optional: 'equals',
    choices: PRINTED_SCHEMAS,
  },
  strict: { about: 'print them for strict function calling; of openai and openai-responses' },
  doctor: { about: 'print what works on this machine, and how to get what does not' },
  version: { about: 'print the version', short: 'v' },
  help: HELP,
} as const satisfies Record<string, Flag>;
