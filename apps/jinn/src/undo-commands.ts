import type { Success } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { toVisible, toVisibleLines } from '@jinn/core/text';
import {
  type CommandArgs,
  type CommandHost,
  confirm,
  invalid,
  type TerminalCommand,
} from '@jinn/custom-tools/commands/command-host';
import { type CommandFamily, runCommandLine } from '@jinn/custom-tools/commands/command-line';
import { openEngine } from '@jinn/toolsets';
import { renderVisualization } from '@jinn/views/terminal/render-visualization';

const SERVED = { toolsets: ['jinn'], excludeTools: [], readOnly: false };
const LAST = { about: 'Select the last N calls', value: 'N' } as const;
const WITH_LATER = { about: 'Include later changes of these files' } as const;
const COUNT = /^[1-9]\d{0,5}$/;

const listCommand: TerminalCommand = {
  usage: '[list] [--limit=N]',
  about: 'List calls that changed files of this directory, newest first',
  flags: { limit: { about: 'Show at most N calls', value: 'N' } },
  maxWords: 0,
  help: `Lists what tools changed in this directory, one call a line, with the id by which it can be shown and taken back.

  jinn undo
  jinn undo list --limit=100`,
  run: async ({ flags: { limit } }, host) => {
    await answer({ action: 'list', ...(limit !== undefined && { limit: toCount('limit', limit) }) }, host);
    return 0;
  },
};

const showCommand: TerminalCommand = {
  usage: 'show ID | show --last=N',
  about: 'Preview what restore would do to each file',
  flags: { last: LAST, 'with-later': WITH_LATER },
  maxWords: 1,
  help: `Shows what it would do to undo a call, or one file of it, by its id or the start of that. Nothing is changed.

  jinn undo show 1f2e3d
  jinn undo show --last=1`,
  run: async (given, host) => {
    await answer({ action: 'preview', ...chosen(given) }, host);
    return 0;
  },
};

const restoreCommand: TerminalCommand = {
  usage: 'restore ID | restore --last=N [--with-later] [--yes]',
  about: 'Undo a call, and keep later changes',
  flags: { last: LAST, 'with-later': WITH_LATER, yes: { about: 'Do not ask' } },
  maxWords: 1,
  help: `Shows what it does to each file, asks, and does it: all files, or none. This too can be taken back, by its own id.

  --last=N      take back the last N calls
  --with-later  take back what was changed since in these files, too
  --yes         do not ask

  jinn undo restore 1f2e3d
  jinn undo restore --last=1 --yes`,
  run: async (given, host) => {
    const what = chosen(given);
    await answer({ action: 'preview', ...what }, host);
    if (!(await confirm('Take this back?', given, host))) return 1;
    const { text = '' } = await callUndo({ action: 'restore', ...what }, host);
    host.write(`${toVisibleLines(text)}\n`);
    return 0;
  },
};

export const UNDO_FAMILY: CommandFamily = {
  program: 'jinn undo',
  introduction:
    'usage: jinn undo [COMMAND …]\n\nList, preview and undo changes of tools in this directory. See docs/undo.md.\n',
  commands: { list: listCommand, show: showCommand, restore: restoreCommand },
};

/** Runs what is behind `jinn undo`. Without a command it lists. Returns the exit status, as for `jinn tools`. */
export function runUndoCommand(argv: readonly string[], host: CommandHost): Promise<number> {
  return runCommandLine(UNDO_FAMILY, argv.length === 0 ? ['list'] : argv, host);
}

function chosen({ words: [id], flags }: CommandArgs): object {
  const { last, 'with-later': withLater } = flags;
  if (id === undefined && last === undefined)
    throw invalid('name the id of a call, or give --last=N', 'jinn undo lists them');
  return {
    ...(id !== undefined && { id }),
    ...(last !== undefined && { last: toCount('last', last) }),
    ...(withLater === true && { with_later: true }),
  };
}

function toCount(flag: string, text: string | boolean): number {
  if (COUNT.test(String(text))) return Number(text);
  throw invalid(`--${flag} is a number from 1 on`, `for example --${flag}=1`);
}

async function answer(args: object, host: CommandHost): Promise<void> {
  const { text = '', visualization } = await callUndo(args, host);
  const lines = visualization ? renderVisualization(visualization, host) : [toVisibleLines(text)];
  host.write(lines.map((line) => `${line}\n`).join(''));
}

async function callUndo(args: object, { machine, version }: CommandHost): Promise<Success> {
  const engine = openEngine(machine, { version, served: SERVED, showsVisualizations: true });
  try {
    const outcome = await engine.call({ tool: 'undo', args });
    if (!outcome.ok) throw forPerson(outcome.error);
    for (const warning of outcome.warnings ?? []) machine.log(`warning: ${toVisible(warning)}`);
    return outcome;
  } finally {
    await engine.close();
  }
}

function forPerson({ code, message, suggestion, cause }: ToolError): ToolError {
  const step = suggestion
    ?.replace('pass with_later: true', 'give --with-later')
    .replace('with preview', 'with jinn undo show')
    .replace('use {"action":"list"} to see the ids', 'jinn undo lists them');
  return new ToolError(code, message, { cause, ...(step !== undefined && { suggestion: step }) });
}
