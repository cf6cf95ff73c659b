import { wordsIn } from './arguments.ts';
import { fieldsOf } from './syntax/fields.ts';
import { parse } from './syntax/parse-bash.ts';
import type { Command } from './syntax/tree.ts';

/** Programs that show a part of what they read, or reorder it. */
const FILTERS = new Set(
  wordsIn('grep egrep fgrep rg ag head tail sed awk gawk mawk cut sort uniq wc tr column nl tac less more jq fold'),
);

/**
 * Finds where the filters at the end of a command begin, such as `tail -5` in `npm test | tail -5`: the position of the
 * first of them. Returns undefined if the last pipeline does not end in one, or has nothing but filters.
 */
export function filterStage(text: string): number | undefined {
  const { script } = parse(text);
  const last = script?.items.at(-1);
  if (!last || last.operator === '&') return undefined;
  const { commands } = last.pipeline;
  const first = commands.findLastIndex((command) => !isFilter(command)) + 1;
  const filter = commands[first];
  return first === 0 || filter === undefined || filter.source !== text ? undefined : filter.start;
}

function isFilter(command: Command): boolean {
  if (command.kind !== 'simple' || command.redirects.some(({ operator }) => operator.startsWith('<'))) return false;
  const [verb = ''] = command.words.flatMap((word) => fieldsOf(word, () => false));
  return FILTERS.has(verb.slice(verb.lastIndexOf('/') + 1));
}
