import { wordsIn } from './arguments.ts';
import { type BashCommand, fieldsOf, hasHole } from './syntax/fields.ts';
import type { ParsedCommand } from './syntax/parse-bash.ts';

/** The last part of its path. Empty for only assignments, or undefined if only bash can tell. */
export type ProgramName = string | undefined;

export interface CommandParts {
  /** The pipelines of the command, not those within parentheses, loops and the like. */
  readonly pipelines: readonly {
    readonly text: string;
    /** The program of each command. Undefined also for a loop and the like. */
    readonly programs: readonly ProgramName[];
  }[];
  /** The names of all programs, however deep they are. */
  readonly programs: readonly ProgramName[];
  /** The files that redirections write, without quotes, as far as they can be told. */
  readonly written: readonly string[];
}

/** Takes a command apart. Returns undefined for a text that bash does not take, or that cannot be read. */
export function commandParts({ text, script, commands }: ParsedCommand): CommandParts | undefined {
  if (!script) return undefined;
  return {
    pipelines: script.items.map(({ pipeline }) => ({
      text: text.slice(pipeline.commands[0]?.start, pipeline.commands.at(-1)?.end),
      programs: pipeline.commands.map(programOf),
    })),
    programs: commands.filter(({ kind }) => kind === 'simple').map(programOf),
    written: commands.flatMap(writtenBy),
  };
}

function programOf(command: BashCommand): ProgramName {
  if (command.kind !== 'simple') return undefined;
  const [verb = ''] = command.words.flatMap((word) => fieldsOf(word, () => false));
  return hasHole(verb) ? undefined : verb.slice(verb.lastIndexOf('/') + 1);
}

function writtenBy({ redirects }: BashCommand): string[] {
  const writing = redirects.filter(({ operator }) => operator.includes('>'));
  return writing.flatMap(({ target }) => fieldsOf(target, () => false)).filter((field) => !hasHole(field));
}

/** Programs that show a part of what they read, or reorder it. */
const FILTERS = new Set(
  wordsIn('grep egrep fgrep rg ag head tail sed awk gawk mawk cut sort uniq wc tr column nl tac less more jq fold'),
);

/**
 * Finds where the filters at the end of a command start, such as `tail -5` in `npm test | tail -5`. Returns undefined
 * if its last pipeline does not end in one, or has nothing but filters.
 */
export function filterStage({ text, script }: ParsedCommand): number | undefined {
  const last = script?.items.at(-1);
  if (!last || last.operator === '&') return undefined;
  const { commands } = last.pipeline;
  const first = commands.findLastIndex((command) => !isFilter(command)) + 1;
  const filter = commands[first];
  return first === 0 || filter === undefined || filter.source !== text ? undefined : filter.start;
}

function isFilter(command: BashCommand): boolean {
  return FILTERS.has(programOf(command) ?? '') && !command.redirects.some(({ operator }) => operator.startsWith('<'));
}
