import { fieldsOf, hasHole } from './syntax/fields.ts';
import { parse } from './syntax/parse-bash.ts';
import type { Command } from './syntax/tree.ts';

/** What can be told of a command before it runs. */
export interface CommandParts {
  /** The pipelines that stand one behind the other, not those within parentheses, loops and the like. */
  readonly pipelines: readonly PipelineParts[];
  /** The names of all programs, however deep they stand. */
  readonly programs: readonly ProgramName[];
  /** The files that redirections write, without quotes, as far as they can be told. */
  readonly written: readonly string[];
}

/** The last part of its path; empty for assignments alone; undefined if only bash can tell. */
export type ProgramName = string | undefined;

export interface PipelineParts {
  /** The text as it is written. */
  readonly text: string;
  /** The program of each command; undefined also for a loop and the like. */
  readonly programs: readonly ProgramName[];
}

/** Takes a command apart. Returns undefined for a text that bash does not take, or that cannot be read. */
export function commandParts(text: string): CommandParts | undefined {
  const { script, commands } = parse(text);
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

function programOf(command: Command): ProgramName {
  if (command.kind !== 'simple') return undefined;
  const [verb = ''] = command.words.flatMap((word) => fieldsOf(word, () => false));
  return hasHole(verb) ? undefined : verb.slice(verb.lastIndexOf('/') + 1);
}

function writtenBy({ redirects }: Command): string[] {
  const writing = redirects.filter(({ operator }) => operator.includes('>'));
  return writing.flatMap(({ target }) => fieldsOf(target, () => false)).filter((field) => !hasHole(field));
}
