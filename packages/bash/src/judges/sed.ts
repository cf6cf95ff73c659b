import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { hasHole } from '../fields.ts';

type Effect = 'reads' | 'writes' | 'runs' | 'unknown';

const VALUED = new Set(wordsIn('-e -f -l --expression --file --line-length'));
const IN_PLACE = /^(?:-[nErszu]*i|--in-place)/;

/** `sed`: safe when its scripts only print; the `e` command and flag run commands. */
export function judgeSed(call: Call, context: Context): void {
  const { scripts, hasFile, inPlace } = readArguments(call.args);
  const effects = scripts.map((script) => (hasHole(script) ? lookFor(script) : effectOf(script)));
  if (effects.includes('runs')) context.note('dangerous', 'has sed run a command');
  else if (inPlace) context.note('caution', 'edits files in place');
  else if (hasFile) context.note('caution', 'runs a script');
  else if (effects.includes('writes')) context.note('caution', 'writes a file');
  else if (effects.includes('unknown')) context.note('caution', 'runs a script that cannot be vouched for');
  else context.note('safe', 'only prints');
}

function readArguments(args: readonly string[]): { scripts: string[]; hasFile: boolean; inPlace: boolean } {
  const inPlace = args.some((arg) => IN_PLACE.test(arg));
  const hasFile = valuesOf(args, ['-f', '--file']).length > 0;
  const scripts = valuesOf(args, ['-e', '--expression']);
  // BSD takes the suffix for `-i` as a word of its own, which is mostly empty.
  const [first] = new Arguments(args, VALUED).operands.filter((operand) => operand !== '');
  if (scripts.length === 0 && !hasFile && first !== undefined) return { scripts: [first], hasFile, inPlace };
  return { scripts: [scripts.join('\n')], hasFile, inPlace };
}

/** The effect of a script of which a part cannot be told: what is seen may be bad enough. */
function lookFor(script: string): Effect {
  return effectOf(script.replace(/[\ue100\ue101]/g, 'x')) === 'runs' ? 'runs' : 'unknown';
}

const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]]*\])*\/[IM]*|[+~]\d+)/y;
const WITHOUT_ARGUMENT = '=dDgGhHnNpPxzF}';

function effectOf(script: string): Effect {
  let worst: Effect = 'reads';
  for (let pos = 0; pos < script.length; ) {
    const at = afterAddresses(script, pos);
    if (at >= script.length) break;
    const { effect, end } = readCommand(script, at);
    if (effect === 'runs' || effect === 'unknown') return effect;
    if (effect === 'writes') worst = effect;
    pos = end;
  }
  return worst;
}

/** Reads one command, without its addresses. */
function readCommand(script: string, at: number): { effect: Effect; end: number } {
  const command = script[at] ?? '';
  const next = at + 1;
  if (command === 'e') return { effect: 'runs', end: next };
  if (WITHOUT_ARGUMENT.includes(command)) return { effect: 'reads', end: next };
  if (command === 's' || command === 'y') return readSubstitution(script, next, command);
  if (command === 'w' || command === 'W') return { effect: 'writes', end: lineEnd(script, next) };
  if ('rR#:'.includes(command)) return { effect: 'reads', end: lineEnd(script, next) };
  if ('aic'.includes(command)) return { effect: 'reads', end: textEnd(script, next) };
  if ('btTqQlLv'.includes(command)) return { effect: 'reads', end: labelEnd(script, next) };
  return { effect: 'unknown', end: next };
}

/** Longer sets are not looked for, so that a script of brackets costs no more than its length. */
const SET = /\[\^?\]?[^\]\n]{0,200}\]/y;
const FLAGS = /[gpiImMe0-9]*(w[^\n]*)?/y;

function readSubstitution(script: string, start: number, command: 's' | 'y'): { effect: Effect; end: number } {
  const at = afterParts(script, start);
  if (at === -1) return { effect: 'unknown', end: start };
  if (command === 'y') return { effect: 'reads', end: at };
  FLAGS.lastIndex = at;
  const [flags = '', file] = FLAGS.exec(script) ?? [];
  const runs = flags.slice(0, flags.length - (file ?? '').length).includes('e');
  return { effect: runs ? 'runs' : file ? 'writes' : 'reads', end: at + flags.length };
}

function afterAddresses(script: string, start: number): number {
  let pos = start;
  for (;;) {
    while (/[\s;{},!]/.test(script[pos] ?? '')) pos++;
    ADDRESS.lastIndex = pos;
    const [address] = ADDRESS.exec(script) ?? [];
    if (!address) return pos;
    pos += address.length;
  }
}

/** Passes `/a/b/`, whatever stands for the slash; -1 when it does not end. */
function afterParts(script: string, start: number): number {
  const delimiter = script[start] ?? '';
  if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return -1;
  let pos = start + 1;
  for (let part = 0; part < 2; part++) {
    while (pos < script.length && script[pos] !== delimiter) pos = afterCharacter(script, pos, part === 0);
    if (pos >= script.length) return -1;
    pos++;
  }
  return pos;
}

/** Passes a character or an escape; in a pattern, a set in brackets, in which the delimiter stands for itself. */
function afterCharacter(script: string, pos: number, inPattern: boolean): number {
  if (script[pos] === '\\') return pos + 2;
  if (!inPattern || script[pos] !== '[') return pos + 1;
  SET.lastIndex = pos;
  return pos + (SET.exec(script)?.[0].length ?? 1);
}

function lineEnd(script: string, start: number): number {
  const end = script.indexOf('\n', start);
  return end === -1 ? script.length : end;
}

/** The end of the text of `a`, `i` and `c`: lines that end in a backslash go on. */
function textEnd(script: string, start: number): number {
  let end = lineEnd(script, start);
  while (end < script.length && script[end - 1] === '\\') end = lineEnd(script, end + 1);
  return end;
}

function labelEnd(script: string, start: number): number {
  let end = start;
  while (end < script.length && !'\n;}'.includes(script[end] ?? '')) end++;
  return end;
}
