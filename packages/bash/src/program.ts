import { wordsIn } from './arguments.ts';
import { killsOwnJobs, onlyAsks } from './classifiers/asking.ts';
import { classifyAwk } from './classifiers/awk.ts';
import { classifyOpenssl, classifyPs } from './classifiers/exposing.ts';
import { classifyGit } from './classifiers/git-settings.ts';
import { interpreterOf } from './classifiers/interpreter-calls.ts';
import { OWN_PROGRAMS } from './classifiers/own-programs.ts';
import { isCheck } from './classifiers/project-checks.ts';
import { RUNNING } from './classifiers/running.ts';
import { classifySed } from './classifiers/sed.ts';
import { SETTERS } from './classifiers/setters.ts';
import { SHELLS } from './classifiers/shells.ts';
import { classifyEditor, classifySqlClient } from './classifiers/sql.ts';
import { classifyWrapper, isWrapper } from './classifiers/wrapped-commands.ts';
import { type Call, type Context, reportUnseen, type Special } from './context.ts';
import { nameOf } from './program-name.ts';
import { SQL_CLIENTS } from './rules/remote.ts';
import { classifyByTable, isAlwaysDangerous, isInTable } from './table.ts';

const SQL = new Set(wordsIn(SQL_CLIENTS));
const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk']);
const EDITORS = new Set(['ed', 'ex', 'red']);
const SEDS = new Set(['sed', 'ssed']);
/** Programs that run what a file of the project tells. */
const BUILDERS = new Set(
  wordsIn(
    'make gmake just task rake ant mvn mvnw gradle gradlew bazel ninja cmake meson scons npm pnpm yarn bun npx pnpx bunx deno cargo go tox nox poetry uv pdm hatch bundle composer docker-compose podman-compose ansible-playbook terraform tofu pulumi vagrant crontab at batch',
  ),
);

/** Returns the judge of a program whose arguments the table alone cannot tell. */
function specialOf(name: string): Special | undefined {
  if (name === 'git') return classifyGit;
  if (name === 'ps') return classifyPs;
  if (name === 'openssl') return classifyOpenssl;
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
  return isInTable(name) || specialOf(name) !== undefined || isWrapper(name);
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

/**
 * Reports whether a program is named by a path outside of where programs are installed. It may share no more than its
 * name with the one that the rules know.
 */
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
  if (BUILDERS.has(call.name)) context.unseen('runs what files of the project tell');
  const { reports } = context;
  specialOf(call.name)?.(call, context);
  classifyWrapper(call, context);
  classifyByTable(tarDashed(call), context);
  if (context.reports === reports) context.report('caution', 'is not known to be harmless');
}

/** Adds the dash that the old way to write options of tar leaves out: `tar xf a.tar`. */
export function tarDashed(call: Call): Call {
  const [first = ''] = call.args;
  if (!/^(bsd)?tar$/.test(call.name) || !/^[A-Za-z]+$/.test(first)) return call;
  return { ...call, args: [`-${first}`, ...call.args.slice(1)] };
}
