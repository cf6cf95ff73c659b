import { letterTaking, wordsIn } from '../arguments.ts';
import { ByName } from '../by-name.ts';
import type { Call, Context, Special } from '../context.ts';
import { hasHole } from '../fields.ts';
import { HARMLESS_NAMES, INTERPRETERS, type Interpreter } from '../rules/interpreters.ts';
import { isStream } from './shells.ts';

/** Modules of Python that run code which they are given. */
const CODE_MODULES = /^(timeit|pdb|code|codeop|idlelib|bdb)$/;
/** Longer code is not looked through. */
const MAX_CODE = 2_000;
const GIVEN = 'runs code that is given on the command line';

interface Known extends Interpreter {
  readonly codes: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly stops: ReadonlySet<string>;
}

function judge(known: Known, call: Call, context: Context): void {
  for (let i = 0; i < call.args.length; i++) {
    if (judgeArgument(known, call, context, i)) return;
    if (known.values.has(call.args[i] ?? '')) i++;
  }
  judgeInput(known, call, context);
}

/** Judges one argument; true when it tells what is run, so that the others are arguments of that. */
function judgeArgument(known: Known, call: Call, context: Context, at: number): boolean {
  const arg = call.args[at] ?? '';
  const code = codeAt(known, call.args, at);
  if (code !== undefined) judgeCode(known, code.text, context);
  else if (known.stops.has(arg) || /^-m./.test(arg)) judgeModule(known, call, context, at);
  else if (arg === '-' || !arg.startsWith('-')) judgeScript(known, call, context, at);
  else {
    if (/^-[Mm].*[^\w:=,.'\s-]/.test(arg)) context.note('dangerous', GIVEN);
    return false;
  }
  return true;
}

function judgeModule({ language }: Known, { args }: Call, context: Context, at: number): void {
  const arg = args[at] ?? '';
  const module = arg === '-m' ? args[at + 1] : arg.slice(2);
  const runsCode = language === 'python' && arg.startsWith('-m') && CODE_MODULES.test(module ?? '');
  context.note(runsCode ? 'dangerous' : 'caution', runsCode ? GIVEN : 'runs code of the project');
}

function judgeScript(known: Known, call: Call, context: Context, at: number): void {
  const script = call.args[at] ?? '';
  if (wordsIn(known.evaluates).includes(script)) judgeCode(known, call.args[at + 1], context);
  else if (script === '-' || script === '/dev/stdin') judgeInput(known, call, context);
  else if (isStream(script)) context.note('dangerous', 'runs a script that cannot be seen');
  else context.note('caution', 'runs a script');
}

/** The code that the option at this place brings; `text` is undefined when the next word is missing. */
function codeAt(known: Known, args: readonly string[], at: number): { text: string | undefined } | undefined {
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

function judgeInput(known: Known, call: Call, context: Context): void {
  if (call.input !== undefined) judgeCode(known, call.input, context);
  else context.note('dangerous', 'is an interpreter that reads its program from standard input');
}

function judgeCode({ language }: Known, code: string | undefined, context: Context): void {
  const isHarmless =
    code !== undefined &&
    language !== undefined &&
    !hasHole(code) &&
    code.length <= MAX_CODE &&
    (language === 'perl' ? isHarmlessPerl(code) : isHarmlessCode(language, code));
  if (isHarmless) context.note('caution', 'computes and prints');
  else context.note('dangerous', GIVEN);
}

const PERL_SUBSTITUTION =
  /^\s*(?:s|tr|y)([/|#,!])(?:(?!\1)[^\\@$`({]|\\.|\$(?=\1|\||\)|$)|\((?!\?\??\{)|\{(?=[\d,]+\})|\$\d)*\1(?:(?!\1)[^\\@$`]|\\.|\$[\d&])*\1[gimsxcdr]*\s*;?\s*$/;
const PERL_PRINT =
  /^\s*print\s+(?:if|unless)\s+(?:\/(?:[^/\\@$`({]|\\.|\$(?=\/|\||\)))*\/i?|\$\.\s*[<>=]=?\s*\d+)\s*;?\s*$/;

function isHarmlessPerl(code: string): boolean {
  return PERL_SUBSTITUTION.test(code) || PERL_PRINT.test(code);
}

const PLAIN_STRING = /"(?:[^"\\\n]|\\["'\\nt])*"|'(?:[^'\\\n]|\\["'\\nt])*'/g;
const JSON_FILE = /\brequire\((['"])\.{1,2}\/[\w./-]+\.json\1\)/g;
const READ_FILE = /\brequire\((['"])(?:node:)?fs\1\)\.readFileSync\((?=['"])/g;

/** True when every name in the code is one that only computes and prints. */
function isHarmlessCode(language: 'python' | 'javascript', code: string): boolean {
  if (!/^[\x20-\x7e\n\t]*$/.test(code) || /\/\.|\.env|\.git|id_|\/etc|\/proc|\/dev|shadow/.test(code)) return false;
  if (language === 'python' && /(\w['"]|'''|""")/.test(code.replace(PLAIN_STRING, '""').replace(/""/g, ' ')))
    return false;
  if (language === 'python' && /\b[A-Za-z]{1,3}['"]/.test(code) && /\b(f|rf|fr|b|br|rb|r|u)['"]/i.test(code))
    return false;
  const bare = code
    .replace(JSON_FILE, ' data ')
    .replace(READ_FILE, 'data(')
    .replace(PLAIN_STRING, '""')
    .replace(/\bopen\(\s*""(?:,\s*encoding\s*=\s*"")?\s*\)/g, ' data ')
    .replace(/\b\d[\w.]*/g, ' ');
  if (/['\\#`@]/.test(bare)) return false;
  if (language === 'javascript' && /[\w)\]"]\s*\[(?!\s*\])|\/\/|\/\*|=>\s*\{|\bfunction\b/.test(bare)) return false;
  const harmless = NAMES[language];
  return (bare.match(/[A-Za-z_$][\w$]*/g) ?? []).every((name) => /^[A-Za-z]$/.test(name) || harmless.has(name));
}

const NAMES = {
  python: new Set(wordsIn(HARMLESS_NAMES.python)),
  javascript: new Set(wordsIn(HARMLESS_NAMES.javascript)),
};

const BY_NAME = new ByName(INTERPRETERS);
const KNOWN = new Map<string, Special>();

/** What judges the calls of an interpreter; undefined for any other program. */
export function interpreterOf(name: string): Special | undefined {
  const before = KNOWN.get(name);
  if (before) return before;
  const interpreter = BY_NAME.get(name).at(-1);
  if (!interpreter) return undefined;
  const known: Known = {
    ...interpreter,
    codes: new Set(wordsIn(interpreter.code)),
    values: new Set(wordsIn(interpreter.valued)),
    stops: new Set(wordsIn(interpreter.ends)),
  };
  const special: Special = (call, context) => judge(known, call, context);
  KNOWN.set(name, special);
  return special;
}
