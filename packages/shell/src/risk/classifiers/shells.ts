import { Arguments } from '../arguments.ts';
import { type Call, type Context, reportUnseen, type Special } from '../context.ts';
import { HOLE, hasHole } from '../syntax/fields.ts';

const BASH_LIKE = 'sh bash dash ash ksh mksh rbash posh yash zsh ksh93 oksh';
const OTHERS = 'fish csh tcsh nu elvish xonsh rc es ion murex';
const VALUED = new Set(['-o', '-O', '--rcfile', '--init-file', '-C', '--init-command', '-d']);
const ASKS = ['--version', '--help'];
/** Paths of standard input and of process substitutions. */
const STREAM = /^\/(dev\/(stdin|fd\/)|proc\/self\/fd\/)/;

/** Reports whether a script is a stream, not a file. */
export function isStream(path: string): boolean {
  return path === '-' || STREAM.test(path) || path.startsWith(HOLE);
}

function classifyShell(call: Call, context: Context): void {
  const { args } = call;
  const given = new Arguments(args, VALUED);
  if (given.has('-c') || args.some((arg) => arg.startsWith('--command'))) {
    const code = codeOf(args);
    if (code === undefined) reportUnseen(context, 'dangerous', 'runs code that cannot be told');
    else if (BASH_LIKE.split(' ').includes(call.name)) context.runText(code);
    else context.report('dangerous', 'runs code of another shell');
    return;
  }
  if (args.some((arg) => ASKS.includes(arg))) {
    context.report('caution', 'only tells of the shell');
    return;
  }
  if (given.has('--rcfile') || given.has('--init-file'))
    reportUnseen(context, 'dangerous', 'has the shell run a file at its start');
  const [script] = given.operands;
  if (script === undefined && call.source !== undefined && !call.isPiped && !isStream(call.source)) {
    reportUnseen(context, 'caution', 'runs a script');
    return;
  }
  if (script === undefined || given.has('-s'))
    reportUnseen(context, 'dangerous', 'is a shell that reads its commands from standard input');
  else if (isStream(script)) reportUnseen(context, 'dangerous', 'runs a script that cannot be seen');
  else reportUnseen(context, 'caution', 'runs a script');
}

/** Returns the code that `-c` runs: the first word that is not an option, since options may follow `-c`. */
function codeOf(args: readonly string[]): string | undefined {
  const long = args.find((arg) => arg.startsWith('--command='));
  if (long) return long.slice('--command='.length);
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--' || arg === '-') return args[i + 1];
    if (!/^[-+]/.test(arg)) return arg;
    if (/^[-+][A-Za-z]*[oO]$/.test(arg) || VALUED.has(arg)) i++;
  }
  return undefined;
}

function classifySource(call: Call, context: Context): void {
  const [path = HOLE] = call.args.filter((arg) => arg !== '--');
  if (isStream(path)) reportUnseen(context, 'dangerous', 'runs a script that cannot be seen');
  else reportUnseen(context, 'caution', 'runs a script in this shell');
}

export const SHELL_PROGRAMS: Readonly<Record<string, Special>> = {
  ...Object.fromEntries(`${BASH_LIKE} ${OTHERS}`.split(' ').map((name) => [name, classifyShell])),
  eval: (call, context) => {
    const code = call.args.filter((arg, i) => i > 0 || arg !== '--').join(' ');
    if (code !== '') context.runText(code);
  },
  source: classifySource,
  '.': classifySource,
  trap: (call, context) => {
    const [code] = call.args.filter((arg) => arg !== '--');
    if (code === undefined || code === '' || code === '-' || /^-[lp]+$/.test(code)) return;
    if (call.args.length > 1) context.runText(code);
  },
  alias: (call, context) => {
    for (const arg of call.args) {
      const equals = arg.indexOf('=');
      if (equals > 0) context.runText(arg.slice(equals + 1));
      else if (hasHole(arg)) reportUnseen(context, 'dangerous', 'names a command that cannot be told');
    }
  },
};
