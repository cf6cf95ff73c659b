import { type Classification, type CommandReading, readCommand } from './classify.ts';
import type { Danger } from './judging/command-findings.ts';
import { HARMFUL_CODE } from './rules/interpreters.ts';

/** After more input than this, no further input is vouched for. */
const MAX_TYPED = 120_000;
const MAX_PIECES = 3_000;
/** Matches all but plain text and line ends. Ctrl-C and Ctrl-D on a line of their own edit nothing. */
const KEYS = { terminal: /[^ -~\n]/, pipe: /[^\P{Cc}\n\t]/u };
const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];
const LONE_KEYS = new RegExp(`^[${CTRL_C}${CTRL_D}]+`, 'gm');
/** Matches the words of other programs before a command for a shell, such as `shell` of gdb, and `:!` of vim. */
const ESCAPE = /^[\s:.\\(>]*(?:platform\s+)?(?:shell|system|sh|exec|python|py)?\s+|^[\s:.\\(>]+/;
const HOLDS_CODE = /["'`($%]/;

/** A job, and what was typed for it so far. */
export interface TypedSoFar {
  readonly command: string;
  readonly input: 'pipe' | 'terminal';
  /** The whole input so far. Its last line may not be complete. */
  readonly typed: string;
}

type InputReading = Classification & Pick<CommandReading, 'dangers'>;

/**
 * Classifies what is typed for a job (docs/risk.md). A line counts as a whole, no matter in how many calls it comes. A new
 * danger in the whole input counts as one of this text.
 */
export function readInput({ command, input: kind, typed }: TypedSoFar, text: string): InputReading {
  const [before, added] = [toLines(typed), toLines(text)];
  if (before.length + added.length > MAX_TYPED) return toVerdict([asWhole('follows more input than can be judged')]);
  const own = readCommand(command, '');
  const recent = before.slice(before.lastIndexOf('\n') + 1) + added;
  const isKnown = own.unseen === undefined;
  const found = readCommand(command, recent);
  const known = new Set(readCommand(command, before).dangers.map(keyOf));
  const accepted = new Set(isKnown ? own.dangers.map(keyOf) : []);
  const dangers = [
    ...found.dangers.filter((danger) => !accepted.has(keyOf(danger))),
    ...readCommand(command, before + added).dangers.filter((danger) => !known.has(keyOf(danger))),
    ...(isKnown || !KEYS[kind].test(recent.replace(LONE_KEYS, ''))
      ? []
      : [asWhole('holds keys that edit what was typed')]),
    ...escapesIn(recent, isKnown),
  ];
  const unique = [...new Map(dangers.map((danger) => [keyOf(danger), danger])).values()];
  if (unique.length === 0)
    return { risk: found.risk === 'safe' ? 'safe' : 'caution', reason: found.reason, dangers: [] };
  return toVerdict(unique);
}

function toVerdict(dangers: readonly Danger[]): InputReading {
  const { reason, part } = dangers[0] as Danger;
  return { risk: 'dangerous', reason, ...(part !== undefined && { part }), dangers };
}

/** Many programs run a command after an exclamation mark. An unknown program may be a shell, or run code. */
function escapesIn(text: string, isKnown: boolean): Danger[] {
  const pieces = text.split('\n').flatMap((line) => {
    const [first = '', ...others] = line.split('!');
    return isKnown ? others : [...new Set([first, first.replace(ESCAPE, ''), line]), ...others];
  });
  const unique = [...new Set(pieces)];
  if (unique.length > MAX_PIECES) return [asWhole('has more lines than can be judged')];
  const asCommands = unique.flatMap((piece) => readCommand(piece).dangers.filter(isOfCommand));
  const isCode = !isKnown && HOLDS_CODE.test(text);
  const asCode = isCode ? HARMFUL_CODE.filter(({ pattern, backquotes }) => !backquotes && pattern.test(text)) : [];
  return [...asCommands, ...asCode.map(({ reason }) => asWhole(reason))];
}

/** Leaves aside text that cannot be parsed or has a name with a `?`: it is hardly meant for a shell. */
function isOfCommand({ reason, part = '' }: Danger): boolean {
  return !/cannot be parsed|\bunknown\b/.test(reason) || /[$`]/.test(part);
}

function asWhole(reason: string): Danger {
  return { reason, part: undefined };
}

function keyOf({ reason, part }: Danger): string {
  return `${reason}\0${part}`;
}

function toLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
