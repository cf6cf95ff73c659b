import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import { type Call, type Context, reportUnseen } from '../context.ts';
import { AWK } from '../rules/editors.ts';
import { hasHole } from '../syntax/fields.ts';
import { isStream } from './interpreter-calls.ts';

const VALUED = new Set(wordsIn(`${AWK.program} ${AWK.valued}`));
/** The file that gawk names for changing its input files in place. */
const IN_PLACE = 'inplace';
/** A `>` in the same statement as a `print`: a redirection, or a comparison in parentheses. */
const WRITES = /\bprintf?\b[^;}\n]*>/;
/** `system`, a pipe, or a function whose name is computed. */
const RUNS = /\bsystem\b|@|\|/;
/** Words after which a slash starts a regular expression. */
const BEFORE_REGEX = /(?:^|[^\w.])(?:print|printf|return|else|do|in|case|getline|exit|delete)$/;
/** What reads other files than those that the call names. */
const READS = /\bgetline\b|\bARGV\b/;
/** The same from a file whose name is more than one text. */
const READS_UNKNOWN =
  /\bARGV\s*\[[^\]]*\]\s*=(?!=)|\bsplit\s*\([^)]*\bARGV\b|\bgetline\b[^<;}\n]*<(?!\s*"\s*(?:[;)}\n>=!&|]|$))/;
const DISCARDED = /^\/dev\/(stdout|stderr|null|tty)$/;

/** Judges `awk` by what its program runs, writes and reads. */
export function classifyAwk(call: Call, context: Context): void {
  const { args } = call;
  const programs = valuesOf(args, ['-e', '--source']);
  const files = valuesOf(args, ['-f', '-E', '--file', '--exec']);
  const [program] = new Arguments(args, VALUED).operands;
  if (programs.length === 0 && files.length === 0 && program !== undefined) programs.push(program);
  const included = valuesOf(args, ['-i', '--include']);
  if (valuesOf(args, ['-l', '--load']).length > 0) context.report('dangerous', 'loads code');
  if (files.some(isStream)) reportUnseen(context, 'dangerous', 'runs a script that cannot be seen');
  if (included.includes(IN_PLACE)) context.report('caution', 'edits files in place');
  if (files.length > 0 || included.some((name) => name !== IN_PLACE)) reportUnseen(context, 'caution', 'runs a script');
  if (programs.some(hasHole)) reportUnseen(context, 'caution', 'runs an unknown script');
  context.report('safe', 'computes and prints');
  for (const text of programs) classifyCode(text, call, context);
}

function classifyCode(program: string, call: Call, context: Context): void {
  const { code, texts, ambiguous } = separate(program.replaceAll('\\\n', ' '));
  if (RUNS.test((ambiguous ? program : code).replaceAll('||', '  ')))
    context.report('dangerous', 'has awk run a command');
  // A name may be put together of a variable and a text, as in `sys"tem"("…")`.
  if (/"\s*\(/.test(code)) context.report('caution', 'may call a function whose name is computed');
  const values = valuesOf(call.args, ['-v', '--assign']).map((value) => value.slice(value.indexOf('=') + 1));
  const read = [...texts, ...values];
  const names = read.filter((text) => /[/~]/.test(text));
  if (WRITES.test(code)) {
    if (!texts.some((text) => DISCARDED.test(text))) context.report('caution', 'may write a file');
    for (const path of names) context.file(path, call, { written: true });
  }
  if (READS_UNKNOWN.test(code)) context.report('caution', 'may read another file');
  if (READS.test(code)) for (const path of read) context.file(path, call, { written: false });
}

/**
 * Separates the strings of a program from its code, which is left without them, regular expressions and comments. It is
 * ambiguous if a slash may start a regular expression or divide, so that quotes after it cannot be known.
 */
function separate(program: string): { code: string; texts: readonly string[]; ambiguous: boolean } {
  const texts: string[] = [];
  let code = '';
  let ambiguous = false;
  for (let pos = 0; pos < program.length; ) {
    const char = program[pos] ?? '';
    const last = code.slice(-12).trimEnd();
    if (char === '/' && last.endsWith(')')) ambiguous = true;
    if (char === '"' || (char === '/' && startsRegex(last))) {
      const end = afterText(program, pos, char);
      if (char === '"') texts.push(program.slice(pos + 1, end - 1));
      pos = end;
      code += ' " ';
    } else if (char === '#') {
      const end = program.indexOf('\n', pos);
      pos = end === -1 ? program.length : end;
    } else {
      code += char;
      pos++;
    }
  }
  return { code, texts, ambiguous };
}

/** Reports whether a slash after `before` starts a regular expression, as it does where no operand is before it. */
function startsRegex(before: string): boolean {
  return before === '' || '(,~!&|{};\n=<>?:+-*%^'.includes(before.at(-1) ?? '') || BEFORE_REGEX.test(before);
}

function afterText(program: string, start: number, closing: string): number {
  let pos = start + 1;
  let inBrackets = false;
  for (; pos < program.length; pos++) {
    const char = program[pos];
    if (char === '\\') pos++;
    else if (char === '\n') return pos;
    else if (closing === '/' && char === '[') inBrackets = true;
    else if (char === ']') inBrackets = false;
    else if (char === closing && !inBrackets) return pos + 1;
  }
  return pos;
}
