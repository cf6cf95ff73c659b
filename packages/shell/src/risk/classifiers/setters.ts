import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context, Special } from '../context.ts';
import { HOLE, hasHole, startsUnknown } from '../syntax/fields.ts';
import { assignedIn } from '../syntax/word-builder.ts';
import { argumentsOf } from '../tables.ts';

const READ_VALUED = new Set(wordsIn('-a -d -i -n -N -p -t -u'));
const MAPFILE_VALUED = new Set(wordsIn('-d -n -O -s -u -C -c'));

/** Judges `mapfile array`. In an expansion such as `$PATH`, an array stands for its first element. */
function classifyMapfile({ args }: Call, context: Context): void {
  for (const name of new Arguments(args, MAPFILE_VALUED).operands) setUnknown(name, context);
}

const SHOWS = /^-[A-Za-z]*[pfF]/;

function classifyDeclaration({ name: builtin, args }: Call, context: Context): void {
  const options = args.filter((arg) => /^[-+]/.test(arg));
  const exports = builtin === 'export' || options.some((option) => /^-\w*x/.test(option));
  const refers = options.some((option) => /^-\w*n/.test(option)) && builtin !== 'export';
  context.report('safe', 'declares variables');
  for (const arg of args) {
    if (/^[-+]/.test(arg)) continue;
    const equals = arg.indexOf('=');
    const name = arg.slice(0, equals).replace(/\+$|\[.*/, '');
    const value = arg.slice(equals + 1);
    if (equals <= 0)
      classifyBareName({ exports: exports && !options.some((option) => SHOWS.test(option)), arg }, context);
    else if (refers) setUnknown(value, context);
    else if (exports) context.assign(name, value);
    else context.set(name, value);
  }
}

function classifyBareName({ exports, arg }: { exports: boolean; arg: string }, context: Context): void {
  if (exports) context.report('caution', 'hands a variable to later commands');
  else if (hasHole(arg)) context.report('caution', 'sets a variable with an unknown name');
}

function setUnknown(name: string, context: Context, value = HOLE): void {
  if (hasHole(name)) context.report('caution', 'sets a variable with an unknown name');
  // What follows may be the key of an array, which is also a pattern for names of files.
  const variable = name.split(HOLE)[0]?.replace(/\[.*/s, '');
  if (variable) context.set(variable, value);
}

/** Builtins that set variables, or run commands, by way of their arguments. */
export const SETTERS: Readonly<Record<string, Special>> = {
  read: ({ args, input }, context) => {
    const names = [...new Arguments(args, READ_VALUED).operands, ...valuesOf(args, ['-a'])];
    for (const name of names) setUnknown(name, context, input);
  },
  mapfile: classifyMapfile,
  readarray: classifyMapfile,
  getopts: ({ args }, context) => {
    const name = args[1];
    if (name !== undefined) setUnknown(name, context);
  },
  printf: ({ args }, context) => {
    if (args[0] !== undefined && startsUnknown(args[0])) context.report('caution', 'may set a variable');
    if (!args[0]?.startsWith('-v')) return;
    const [name, ...rest] = args[0] === '-v' ? args.slice(1) : [args[0].slice(2), ...args.slice(1)];
    if (name !== undefined) setUnknown(name, context, rest.join(' '));
  },
  wait: ({ args }, context) => {
    for (const name of valuesOf(args, ['-p'])) setUnknown(name, context);
  },
  let: ({ args }, context) => {
    if (args.some(hasHole)) context.report('caution', 'computes an unknown value');
    for (const name of args.flatMap(assignedIn)) context.set(name, HOLE);
  },
  /** Judges `unset`: without PATH, bash looks for programs in the current directory. */
  unset: ({ args }, context) => {
    if (args.includes('PATH')) context.set('PATH', HOLE);
  },
  /** Judges `set`: `set -k` takes assignments among the arguments of a command, and `set -a` exports whatever is set. */
  set: ({ args }, context) => {
    for (const arg of args) {
      if (startsUnknown(arg)) context.report('caution', 'may set options of the shell');
      if (arg === '--' || !/^[-+]/.test(arg)) break;
      if (/^-[A-Za-z]*k/.test(arg)) context.report('dangerous', 'lets arguments set variables');
      if (/^-[A-Za-z]*a/.test(arg)) context.report('caution', 'exports every variable that is set');
    }
    for (const value of args.slice(args.indexOf('--') + 1)) context.set('1', value);
    if (args.includes('keyword')) context.report('dangerous', 'lets arguments set variables');
    if (args.includes('allexport')) context.report('caution', 'exports every variable that is set');
  },
  export: classifyDeclaration,
  declare: classifyDeclaration,
  typeset: classifyDeclaration,
  local: classifyDeclaration,
  readonly: classifyDeclaration,
  jobs: (call, context) => {
    const at = call.args.findIndex((arg) => /^-[a-z]*x/.test(arg));
    if (at !== -1) context.run(call.args.slice(at + 1), call);
  },
};

const ASKS = new Set(['--version', '-v', '--help', '-h', '--exec-path', '--html-path', '--man-path', '--info-path']);

/** Judges the settings of git that name commands, for one call or permanently. The table holds the subcommands. */
export function classifyGit(call: Call, context: Context): void {
  if (call.args.length === 1 && ASKS.has(call.args[0] ?? '')) context.report('safe', 'only describes git');
  for (const setting of valuesOf(call.args, ['-c', '--config'])) {
    const equals = setting.indexOf('=');
    if (equals > 0) classifySetting(setting.slice(0, equals), setting.slice(equals + 1), context);
    else if (hasHole(setting)) context.report('caution', 'takes unknown settings');
  }
  const at = call.args.indexOf('config');
  if (at !== -1 && argumentsOf(call).operands[0] === 'config') classifyConfig(call.args.slice(at + 1), context);
}

/** Settings of git that name a command, or a place from which commands come. */
const GIT_SETTINGS =
  /^(alias\..*|core\.(pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|attributesfile|alternaterefscommand)|credential(\..*)?\.helper|diff\.(external|.*\.(command|textconv))|filter\..*\.(clean|smudge|process)|merge\..*\.driver|mergetool\..*\.(cmd|path)|difftool\..*\.(cmd|path)|pager\..*|sequence\.editor|gpg(\..*)?\.program|gpg\.ssh\.defaultkeycommand|remote\..*\.(uploadpack|receivepack|vcs|proxy)|url\..*\.(insteadof|pushinsteadof)|protocol(\..*)?\.allow|include\.path|includeif\..*|init\.templatedir|uploadpack\.packobjectshook|interactive\.difffilter|trailer\..*\.(command|cmd)|man\..*\.(cmd|path)|browser\..*\.(cmd|path)|guitool\..*|sendemail\..*cmd|http\.(proxy|sslverify|sslcainfo)|submodule\..*\.update|extensions\.worktreeconfig|receive\.procreceiverefs|ssh\.variant|rebase\.instructionformat)$/i;

/** Values of such a setting that everybody gives. */
const HARMLESS_SETTING = /^(cat|less|more|true|:|false|vim?|nano|code --wait|never|)$/;
const CONFIG_VALUED = new Set(['-f', '--file', '--blob', '--type', '-t', '--default', '--value', '--comment', '--url']);

function classifyConfig(args: readonly string[], context: Context): void {
  const { operands } = new Arguments(args, CONFIG_VALUED);
  const [name, value] = operands.slice(operands[0] === 'set' || operands[0] === 'add' ? 1 : 0);
  if (name === undefined || value === undefined) return;
  if (hasHole(name)) context.report('dangerous', 'changes an unknown setting');
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
