import { ByName, letterTaking, wordsIn } from '../arguments.ts';
import { type Call, type Context, reportUnseen } from '../context.ts';
import { WRAPPERS, type Wrapper } from '../rules/wrappers.ts';
import { HOLE } from '../syntax/fields.ts';
import { beginsWith } from '../tables.ts';

interface KnownWrapper extends Wrapper {
  readonly subs: readonly (readonly string[])[];
  readonly values: ReadonlySet<string>;
  readonly plain: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
  readonly programs: ReadonlySet<string>;
  readonly asking: ReadonlySet<string>;
}

const RUNS_COMMANDS = /^g?(env|xargs|find)$|^fd(find)?$/;
const BY_NAME = new ByName<Wrapper>(WRAPPERS);
/** The wrappers in use. Each is prepared when a command first needs it, since a command needs few of them. */
const KNOWN = new Map<Wrapper, KnownWrapper>();

function knownOf(wrapper: Wrapper): KnownWrapper {
  const before = KNOWN.get(wrapper);
  if (before) return before;
  const codes = wordsIn(wrapper.code);
  const programs = wordsIn(wrapper.program);
  const known: KnownWrapper = {
    ...wrapper,
    subs: (wrapper.sub?.split('|').map(wordsIn) ?? [[]]).toSorted((a, b) => b.length - a.length),
    values: new Set([...wordsIn(wrapper.valued), ...codes, ...programs]),
    plain: new Set(wordsIn(wrapper.flags)),
    codes: new Set(codes),
    programs: new Set(programs),
    asking: new Set(wordsIn(wrapper.asks)),
  };
  KNOWN.set(wrapper, known);
  return known;
}

export function isWrapper(name: string): boolean {
  return BY_NAME.has(name);
}

/** Reports whether a call runs another command, which is judged by itself. */
export function runsAnother({ name, args }: Call): boolean {
  if (RUNS_COMMANDS.test(name)) return true;
  return BY_NAME.get(name).some(
    (wrapper) => wrapper.loose || (readWrapper(knownOf(wrapper), args)?.command.length ?? 0) > 0,
  );
}

/** Judges the command that a wrapper runs, if this call runs one. Returns true if nothing else decides on what runs. */
export function classifyWrapper(call: Call, context: Context): boolean {
  for (const wrapper of BY_NAME.get(call.name).map(knownOf)) {
    if (wrapper.loose) {
      context.report(wrapper.risk ?? 'caution', wrapper.reason ?? '');
      classifyLoosely(call, context);
      continue;
    }
    const read = readWrapper(wrapper, call.args);
    if (!read) continue;
    if (wrapper.risk) context.report(wrapper.risk, wrapper.reason ?? '');
    if (read.unsure > 0) context.report('caution', 'has an option that is not known to be harmless');
    if (!read.asks) classifyInner(wrapper, read, call, context);
    else context.report('safe', 'only asks');
    return read.unsure === 0 && !wrapper.risk;
  }
  return false;
}

function classifyLoosely({ args }: Call, context: Context): void {
  for (const word of args) {
    context.runIfDangerous(word);
    if (/\s/.test(word)) for (const part of word.split(/[\s;&|]+/)) context.runIfDangerous(part);
  }
}

interface OptionsRead {
  readonly codes: string[];
  program: string | undefined;
  asks: boolean;
  /** The number of options that are not known, each of which may take the next word. */
  unsure: number;
}

interface WrapperCall extends Readonly<OptionsRead> {
  /** The command that the wrapper runs. */
  readonly command: string[];
}

function readWrapper(wrapper: KnownWrapper, args: readonly string[]): WrapperCall | undefined {
  const read: OptionsRead = { codes: [], program: undefined, asks: false, unsure: 0 };
  const before: string[] = [];
  const skip = wrapper.skip ?? 0;
  let wanted = wrapper.subs.length === 1 ? (wrapper.subs[0]?.length ?? 0) : undefined;
  let i = 0;
  for (; i < args.length && args[i] !== '--'; i++) {
    const arg = args[i] ?? '';
    if (arg === '-' || !arg.startsWith('-')) {
      wanted ??= wrapper.subs.find((sub) => beginsWith(args.slice(i), sub))?.length ?? 0;
      if (before.length >= wanted + skip) break;
      before.push(arg);
      continue;
    }
    const taken = readOption(wrapper, args, i);
    addOption(wrapper, taken, read);
    if (taken.twoWords) i++;
  }
  if (args[i] === '--') i++;
  if (!wrapper.subs.some((sub) => beginsWith(before, sub))) return undefined;
  const missing = Math.max(0, (wanted ?? 0) + skip - before.length);
  return { ...read, command: args.slice(i + missing) };
}

