import { wordsIn } from './arguments.ts';
import type { Call, Context, Special } from './context.ts';
import { judgeAwk } from './judges/awk.ts';
import { judgeGit } from './judges/git.ts';
import { interpreterOf } from './judges/interpreters.ts';
import { RUNNING } from './judges/running.ts';
import { judgeSed } from './judges/sed.ts';
import { SHELLS } from './judges/shells.ts';
import { judgeEditor, judgeSqlClient } from './judges/sql.ts';
import { isWrapper, judgeWrapper } from './judges/wrappers.ts';
import { nameOf } from './program-name.ts';
import { SQL_CLIENTS } from './rules/remote.ts';
import { isAlwaysDangerous, isInTable, judgeByTable } from './table.ts';

const SQL = new Set(wordsIn(SQL_CLIENTS));
const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk']);
const EDITORS = new Set(['ed', 'ex', 'red']);
const SEDS = new Set(['sed', 'ssed']);

/** What judges a program whose arguments need more than the table to be understood. */
function specialOf(name: string): Special | undefined {
  if (name === 'git') return judgeGit;
  if (SEDS.has(name)) return judgeSed;
  if (EDITORS.has(name)) return judgeEditor;
  if (AWKS.has(name)) return judgeAwk;
  if (SQL.has(name)) return judgeSqlClient;
  if (Object.hasOwn(RUNNING, name)) return RUNNING[name];
  return interpreterOf(name) ?? (Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined);
}

function isKnown(name: string): boolean {
  return isInTable(name) || specialOf(name) !== undefined || isWrapper(name);
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
  specialOf(call.name)?.(call, context);
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
