import { wordsIn } from './arguments.ts';
import { killsOwnJobs, onlyAsks } from './classifiers/asking.ts';
import { classifyAwk } from './classifiers/awk.ts';
import { classifyHttp, classifyOpenssl, classifyPs } from './classifiers/exposing.ts';
import { classifyGit } from './classifiers/git-settings.ts';
import { interpreterOf } from './classifiers/interpreter-calls.ts';
import { OWN_PROGRAMS } from './classifiers/own-programs.ts';
import { isCheck } from './classifiers/project-checks.ts';
import { ownWords, RUNNING } from './classifiers/running.ts';
import { classifySed } from './classifiers/sed.ts';
import { SETTERS } from './classifiers/setters.ts';
import { SHELLS } from './classifiers/shells.ts';
import { classifyEditor, classifySqlClient } from './classifiers/sql.ts';
import { classifyWrapper, isWrapper } from './classifiers/wrapped-commands.ts';
import { type Call, type Context, reportUnseen, type Special } from './context.ts';
import { nameOf } from './program-name.ts';
import { DISCARDED } from './rules/paths.ts';
import { SQL_CLIENTS } from './rules/remote.ts';
import { classifyByTable, isAlwaysDangerous, isInTable } from './table.ts';
import { isKnownName, type KnownCall, readKnown } from './tables/known-calls.ts';

const SQL = new Set(wordsIn(SQL_CLIENTS));
const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk']);
const EDITORS = new Set(['ed', 'ex', 'red']);
const HTTP = new Set(['curl', 'http', 'https', 'xh']);
const SEDS = new Set(['sed', 'ssed']);
/** Returns the judge of a program whose arguments the table alone cannot tell. */
function specialOf(name: string): Special | undefined {
  if (name === 'git') return classifyGit;
  if (name === 'ps') return classifyPs;
  if (name === 'openssl') return classifyOpenssl;
  if (HTTP.has(name)) return classifyHttp;
  if (SEDS.has(name)) return classifySed;
  if (EDITORS.has(name)) return classifyEditor;
  if (AWKS.has(name)) return classifyAwk;
  if (SQL.has(name)) return classifySqlClient;
  if (Object.hasOwn(OWN_PROGRAMS, name)) return OWN_PROGRAMS[name];
  if (Object.hasOwn(RUNNING, name)) return RUNNING[name];
  if (Object.hasOwn(SETTERS, name)) return SETTERS[name];
  return interpreterOf(name) ?? (Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined);
}

function isKnown(name: string): boolean {
  return isInTable(name) || isKnownName(name) || specialOf(name) !== undefined || isWrapper(name);
}

/** Returns the name of a program in the rules, and whether they know it. */
export function identify(verb: string): { name: string; known: boolean } {
  const name = nameOf(verb, isKnown);
  return { name, known: isKnown(name) };
}

/** Reports whether a word names a program that is always dangerous, or a shell. */
export function isDangerousName(word: string): boolean {
  const { name } = identify(word);
  return isAlwaysDangerous(name) || Object.hasOwn(SHELLS, name);
}

/** Directories where the system and package managers install programs. */
const INSTALLED = /^\/(usr\/(local\/)?)?s?bin\/|^\/opt\/(homebrew|local)\/bin\/|^\/snap\/bin\//;

function isElsewhere(verb: string): boolean {
  return verb.includes('/') && !INSTALLED.test(verb);
}

/** Judges a program by all rules for it. A program without any is `caution`. */
export function classifyProgram(call: Call, context: Context): void {
  if (onlyAsks(call) || killsOwnJobs(call)) {
    context.report('safe', 'only asks, or ends what the command itself started');
    return;
  }
  if (isCheck(call) && context.inProject) {
    reportUnseen(context, 'safe', 'runs a check or a build of the project');
    return;
  }
  if (isElsewhere(call.verb)) reportUnseen(context, 'caution', 'runs a program that is not the installed one');
  const { reports } = context;
  specialOf(call.name)?.(call, context);
  const isTransparent = classifyWrapper(call, context);
  classifyByTable(tarDashed(call), context);
  const known = readKnown(ownWords(tarDashed(call)));
  if (known) classifyKnown(known, call, context);
  else if (!isTransparent) context.unseen(`runs ${call.name}, which may run what files or settings tell`);
  if (context.reports === reports) context.report('caution', 'is not known to be harmless');
}

function classifyKnown(known: KnownCall, call: Call, context: Context): void {
  const { unknown, isRisky, reason, runs, namesProgram, writes, opens, reads } = known;
  if (unknown !== undefined) context.report('caution', 'has an option that is not known to be harmless');
  if (unknown !== undefined) context.unseen('has a word that is not known to be data');
  if (namesProgram) reportUnseen(context, 'caution', 'names a program, or a file that tells what to run');
  if (runs) context.unseen('runs what files or settings tell');
  for (const path of writes) {
    if (!DISCARDED.test(path)) context.report('caution', 'writes a file');
    context.file(path, call, { written: true });
  }
  for (const path of opens) context.file(path, call, { written: false });
  for (const path of reads) context.reads(path);
  if (!isRisky) context.report('safe', reason);
}

/** Adds the dash that the old way to write options of tar leaves out: `tar xf a.tar`. */
export function tarDashed(call: Call): Call {
  const [first = ''] = call.args;
  if (!/^(bsd)?tar$/.test(call.name) || !/^[A-Za-z]+$/.test(first)) return call;
  return { ...call, args: [`-${first}`, ...call.args.slice(1)] };
}
