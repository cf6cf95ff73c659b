import { holdsWord, letterTaking, wordsIn } from './arguments.ts';
import { WRAPPERS, type Wrapper } from './rules/wrappers.ts';
import { type BashCommand, fieldsOf, hasHole, type Pipeline, type Script } from './syntax/fields.ts';
import type { ParsedCommand } from './syntax/parse-bash.ts';

/** The command whose exit status is the status of the whole. */
export interface StatusCommand {
  /** The last part of its path, then its arguments. */
  readonly words: readonly string[];
  /** True if `!` inverts the status. */
  readonly negated: boolean;
  /** False when an earlier command may matter too, as `cd x` in `cd x && grep y` and `cat x` in `cat x | grep y`. */
  readonly certain: boolean;
}

/** Wrappers whose exit status is that of the command that they run. The rules for risks know the options of most. */
const TRANSPARENT = new Set(
  wordsIn(
    'env command exec builtin nohup setsid nice ionice time gtime timeout gtimeout stdbuf chrt taskset numactl setarch linux32 linux64 unbuffer caffeinate fakeroot dbus-run-session xvfb-run torsocks faketime busybox toybox sudo doas',
  ),
);
const MORE_OPTIONS: readonly Wrapper[] = [
  {
    verb: 'env',
    valued: '-u -C -a --unset --chdir --argv0',
    flags: '-i -v --ignore-environment --debug',
    asks: '-S --split-string',
  },
  {
    verb: 'xvfb-run',
    valued: '-e -f -n -p -s -w --error-file --auth-file --server-num --xauth-protocol --server-args --wait',
    flags: '-a -l --auto-servernum --listen-tcp',
  },
  { verb: 'sudo doas', valued: '-u -g -C -D -h -p -r -t -T --user --group', flags: '-n -E -H -S -k -P' },
];
const ENDS_EARLY = /\bset\s+(-\w*e|-o\s+(errexit|pipefail))|\bpipefail\b|\berrexit\b|\btrap\b|\bexit\b/;

/** Finds the command that decides the exit status of a text, or undefined if the text does not tell. */
export function statusCommand({ text, script }: ParsedCommand): StatusCommand | undefined {
  const found = script && ofScript(script);
  if (!found) return undefined;
  return ENDS_EARLY.test(text) && found.words[0] !== 'exit' ? { ...found, certain: false } : found;
}

function ofScript({ items }: Script): StatusCommand | undefined {
  const last = items.at(-1);
  if (!last || last.operator === '&') return undefined;
  const found = ofPipeline(last.pipeline);
  return found && items.at(-2)?.operator === '&&' ? { ...found, certain: false } : found;
}

function ofPipeline({ commands, negated }: Pipeline): StatusCommand | undefined {
  const last = commands.at(-1);
  const found = last && deciderOf(last);
  if (!found) return undefined;
  return { ...found, negated: found.negated !== negated, certain: found.certain && commands.length === 1 };
}

/** Finds the command that decides the exit status of one part of a pipeline, or undefined if the text does not tell. */
export function deciderOf(command: BashCommand): StatusCommand | undefined {
  if (command.kind === 'simple') {
    const words = command.words.flatMap((word) => fieldsOf(word, () => false));
    return ofWords(words);
  }
  const [script] = command.scripts;
  return script && (command.kind === 'group' || command.kind === 'subshell') ? ofScript(script) : undefined;
}

function ofWords(words: readonly string[]): StatusCommand | undefined {
  let rest = words;
  while (TRANSPARENT.has(baseName(rest[0] ?? ''))) {
    const inner = unwrap(rest);
    if (!inner) return undefined;
    rest = inner;
  }
  const [verb, ...args] = rest;
  if (verb === undefined || hasHole(verb)) return undefined;
  return { words: [baseName(verb), ...args], negated: false, certain: true };
}

function unwrap([verb = '', ...args]: readonly string[]): readonly string[] | undefined {
  const name = baseName(verb);
  const wrapper = [...MORE_OPTIONS, ...WRAPPERS].find((each) => each.sub === undefined && holdsWord(each.verb, name));
  const { valued, flags, skip = 0 }: Partial<Wrapper> = wrapper ?? {};
  const options = { valued: new Set(wordsIn(valued)), flags: new Set(wordsIn(flags)) };
  let at = 0;
  while (args[at]?.startsWith('-')) {
    const option = args[at] as string;
    const length = option === '--' ? 1 : lengthOfOption(option, options);
    if (length === undefined) return undefined;
    at += length;
    if (option === '--') break;
  }
  while (/^\w+=/.test(args[at] ?? '')) at++;
  return args.slice(at + skip);
}

/** Returns the number of words that an option takes, itself included, or undefined for an option that is not known. */
function lengthOfOption(
  option: string,
  { valued, flags }: Record<'valued' | 'flags', Set<string>>,
): number | undefined {
  const [name = ''] = option.split('=');
  if (valued.has(name)) return name === option ? 2 : 1;
  if (flags.has(name)) return 1;
  const taking = letterTaking(option, valued);
  const letters = taking === -1 ? option.slice(1) : option.slice(1, taking);
  if (option.startsWith('--') || ![...letters].every((letter) => flags.has(`-${letter}`))) return undefined;
  return taking === option.length - 1 ? 2 : 1;
}

function baseName(verb: string): string {
  return verb.slice(verb.lastIndexOf('/') + 1);
}
