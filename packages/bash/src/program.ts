import { wordsIn } from './arguments.ts';
import type { Call, Context, Special } from './context.ts';
import { judgeAwk } from './judges/awk.ts';
import { judgeGit } from './judges/git.ts';
import { INTERPRETERS_BY_NAME } from './judges/interpreters.ts';
import { RUNNING } from './judges/running.ts';
import { judgeSed } from './judges/sed.ts';
import { SHELLS } from './judges/shells.ts';
import { judgeEditor, judgeSqlClient } from './judges/sql.ts';
import { isWrapper, judgeWrapper } from './judges/wrappers.ts';
import { nameOf } from './program-name.ts';
import { SQL_CLIENTS } from './rules/remote.ts';
import { isAlwaysDangerous, isInTable, judgeByTable } from './table.ts';

/** Programs whose arguments need more than the table to be understood. */
const SPECIALS = new Map<string, Special>(
  Object.entries({
    ...SHELLS,
    ...INTERPRETERS_BY_NAME,
    ...RUNNING,
    ...Object.fromEntries(wordsIn(SQL_CLIENTS).map((name) => [name, judgeSqlClient])),
    ...Object.fromEntries(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk'].map((name) => [name, judgeAwk])),
    ...Object.fromEntries(['ed', 'ex', 'red'].map((name) => [name, judgeEditor])),
    sed: judgeSed,
    ssed: judgeSed,
    git: judgeGit,
  }),
);

function isKnown(name: string): boolean {
  return isInTable(name) || SPECIALS.has(name) || isWrapper(name);
}

/** The name of a program in the rules, and whether they have any for it. */
export function identify(verb: string): { name: string; known: boolean } {
  const name = nameOf(verb, isKnown);
  return { name, known: isKnown(name) };
}

/** True for a word that as a command would be dangerous, or run whatever it is given. */
export function isDangerousName(word: string): boolean {
  const { name } = identify(word);
  return isAlwaysDangerous(name) || Object.hasOwn(SHELLS, name);
}

/** Judges a program by all rules that there are for it; one of which they say nothing is not vouched for. */
export function judgeProgram(call: Call, context: Context): void {
  const { notes } = context;
  SPECIALS.get(call.name)?.(call, context);
  judgeWrapper(call, context);
  judgeByTable(tarDashed(call), context);
  if (context.notes === notes) context.note('caution', 'is not known to be harmless');
}

/** The old way to write options of tar has no dash: `tar xf a.tar`. */
export function tarDashed(call: Call): Call {
  const [first = ''] = call.args;
  if (!/^(bsd)?tar$/.test(call.name) || !/^[A-Za-z]+$/.test(first)) return call;
  return { ...call, args: [`-${first}`, ...call.args.slice(1)] };
}
