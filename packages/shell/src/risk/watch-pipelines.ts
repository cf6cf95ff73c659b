import { wordsIn } from './arguments.ts';
import { deciderOf, type StatusCommand } from './status-command.ts';
import { type BashCommand, type Compound, fieldsOf, type Item, type Script, type Simple } from './syntax/fields.ts';
import type { ParsedCommand } from './syntax/parse-bash.ts';

/** A command to which reports were added: each of its pipelines shows how its parts ended. */
export interface WatchedText {
  readonly text: string;
  /** The parts of each pipeline, by the index that its report was made with. */
  readonly pipelines: readonly (readonly PipelinePart[])[];
}

export interface PipelinePart {
  /** What the part is called in an answer, such as `go test`. */
  readonly name: string;
  /** The command that decides the status of the part, or undefined if the text does not tell. */
  readonly decider: StatusCommand | undefined;
}

const MOST_PARTS = 100;
const SHOWN_NAME = 40;
/** Values that a report would change, or that show the text of the command. */
const VALUES = /PIPESTATUS|BASH_|\$\{?_\b/;
/** Commands that would run the report, change what it does, or list it among the processes. */
const COMMANDS = new Set(wordsIn('trap alias enable ulimit ps pgrep pkill pidof top htop pstree'));
const VERBOSE = /^-\w*v|^verbose$/;
/** What runs its scripts where it is. A function runs where it is called, which may be a part of a pipeline. */
const IN_PLACE: ReadonlySet<Compound['kind']> = new Set<Compound['kind']>(['group', 'subshell', 'if', 'loop', 'case']);
const READS = new Set(['<', '<<', '<<-', '<<<']);

/**
 * Puts a report after each pipeline: shell text that finds `$?` and `PIPESTATUS` as the pipeline left them, and must
 * end with that `$?`. Pipelines in functions, substitutions, the background and other pipelines get none. Returns
 * undefined if none can be watched, or if the command could notice it.
 */
export function watchPipelines(
  { text, script, commands }: ParsedCommand,
  reportOf: (index: number) => string,
): WatchedText | undefined {
  // A backslash at the very end stands for itself, and would no longer.
  if (!text.includes('|') || text.endsWith('\\') || VALUES.test(text)) return undefined;
  if (!script || commands.some(notices)) return undefined;
  const found = pipelinesOf(script);
  if (found.length === 0) return undefined;
  let watched = '';
  let at = 0;
  for (const [index, parts] of found.entries()) {
    const [start, end] = [parts[0]?.start, parts.at(-1)?.end];
    // On the same line, so that line numbers and here-documents stay what they are.
    watched += `${text.slice(at, start)}{ ${text.slice(start, end)};${reportOf(index)}; }`;
    at = end ?? at;
  }
  const pipelines = found.map((parts) => parts.map((part) => ({ name: nameOf(part), decider: deciderOf(part) })));
  return { text: watched + text.slice(at), pipelines };
}

function notices(command: BashCommand): boolean {
  if (command.kind !== 'simple') return false;
  const [verb = '', ...args] = wordsOf(command);
  if (verb === 'exec') return command.redirects.some(({ operator }) => operator.includes('>'));
  if (verb === 'set') return args.some((arg) => VERBOSE.test(arg));
  return COMMANDS.has(verb) || COMMANDS.has(deciderOf(command)?.words[0] ?? '');
}

function wordsOf({ words }: Simple): string[] {
  return words.flatMap((word) => fieldsOf(word, () => false));
}

function pipelinesOf({ items }: Script): (readonly BashCommand[])[] {
  return inFront(items).flatMap(({ pipeline: { commands } }) => {
    const [first] = commands;
    const isWatchable = commands.length <= MOST_PARTS && commands.every(({ kind }) => kind !== 'coproc');
    if (commands.length > 1) return isWatchable ? [commands] : [];
    return first && first.kind !== 'simple' && keepsErrors(first) ? first.scripts.flatMap(pipelinesOf) : [];
  });
}

function keepsErrors({ kind, redirects }: Compound): boolean {
  return IN_PLACE.has(kind) && redirects.every(({ operator }) => READS.has(operator));
}

/** Leaves out what runs in the background: `&` holds for all that `&&` and `||` join before it. */
function inFront(items: readonly Item[]): Item[] {
  let isBehind = false;
  const kept = items.toReversed().filter(({ operator }) => {
    if (operator !== '&&' && operator !== '||') isBehind = operator === '&';
    return !isBehind;
  });
  return kept.toReversed();
}

function nameOf(command: BashCommand): string {
  const [verb, sub = ''] = command.kind === 'simple' ? (deciderOf(command)?.words ?? []) : [];
  if (verb !== undefined) return shorten(/^[a-z][a-z-]*$/.test(sub) ? `${verb} ${sub}` : verb);
  return shorten(command.source.slice(command.start, command.end).replace(/\s+/g, ' '));
}

function shorten(text: string): string {
  return text.length <= SHOWN_NAME ? text : `${text.slice(0, SHOWN_NAME - 1)}…`;
}
