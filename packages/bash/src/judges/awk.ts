import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { hasHole } from '../fields.ts';
import { isStream } from './shells.ts';

const VALUED = new Set(
  wordsIn('-F -v -i -f -E -e -l --field-separator --assign --include --file --exec --source --load'),
);

/** `awk`: its program is looked through for what runs commands. */
export function judgeAwk({ args }: Call, context: Context): void {
  const programs = valuesOf(args, ['-e', '--source']);
  const files = valuesOf(args, ['-f', '-E', '--file', '--exec']);
  const [program] = new Arguments(args, VALUED).operands;
  if (programs.length === 0 && files.length === 0 && program !== undefined) programs.push(program);
  if (valuesOf(args, ['-l', '--load']).length > 0) context.note('dangerous', 'loads code');
  if (files.some(isStream)) context.note('dangerous', 'runs a script that cannot be seen');
  if (programs.some(runsCommands)) context.note('dangerous', 'has awk run a command');
  context.note('caution', files.length > 0 || programs.some(hasHole) ? 'runs a script' : 'computes and prints');
}

/** True when a program calls `system`, reads from or writes to a command, or calls functions by a name that it computes. */
function runsCommands(program: string): boolean {
  const code = withoutTexts(program);
  return /\bsystem\b|@|\|/.test(code.replaceAll('||', '  '));
}

/** The program without its strings, regular expressions and comments. */
function withoutTexts(program: string): string {
  const kept: string[] = [];
  let before = '';
  for (let pos = 0; pos < program.length; ) {
    const char = program[pos] ?? '';
    if (char === '"' || (char === '/' && startsRegex(before))) {
      pos = afterText(program, pos, char);
      before = '"';
      kept.push(' " ');
      continue;
    }
    if (char === '#') {
      const end = program.indexOf('\n', pos);
      pos = end === -1 ? program.length : end;
      continue;
    }
    kept.push(char);
    if (!/[ \t]/.test(char)) before = char;
    pos++;
  }
  return kept.join('');
}

/** A slash begins a regular expression where no operand stands before it. */
function startsRegex(before: string): boolean {
  return before === '' || '(,~!&|{};\n'.includes(before);
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
