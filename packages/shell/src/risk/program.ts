import { Arguments, programName, wordsIn } from './arguments.ts';
import { classifyAwk } from './classifiers/awk.ts';
import { classifyHttp, classifyOpenssl, classifyPs } from './classifiers/exposing.ts';
import { findInterpreter, SHELL_PROGRAMS } from './classifiers/interpreter-calls.ts';
import { isCheck, killsOwnJobs, onlyAsks } from './classifiers/project-checks.ts';
import { RUNNING } from './classifiers/running.ts';
import { classifySed } from './classifiers/sed.ts';
import { classifyGit, SETTERS } from './classifiers/setters.ts';
import { classifyEditor, classifySqlClient } from './classifiers/sql.ts';
import { classifyWrapper, isWrapper } from './classifiers/wrapped-commands.ts';
import { type Call, type Context, reportUnseen, type Special } from './context.ts';
import { DISCARDED } from './rules/paths.ts';
import {
  classifyByTable,
  isAlwaysDangerous,
  isInTable,
  isKnownName,
  type KnownCall,
  ownWords,
  readKnown,
} from './tables.ts';

const SQL = new Set(wordsIn('psql mysql mariadb sqlite3 sqlite sqlcmd clickhouse-client duckdb cqlsh influx'));
const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk']);
const EDITORS = new Set(['ed', 'ex', 'red']);
const HTTP = new Set(['curl', 'http', 'https', 'xh']);
const SEDS = new Set(['sed', 'ssed']);
const OWN_VALUED = new Set(
  wordsIn(
    '--root --toolset --tools --exclude-tools --sandbox --dangerous --max-result --token-file --approval-key-file --allow-host --allow-origin --log-file --log-args',
  ),
);
/** With one of these jinn changes nothing and runs nothing, no matter what it is asked. */
const HARMLESS = ['--read-only', '--schema', '--doctor', '--version', '--help', '-v', '-h'];

/** Returns the judge of a program of jinn. Without a subcommand it serves calls that no rule has seen, and by flags of its own. */
function serving(subcommands: string): Special {
  const known = new Set(wordsIn(subcommands));
  return (call: Call, context: Context) => {
    if (known.has(call.args[0] ?? '')) return;
    const given = new Arguments(call.args, OWN_VALUED);
    if (HARMLESS.some((option) => given.has(option))) return;
    reportUnseen(context, 'dangerous', 'runs calls of jinn that no person is asked about');
  };
}

const OWN_PROGRAMS: Readonly<Record<string, Special>> = {
  jinn: serving('tools lsp grants undo ui completion help'),
  'jinn-mcp': serving('install uninstall status grants hook completion help'),
};

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
  return findInterpreter(name) ?? (Object.hasOwn(SHELL_PROGRAMS, name) ? SHELL_PROGRAMS[name] : undefined);
}

function isKnown(name: string): boolean {
  return isInTable(name) || isKnownName(name) || specialOf(name) !== undefined || isWrapper(name);
}

/** Returns the name of a program in the rules, and whether they know it. */
export function identifyProgram(verb: string): { name: string; known: boolean } {
  const name = programName(verb, isKnown);
  return { name, known: isKnown(name) };
}

/** Reports whether a word names a program that is always dangerous, or a shell. */
export function isDangerousName(word: string): boolean {
  const { name } = identifyProgram(word);
  return isAlwaysDangerous(name) || Object.hasOwn(SHELL_PROGRAMS, name);
}

/** Directories where the system and package managers install programs. */
const INSTALLED = /^\/(usr\/(local\/)?)?s?bin\/|^\/opt\/(homebrew|local)\/bin\/|^\/snap\/bin\//;

/** A program outside of these may share no more than its name with the one that the rules know. */
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

const LAST_PATTERN = /[^/]*[\ue100\ue101][^/]*$/;

function classifyKnown(known: KnownCall, call: Call, context: Context): void {
  const { unknown, isRisky, reason, runs, namesProgram, writes, changes, opens, reads } = known;
  if (unknown !== undefined) context.report('caution', 'has an option that is not known to be harmless');
  if (unknown !== undefined) context.unseen('has a word that is not known to be data');
  if (namesProgram) reportUnseen(context, 'caution', 'names a program, or a file with a command');
  if (runs) context.unseen('runs what files or settings tell');
  for (const path of writes) {
    if (!DISCARDED.test(path)) context.report('caution', 'writes a file');
    context.file(path, call, { written: true });
  }
  const removes = /^(rm|rmdir|unlink)$/.test(call.name);
  // What a pattern finds is removed and not followed.
  for (const path of [...changes, ...writes]) context.changes(removes ? path.replace(LAST_PATTERN, '') : path);
  for (const path of opens) context.file(path, call, { written: false });
  for (const path of reads) context.reads(path);
  if (!isRisky) context.report('safe', reason);
}

/** Adds the dash that the old way to write options of tar omits: `tar xf a.tar`. */
export function tarDashed(call: Call): Call {
  const [first = ''] = call.args;
  if (!/^(bsd)?tar$/.test(call.name) || !/^[A-Za-z]+$/.test(first)) return call;
  return { ...call, args: [`-${first}`, ...call.args.slice(1)] };
}

/** Syntax that may stand for any command, in a text that cannot be parsed. */
const OBSCURE = /\$['"({\w]|`|\\[\S\n]|\{[^{}\s]*,|[*?[]\S/;

/** Looks for the names of dangerous programs in a text of which nothing more is known. */
export function namesDanger(text: string): boolean {
  const words = text.replace(/['"\\]/g, '').split(/[\s;&|(){}<>`$=,]+/);
  return [...words, ...text.split(/[\s;&|(){}<>`$=,'"\\]+/)].some((word) => word !== '' && isDangerousName(word));
}

/** Reports whether a text that cannot be parsed may hold a dangerous command. */
export function mayHide(text: string): boolean {
  return OBSCURE.test(text) || namesDanger(text);
}
