import { type CommandSpec, HELP, SHELLS } from '@jinn/core/command-line';
import { specOfFamily } from '@jinn/custom-tools/commands/command-line';
import { grantsFamily } from '@jinn/custom-tools/commands/grant-commands';
import { TOOLS_FAMILY } from '@jinn/custom-tools/commands/tools-command';
import { JINN_FLAGS } from './jinn-flags.ts';
import { LSP_FAMILY } from './lsp-commands.ts';
import { UNDO_FAMILY } from './undo-commands.ts';

/** All that may follow `jinn`, for completions and the manual. */
export const JINN_SPEC: CommandSpec = {
  about: 'the tools of a coding agent as lines of JSON',
  usage:
    '[FLAGS]\nui [--no-open | --tail]\ntools COMMAND …\nlsp COMMAND …\ngrants COMMAND …\nundo COMMAND …\ncompletion bash|zsh|fish',
  flags: JINN_FLAGS,
  commands: {
    ui: {
      about: 'Open the web UI, which shows calls and asks for approvals',
      usage: '[--no-open | --tail]',
      flags: {
        'no-open': { about: 'Print the address without opening a browser' },
        tail: { about: 'Print each call in the terminal instead' },
        help: HELP,
      },
    },
    tools: specOfFamily(TOOLS_FAMILY, 'Write, check, install and trust custom tools'),
    lsp: specOfFamily(LSP_FAMILY, 'List and trust language servers'),
    grants: specOfFamily(grantsFamily('jinn grants'), 'List and revoke saved approvals'),
    undo: specOfFamily(UNDO_FAMILY, 'List, preview and undo changes of tools'),
    completion: { about: 'Print the completion for a shell', usage: SHELLS.join('|'), flags: {}, words: SHELLS },
  },
  text: `Reads JSON requests from standard input and answers each with one line of JSON. File tools are confined to the
directory it is started in, commands to the sandbox of the system if one works.

  echo '{"tool":"read_file","args":{"path":"README.md"}}' | jinn
  echo '{"tool":"list_tools"}' | jinn

The exit status is 0 when every answer was ok, 1 when one was not, and 2 for flags that jinn does not know.`,
};
