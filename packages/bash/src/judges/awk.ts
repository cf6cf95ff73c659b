import type { Call, Context } from '../context.ts';
import { hasHole } from '../fields.ts';
import { isStream } from './shells.ts';

const VALUED = new Set(['-F', '-v', '--field-separator', '--assign', '-i', '--include']);
const PROGRAM = new Set(['-e', '--source']);
const FILE = new Set(['-f', '-E', '--file', '--exec']);
const LIBRARY = new Set(['-l', '--load']);

/** `awk`: its program is looked through for what runs commands. */
export function judgeAwk({ args }: Call, context: Context): void {
  const programs: string[] = [];
  let fromFile = false;
  let i = 0;
  for (; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') {
      i++;
      break;
    }
    if (!arg.startsWith('-') || arg === '-') break;
    if (PROGRAM.has(arg)) programs.push(args[++i] ?? '');
    else if (arg.startsWith('--source=')) programs.push(arg.slice('--source='.length));
    else if (FILE.has(arg) || /^(-f.|--file=)/.test(arg)) {
      fromFile = true;
      const file = /^(-f|--file=)(.+)$/.exec(arg)?.[2] ?? args[++i] ?? '';
      if (isStream(file)) context.note('dangerous', 'runs a script that cannot be seen');
    } else if (LIBRARY.has(arg) || /^(-l.|--load=)/.test(arg)) context.note('dangerous', 'loads code');
    else if (VALUED.has(arg)) i++;
  }
  const [program] = args.slice(i);
  if (programs.length === 0 && !fromFile && program !== undefined) programs.push(program);
  if (programs.some(runsCommands)) context.note('dangerous', 'has awk run a command');
  else if (programs.some(hasHole)) context.note('caution', 'runs a script that cannot be told');
  else context.note('caution', fromFile ? 'runs a script' : 'computes and prints');
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
