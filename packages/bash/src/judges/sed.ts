import type { Call, Context } from '../context.ts';
import { hasHole } from '../fields.ts';

type Effect = 'reads' | 'writes' | 'runs' | 'unknown';

const SCRIPT_OPTION = /^(?:-[nErszu]*e|--expression=?)/;
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
  const scripts: string[] = [];
  const operands: string[] = [];
  let hasFile = false;
  let inPlace = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const option = SCRIPT_OPTION.exec(arg)?.[0];
    if (option !== undefined) scripts.push(arg.slice(option.length) || (args[++i] ?? ''));
    else if (IN_PLACE.test(arg)) {
      inPlace = true;
      if (args[i + 1] === '') i++; // BSD: the suffix is a word of its own.
    } else if (/^(-[nErszu]*f|--file)/.test(arg)) hasFile = true;
    else if (arg === '-l' || arg === '--line-length') i++;
    else if (!arg.startsWith('-')) operands.push(arg);
  }
  const [first] = operands;
  if (scripts.length === 0 && !hasFile && first !== undefined) scripts.push(first);
  return { scripts: scripts.length > 1 ? [scripts.join('\n')] : scripts, hasFile, inPlace };
}

/** The effect of a script of which a part cannot be told: what is seen may be bad enough. */
function lookFor(script: string): Effect {
  return effectOf(script.replace(/[\0\u0001]/g, 'x')) === 'runs' ? 'runs' : 'unknown';
}

const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]]*\])*\/[IM]*|[+~]\d+)/y;
const WITHOUT_ARGUMENT = '=dDgGhHnNpPxzF}';

function effectOf(script: string): Effect {
  let worst: Effect = 'reads';
  let pos = 0;
  while (pos < script.length) {
    pos = afterAddresses(script, pos);
    const command = script[pos++];
    if (command === undefined) break;
    if (command === 'e') return 'runs';
    if (WITHOUT_ARGUMENT.includes(command) || /[\s;{!,]/.test(command)) continue;
    if (command === 's' || command === 'y') {
      const end = afterParts(script, pos);
      if (end === -1) return 'unknown';
      const flags = /^[gpiImMe0-9]*(w[^\n]*)?/.exec(script.slice(end, end + 200)) ?? [''];
      if (command === 's' && /^[^w]*e/.test(flags[0])) return 'runs';
      if (flags[1]) worst = 'writes';
      pos = end + flags[0].length;
    } else if (/[wW]/.test(command)) {
      worst = 'writes';
      pos = lineEnd(script, pos);
    } else if (/[rR#:]/.test(command)) pos = lineEnd(script, pos);
    else if (/[aic]/.test(command)) pos = textEnd(script, pos);
    else if (/[btTqQlLv]/.test(command)) pos = labelEnd(script, pos);
    else return 'unknown';
  }
  return worst;
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
    while (pos < script.length && script[pos] !== delimiter) pos += script[pos] === '\\' ? 2 : 1;
    if (pos >= script.length) return -1;
    pos++;
  }
  return pos;
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
