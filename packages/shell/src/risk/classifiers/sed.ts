import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { SED, withoutAttached } from '../rules/editors.ts';
import { hasHole } from '../syntax/fields.ts';
import { isStream } from './interpreter-calls.ts';

type Effect = 'reads' | 'writes' | 'runs' | 'unknown';

interface TouchedFile {
  readonly path: string;
  readonly written: boolean;
}

const { program: PROGRAM, inPlace: IN_PLACE } = SED;
const VALUED = new Set(wordsIn(`${PROGRAM} -l --line-length`));

/** Judges `sed`: it is safe if its scripts only print. The `e` command and flag run commands. */
export function classifySed(call: Call, context: Context): void {
  const { scripts, hasFile, inPlace } = readArguments(withoutAttached(call.args, SED));
  const touched: TouchedFile[] = [];
  const effects = scripts.map((script) => {
    const effect = effectOf(script.replace(/[\ue100\ue101]/g, 'x'), touched);
    return hasHole(script) && effect !== 'runs' ? 'unknown' : effect;
  });
  for (const { path, written } of touched) context.file(path, call, { written });
  if (hasFile || scripts.some(hasHole)) context.unseen('runs an unknown script');
  if (valuesOf(call.args, ['-f', '--file']).some(isStream))
    context.report('dangerous', 'runs a script that cannot be seen');
  if (effects.includes('runs')) context.report('dangerous', 'has sed run a command');
  else if (inPlace) context.report('caution', 'edits files in place');
  else if (hasFile) context.report('caution', 'runs a script');
  else if (effects.includes('writes')) context.report('caution', 'writes a file');
  else if (effects.includes('unknown')) context.report('caution', 'runs a script that cannot be vouched for');
  else context.report('safe', 'only prints');
}

function readArguments(args: readonly string[]): { scripts: string[]; hasFile: boolean; inPlace: boolean } {
  const inPlace = args.some((arg) => IN_PLACE.test(arg));
  const hasFile = valuesOf(args, ['-f', '--file']).length > 0;
  const scripts = valuesOf(args, ['-e', '--expression']);
  // BSD takes the suffix for `-i` as a word of its own, which is mostly empty. Without it, an empty script prints all.
  const [first] = new Arguments(args, VALUED).operands.filter((operand) => !inPlace || operand !== '');
  if (scripts.length === 0 && !hasFile && first !== undefined) return { scripts: [first], hasFile, inPlace };
  return { scripts: [scripts.join('\n')], hasFile, inPlace };
}

const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]]*\])*\/[IM]*|[+~]\d+)/y;
const WITHOUT_ARGUMENT = '=dDgGhHnNpPxzF}';

function effectOf(script: string, touched: TouchedFile[]): Effect {
  let worst: Effect = 'reads';
  for (let pos = 0; pos < script.length; ) {
    const at = afterAddresses(script, pos);
    if (at >= script.length) break;
    const { effect, end, file } = readSedCommand(script, at);
    if (file && !STREAMS.test(file)) touched.push({ path: file, written: effect === 'writes' });
    if (effect === 'runs' || effect === 'unknown') return effect;
    if (effect === 'writes') worst = effect;
    pos = end;
  }
  return worst;
}

const STREAMS = /^\/dev\/(stdin|stdout|stderr)$/;

interface SedCommand {
  readonly effect: Effect;
  readonly end: number;
  readonly file?: string | undefined;
}

function readSedCommand(script: string, at: number): SedCommand {
  const command = script[at] ?? '';
  const next = at + 1;
  if (command === 'e') return { effect: 'runs', end: next };
  if (WITHOUT_ARGUMENT.includes(command)) return { effect: 'reads', end: next };
  if (command === 's' || command === 'y') return readSubstitution(script, next, command);
  if ('wWrR'.includes(command)) {
    const end = lineEnd(script, next);
    return { effect: 'wW'.includes(command) ? 'writes' : 'reads', end, file: script.slice(next, end).trim() };
  }
  if ('#:'.includes(command)) return { effect: 'reads', end: lineEnd(script, next) };
  if ('aic'.includes(command)) return { effect: 'reads', end: textEnd(script, next) };
  if ('btTqQlLv'.includes(command)) return { effect: 'reads', end: labelEnd(script, next) };
  return { effect: 'unknown', end: next };
}

/** Longer sets are not looked for, so that a script of brackets costs no more than its length. */
const SET = /\[\^?\]?[^\]\n]{0,200}\]/y;
const FLAGS = /[gpiImMe0-9]*(w[^\n]*)?/y;

function readSubstitution(script: string, start: number, command: 's' | 'y'): SedCommand {
  const at = afterParts(script, start);
  if (at === -1) return { effect: 'unknown', end: start };
  if (command === 'y') return { effect: 'reads', end: at };
  FLAGS.lastIndex = at;
  const [flags = '', file] = FLAGS.exec(script) ?? [];
  const runs = flags.slice(0, flags.length - (file ?? '').length).includes('e');
  const effect = runs ? 'runs' : file ? 'writes' : 'reads';
  return { effect, end: at + flags.length, file: file?.slice(1).trim() };
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

/** Returns the position after a character, an escape or, in a pattern, a set, in which the delimiter means nothing. */
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
