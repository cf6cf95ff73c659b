import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context, Special } from '../context.ts';
import { HOLE, hasHole, startsUnknown } from '../syntax/fields.ts';
import { assignedIn } from '../syntax/word-builder.ts';

const READ_VALUED = new Set(wordsIn('-a -d -i -n -N -p -t -u'));
const MAPFILE_VALUED = new Set(wordsIn('-d -n -O -s -u -C -c'));

/** Judges `read a b`, in which every operand is a variable, and so is the value of `-a`. */
function classifyRead({ args }: Call, context: Context): void {
  const names = [...new Arguments(args, READ_VALUED).operands, ...valuesOf(args, ['-a'])];
  for (const name of names) setUnknown(name, context);
}

/** Judges `mapfile array`. In an expansion such as `$PATH`, an array stands for its first element. */
function classifyMapfile({ args }: Call, context: Context): void {
  for (const name of new Arguments(args, MAPFILE_VALUED).operands) setUnknown(name, context);
}

function classifyGetopts({ args }: Call, context: Context): void {
  const name = args[1];
  if (name !== undefined) setUnknown(name, context);
}

function classifyPrintf({ args }: Call, context: Context): void {
  if (args[0] !== undefined && startsUnknown(args[0])) context.report('caution', 'may set a variable');
  if (!args[0]?.startsWith('-v')) return;
  const [name, ...rest] = args[0] === '-v' ? args.slice(1) : [args[0].slice(2), ...args.slice(1)];
  if (name !== undefined) setUnknown(name, context, rest.join(' '));
}

function classifyWait({ args }: Call, context: Context): void {
  for (const name of valuesOf(args, ['-p'])) setUnknown(name, context);
}

function classifyLet({ args }: Call, context: Context): void {
  if (args.some(hasHole)) context.report('caution', 'computes what cannot be told');
  for (const name of args.flatMap(assignedIn)) context.set(name, HOLE);
}

/** Judges `unset`: without PATH, bash looks for programs in the current directory. */
function classifyUnset({ args }: Call, context: Context): void {
  if (args.includes('PATH')) context.set('PATH', HOLE);
}

/** Judges `set`: `set -k` takes assignments among the arguments of a command, and `set -a` exports whatever is set. */
function classifySet({ args }: Call, context: Context): void {
  for (const arg of args) {
    if (startsUnknown(arg)) context.report('caution', 'may set options of the shell');
    if (arg === '--' || !/^[-+]/.test(arg)) break;
    if (/^-[A-Za-z]*k/.test(arg)) context.report('dangerous', 'lets arguments set variables');
    if (/^-[A-Za-z]*a/.test(arg)) context.report('caution', 'exports every variable that is set');
  }
  if (args.includes('keyword')) context.report('dangerous', 'lets arguments set variables');
  if (args.includes('allexport')) context.report('caution', 'exports every variable that is set');
}

const SHOWS = /^-[A-Za-z]*[pfF]/;

/** Judges `export`, `declare` and their kin, which set variables as an assignment does. */
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
  else if (hasHole(arg)) context.report('caution', 'sets a variable whose name cannot be told');
}

function setUnknown(name: string, context: Context, value = HOLE): void {
  if (hasHole(name)) context.report('caution', 'sets a variable whose name cannot be told');
  else context.set(name.replace(/\[.*/s, ''), value);
}

/** Judges `jobs`: `jobs -x` runs the command that follows. */
function classifyJobs(call: Call, context: Context): void {
  const at = call.args.findIndex((arg) => /^-[a-z]*x/.test(arg));
  if (at !== -1) context.run(call.args.slice(at + 1), call);
}

/** Builtins that set variables, or run commands, by way of their arguments. */
export const SETTERS: Readonly<Record<string, Special>> = {
  read: classifyRead,
  mapfile: classifyMapfile,
  readarray: classifyMapfile,
  getopts: classifyGetopts,
  printf: classifyPrintf,
  wait: classifyWait,
  let: classifyLet,
  unset: classifyUnset,
  set: classifySet,
  export: classifyDeclaration,
  declare: classifyDeclaration,
  typeset: classifyDeclaration,
  local: classifyDeclaration,
  readonly: classifyDeclaration,
  jobs: classifyJobs,
};
