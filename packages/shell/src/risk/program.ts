import { Arguments, valuesOf, wordsIn } from './arguments.ts';
import { killsOwnJobs, onlyAsks } from './classifiers/asking.ts';
import { classifyAwk } from './classifiers/awk.ts';
import { classifyHttp, classifyOpenssl, classifyPs } from './classifiers/exposing.ts';
import { interpreterOf } from './classifiers/interpreter-calls.ts';
import { isCheck } from './classifiers/project-checks.ts';
import { ownWords, RUNNING } from './classifiers/running.ts';
import { classifySed } from './classifiers/sed.ts';
import { SETTERS } from './classifiers/setters.ts';
import { SHELLS } from './classifiers/shells.ts';
import { classifyEditor, classifySqlClient } from './classifiers/sql.ts';
import { classifyWrapper, isWrapper } from './classifiers/wrapped-commands.ts';
import { type Call, type Context, reportUnseen, type Special } from './context.ts';
import { nameOf } from './program-name.ts';
import { GIT_SETTINGS, HARMLESS_SETTING } from './rules/git.ts';
import { DISCARDED } from './rules/paths.ts';
import { SQL_CLIENTS } from './rules/remote.ts';
import { hasHole } from './syntax/fields.ts';
import { argumentsOf, classifyByTable, isAlwaysDangerous, isInTable } from './table.ts';
import { isKnownName, type KnownCall, readKnown } from './tables/known-calls.ts';

const VALUED = new Set(
  wordsIn(
    '--root --toolset --tools --exclude-tools --sandbox --dangerous --max-result --token-file --approval-key-file --allow-host --allow-origin --log-file --log-args',
  ),
);

/** With one of these jinn changes nothing and runs nothing, whatever it is asked. */
const HARMLESS = ['--read-only', '--schema', '--doctor', '--version', '--help', '-v', '-h'];
const OWN_PROGRAMS: Readonly<Record<string, Special>> = {
  jinn: serving('tools lsp grants undo ui completion help'),
  'jinn-mcp': serving('install uninstall status grants hook completion help'),
};

const ASKS = new Set(['--version', '-v', '--help', '-h', '--exec-path', '--html-path', '--man-path', '--info-path']);
const CONFIG_VALUED = new Set(['-f', '--file', '--blob', '--type', '-t', '--default', '--value', '--comment', '--url']);

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

/** Judges the settings of git that name commands, for one call or for good. The table holds the subcommands. */
function classifyGit(call: Call, context: Context): void {
  if (call.args.length === 1 && ASKS.has(call.args[0] ?? '')) context.report('safe', 'only tells of git');
  for (const setting of valuesOf(call.args, ['-c', '--config'])) {
    const equals = setting.indexOf('=');
    if (equals > 0) classifySetting(setting.slice(0, equals), setting.slice(equals + 1), context);
    else if (hasHole(setting)) context.report('caution', 'takes settings that cannot be told');
  }
  const at = call.args.indexOf('config');
  if (at !== -1 && argumentsOf(call).operands[0] === 'config') classifyConfig(call.args.slice(at + 1), context);
}

/** Judges `git config` by the name of a setting and its value, which may come after options that take a word. */
function classifyConfig(args: readonly string[], context: Context): void {
  const { operands } = new Arguments(args, CONFIG_VALUED);
  const [name, value] = operands.slice(operands[0] === 'set' || operands[0] === 'add' ? 1 : 0);
  if (name === undefined || value === undefined) return;
  if (hasHole(name)) context.report('dangerous', 'changes a setting that cannot be told');
  else classifySetting(name, value, context);
}

function classifySetting(name: string, value: string, context: Context): void {
  if (/^alias\./i.test(name)) {
    if (/^\s*!|(^|\s)-c\s|[\ue100\ue101]|--(exec|upload-pack|ext-diff)/.test(value))
      context.report('dangerous', 'gives git a command of its own');
    return;
  }
  if (GIT_SETTINGS.test(name) && !HARMLESS_SETTING.test(value)) context.report('dangerous', 'sets what git runs');
}

function serving(subcommands: string): Special {
  const known = new Set(wordsIn(subcommands));
  return (call: Call, context: Context) => {
    if (known.has(call.args[0] ?? '')) return;
    const given = new Arguments(call.args, VALUED);
    if (HARMLESS.some((option) => given.has(option))) return;
    reportUnseen(context, 'dangerous', 'runs calls of jinn that no person is asked about');
  };
}
