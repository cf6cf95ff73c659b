import { Arguments, ByName, letterTaking, wordsIn } from '../arguments.ts';
import { type Call, type Context, reportUnseen, type Special } from '../context.ts';
import { HARMFUL_CODE, INTERPRETERS, type Interpreter } from '../rules/interpreters.ts';
import { HOLE, hasHole } from '../syntax/fields.ts';

/** Modules of Python that run code which they are given. */
const CODE_MODULES = /^(timeit|pdb|code|codeop|idlelib|bdb)$/;
/** The modules that take typed code, if they have no option. */
const TYPED_MODULES = /^(pdb|code)$/;
const PRINTING_MODULES = /^(json\.tool|site|sysconfig|tokenize|ast|dis|tabnanny)$/;
const PRINTING_OPTION =
  /^-(d|t|e|-(sort-keys|no-ensure-ascii|json-lines|indent(=\d+)?|tab|compact|no-indent|user-site|user-base))$/;
/** Modules that are programs of the same name. */
const PROGRAMS = new Set(wordsIn('pip pipx uv poetry twine tox nox conda'));
const ASKS = /^(-V+|-v|-h|--version|--help|-version|version)$/;
/** Jinn itself: its arguments may decide what it allows. */
const OWN_PROGRAM = /(^|\/)jinn(?:-mcp)?(\.[cm]?js)?$/i;
/** What follows the name of jinn where a word without an ending is the program, not a word for another one. */
const OWN_SUBCOMMAND = /^(tools|lsp|ui|install|uninstall)$/;
/** Arguments with which jinn records what the user allows. */
const TRUSTS = /^(tools|lsp) (trust|grants) /;
const WRITES =
  /write(?:File|_)|File\.write|put_contents|\bcopy\w*\s*\(|\bmove\s*\(|rename|symlink|chmod|["'](?:[wax]b?\+?|r\+)["']/i;
/** Libraries that make variables of a file. */
const LOADS_VARIABLES = /dotenv|environs|decouple|pydantic_settings|loadEnvFile/i;
const GIVEN = 'runs code that is given on the command line';

interface KnownInterpreter extends Interpreter {
  readonly codes: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly stops: ReadonlySet<string>;
}

/** Options that load what only computes. */
const MODULE_OPTION =
  /^-r(json|date|time|set|digest|securerandom|pp)$|^-M(strict|warnings|utf8|POSIX|List::Util|Time::HiRes|Data::Dumper|feature|bigint)(=[\w,]+)?$/;

function ownCallIn(args: readonly string[]): readonly string[] | undefined {
  const script = args.findIndex((arg) => !arg.startsWith('-'));
  const own = args.findIndex((arg, i) => {
    const found = OWN_PROGRAM.exec(arg);
    return found !== null && (found[2] !== undefined || i === script || OWN_SUBCOMMAND.test(args[i + 1] ?? ''));
  });
  if (own !== -1) return args.slice(own);
  // Behind a script of another name, or the directory of jinn.
  const trusts = args.findIndex((arg, i) => i > 0 && TRUSTS.test(`${arg} ${args[i + 1]} `));
  return trusts === -1 ? undefined : ['jinn', ...args.slice(trusts)];
}

function classifyInterpreter(known: KnownInterpreter, call: Call, context: Context): void {
  const own = ownCallIn(call.args);
  if (own) context.run(own, call);
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i] ?? '';
    if (classifyArgument(known, call, context, i)) return;
    const loads = known.values.has(arg) || (/^-[IMmrXW]./.test(arg) && !MODULE_OPTION.test(arg));
    if (loads || /^--(require|import|loader|env-file)/.test(arg))
      reportUnseen(context, 'caution', 'loads other code first');
    if (known.values.has(arg)) i++;
  }
  classifyInput(known, call, context);
}

/** Judges one argument. Returns true if it shows what is run, so that the others are arguments of that. */
function classifyArgument(known: KnownInterpreter, call: Call, context: Context, at: number): boolean {
  const arg = call.args[at] ?? '';
  const code = codeAt(known, call.args, at);
  if (code !== undefined) classifyCode(known, code.text, call, context);
  else if (known.stops.has(arg) || /^-m./.test(arg)) classifyModule(known, call, context, at);
  else if (arg === '-' || !arg.startsWith('-')) classifyScript(known, call, context, at);
  else {
    if (/^-[Mm].*[^\w:=,.'\s-]/.test(arg)) context.report('dangerous', GIVEN);
    return false;
  }
  return true;
}

function classifyModule(known: KnownInterpreter, call: Call, context: Context, at: number): void {
  const { args } = call;
  const arg = args[at] ?? '';
  if (ASKS.test(arg)) {
    context.report(args.length === 1 ? 'safe' : 'caution', 'only describes the interpreter');
    return;
  }
  if (!known.modules || !arg.startsWith('-m')) {
    reportUnseen(context, 'caution', 'runs code of the project');
    return;
  }
  const [module = '', ...rest] = arg === '-m' ? args.slice(at + 1) : [arg.slice(2), ...args.slice(at + 1)];
  if (call.isTyped && TYPED_MODULES.test(module) && !/^-/.test(rest[0] ?? ''))
    classifyCode(known, call.input, call, context);
  else if (CODE_MODULES.test(module)) context.report('dangerous', GIVEN);
  else if (PRINTING_MODULES.test(module) && onlyPrints(rest)) {
    context.report('safe', 'prints');
  } else if (PROGRAMS.has(module)) context.run([module, ...rest], call);
  else reportUnseen(context, 'caution', 'runs code of the project');
}

function onlyPrints(words: readonly string[]): boolean {
  const [file = '', ...others] = words.filter((word) => !PRINTING_OPTION.test(word));
  return others.length === 0 && !/^-./.test(file);
}

function classifyScript(known: KnownInterpreter, call: Call, context: Context, at: number): void {
  const script = call.args[at] ?? '';
  if (wordsIn(known.evaluates).includes(script)) classifyCode(known, call.args[at + 1], call, context);
  else if (script === '-' || script === '/dev/stdin') classifyInput(known, call, context);
  else if (isStream(script)) reportUnseen(context, 'dangerous', 'runs a script that cannot be seen');
  else reportUnseen(context, 'caution', 'runs a script');
}

/** Returns the code of the option at this position. `text` is undefined if the next word is missing. */
function codeAt(
  known: KnownInterpreter,
  args: readonly string[],
  at: number,
): { text: string | undefined } | undefined {
  const arg = args[at] ?? '';
  if (known.codes.has(arg) || known.codes.has(arg.toLowerCase())) return { text: args[at + 1] };
  const equals = arg.indexOf('=');
  if (arg.startsWith('--')) return known.codes.has(arg.slice(0, equals)) ? { text: arg.slice(equals + 1) } : undefined;
  if (!/^-[A-Za-z0-9]/.test(arg)) return undefined;
  const letter = letterTaking(arg, known.codes);
  if (letter === -1) return undefined;
  const value = letterTaking(arg, known.values);
  if (value !== -1 && value < letter) return undefined;
  return { text: letter === arg.length - 1 ? args[at + 1] : arg.slice(letter + 1) };
}

function classifyInput(known: KnownInterpreter, call: Call, context: Context): void {
  if (call.input !== undefined) classifyCode(known, call.input, call, context);
  else if (call.source !== undefined && !known.isShell && !isStream(call.source))
    reportUnseen(context, 'caution', 'runs a script');
  else reportUnseen(context, 'dangerous', 'is an interpreter that reads its program from standard input');
}

function classifyCode(
  { isShell, backquotes }: KnownInterpreter,
  code: string | undefined,
  call: Call,
  context: Context,
): void {
  if (code === undefined || hasHole(code)) context.unseen('runs unknown code');
  if (isShell || code === undefined || hasHole(code)) {
    context.report('dangerous', GIVEN);
    return;
  }
  context.report('caution', GIVEN);
  for (const rule of HARMFUL_CODE) {
    if ((backquotes || !rule.backquotes) && rule.pattern.test(code)) context.report('dangerous', rule.reason);
  }
  classifyNamedFiles(code, call, context);
  // `perl -n` opens its operands. One that starts or ends with a bar is a command.
  if (backquotes && call.args.some((arg) => arg !== code && /^\s*[|>+]|\|\s*$/.test(arg))) {
    context.report('dangerous', 'has perl run a command');
  }
}

function classifyNamedFiles(code: string, call: Call, context: Context): void {
  const writes = WRITES.test(code);
  for (const path of code.split(/["'`\n]/).filter((text) => /[/~]|^\.env/.test(text))) {
    if (!LOADS_VARIABLES.test(code)) context.file(path, call, { written: false });
    if (writes) context.file(path, call, { written: true });
  }
}

const BY_NAME = new ByName(INTERPRETERS);
const KNOWN = new Map<string, Special>();

/** Returns the judge of an interpreter, or undefined for any other program. */
export function findInterpreter(name: string): Special | undefined {
  const before = KNOWN.get(name);
  if (before) return before;
  const interpreter = BY_NAME.get(name).at(-1);
  if (!interpreter) return undefined;
  const known: KnownInterpreter = {
    ...interpreter,
    codes: new Set(wordsIn(interpreter.code)),
    values: new Set(wordsIn(interpreter.valued)),
    stops: new Set(wordsIn(interpreter.ends)),
  };
  const special: Special = (call, context) => classifyInterpreter(known, call, context);
  KNOWN.set(name, special);
  return special;
}

/** Why not all that a shell runs is in the text of its job. */
const TAKES_TYPED = 'is a shell that runs what is typed';
/** What changes the input of the shell itself. */
const READS_ELSEWHERE = /\bexec\b[^;&|\n]*</;
/** Matches text that an interactive shell replaces by a command of its history. */
const REPEATS = /(?<![$\\{])![^\s=("']|^\^/m;
const BASH_LIKE = 'sh bash dash ash ksh mksh rbash posh yash zsh ksh93 oksh';
const OTHERS = 'fish csh tcsh nu elvish xonsh rc es ion murex';
const VALUED = new Set(['-o', '-O', '--rcfile', '--init-file', '-C', '--init-command', '-d']);
const SHELL_ASKS = ['--version', '--help'];
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
    if (code === undefined) reportUnseen(context, 'dangerous', 'runs unknown code');
    else if (BASH_LIKE.split(' ').includes(call.name)) context.runText(code);
    else context.report('dangerous', 'runs code of another shell');
    return;
  }
  if (args.some((arg) => SHELL_ASKS.includes(arg))) {
    context.report('caution', 'only describes the shell');
    return;
  }
  if (given.has('--rcfile') || given.has('--init-file'))
    reportUnseen(context, 'dangerous', 'has the shell run a file at its start');
  const [script] = given.operands;
  if (script === undefined && call.source !== undefined && !call.isPiped && !isStream(call.source)) {
    reportUnseen(context, 'caution', 'runs a script');
    return;
  }
  const takesInput = script === undefined || given.has('-s');
  if (takesInput && call.isTyped) classifyTypedCommands(call, context);
  else if (takesInput) reportUnseen(context, 'dangerous', 'is a shell that reads its commands from standard input');
  else if (isStream(script)) reportUnseen(context, 'dangerous', 'runs a script that cannot be seen');
  else reportUnseen(context, 'caution', 'runs a script');
}

/** Judges commands that are typed for a shell. Each line counts by itself too: a program may have read those before it. */
function classifyTypedCommands({ name, input = '' }: Call, context: Context): void {
  reportUnseen(context, 'caution', TAKES_TYPED);
  if (input.trim() === '') return;
  if (!BASH_LIKE.split(' ').includes(name)) context.report('dangerous', 'runs code of another shell');
  if (READS_ELSEWHERE.test(input)) context.report('dangerous', 'runs commands that cannot be seen');
  if (REPEATS.test(input)) context.report('dangerous', 'repeats a command of the history');
  for (const text of new Set([input, ...input.split('\n')])) context.runText(text);
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
      else if (hasHole(arg)) reportUnseen(context, 'dangerous', 'names an unknown command');
    }
  },
};