function addOption(wrapper: KnownWrapper, { option, value, known }: ParsedOption, read: OptionsRead): void {
  if (wrapper.asking.has(option)) read.asks = true;
  if (wrapper.codes.has(option)) read.codes.push(value ?? HOLE);
  if (wrapper.programs.has(option)) read.program = value ?? HOLE;
  if (!known) read.unsure++;
}

interface ParsedOption {
  readonly option: string;
  readonly value: string | undefined;
  readonly twoWords: boolean;
  readonly known: boolean;
}

function readOption(wrapper: KnownWrapper, args: readonly string[], at: number): ParsedOption {
  const arg = args[at] ?? '';
  const next = args[at + 1];
  if (wrapper.values.has(arg)) return { option: arg, value: next, twoWords: true, known: true };
  const equals = arg.indexOf('=');
  if (arg.startsWith('--') && equals !== -1) {
    const option = arg.slice(0, equals);
    const known = wrapper.values.has(option) || wrapper.plain.has(option) || wrapper.asking.has(option);
    return { option, value: arg.slice(equals + 1), twoWords: false, known };
  }
  if (wrapper.plain.has(arg) || wrapper.asking.has(arg))
    return { option: arg, value: undefined, twoWords: false, known: true };
  if (arg.startsWith('--')) return { option: arg, value: undefined, twoWords: false, known: false };
  const letter = letterTaking(arg, wrapper.values);
  if (letter !== -1) {
    const isLast = letter === arg.length - 1;
    return { option: `-${arg[letter]}`, value: isLast ? next : arg.slice(letter + 1), twoWords: isLast, known: true };
  }
  const known = [...arg.slice(1, 12)].every((flag) => wrapper.plain.has(`-${flag}`));
  return { option: arg, value: undefined, twoWords: false, known };
}

function classifyInner(wrapper: KnownWrapper, read: WrapperCall, call: Call, context: Context): void {
  for (const code of read.codes) context.runText(code);
  const command = read.program === undefined ? read.command : [read.program, ...read.command];
  if (wrapper.texts) for (const text of command) context.runText(text);
  else if (command.length === 0) classifyAlone(wrapper, read, call, context);
  else if (call.name === 'parallel') classifyParallel(command, call, context);
  else if (wrapper.joins) context.runText(joined(command));
  else {
    context.run(command, call);
    // Unknown options may have taken its first words, so that a later word may be the program.
    for (const word of command.slice(1, Math.min(read.unsure, 3) + 1)) context.runIfDangerous(word);
  }
}

function classifyAlone(wrapper: KnownWrapper, read: WrapperCall, call: Call, context: Context): void {
  if (read.codes.length > 0) return;
  if (wrapper.alone) reportUnseen(context, wrapper.alone, 'runs the commands that it reads');
  else if (wrapper.joins && wrapper.skip && call.fed)
    reportUnseen(context, 'dangerous', 'hands what it reads to a shell');
}

function classifyParallel(command: string[], { listed = [] }: Call, context: Context): void {
  const colons = command.findIndex((word) => /^:::/.test(word));
  const own = colons === -1 ? command : command.slice(0, colons);
  for (const found of own.length > 0 ? [HOLE, ...listed] : []) {
    context.runText(joined([...own.map((word) => word.replaceAll(/\{[^{}]*\}/g, found)), found]));
  }
  if (own.length === 0) for (const text of command.slice(1)) context.runText(text);
}

/** Joins words to a text for a shell. A hole becomes a variable that no one sets. */
function joined(words: readonly string[]): string {
  return words.join(' ').replace(/[\ue100\ue101]/g, '$_');
}
