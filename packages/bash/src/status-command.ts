import { fieldsOf, hasHole } from './fields.ts';
import { parse } from './parser.ts';
import type { Command, Pipeline, Script } from './tree.ts';

/** The command whose exit status is the status of the whole. */
export interface StatusCommand {
  /** The last part of its path, then its arguments. */
  readonly words: readonly string[];
  /** True if `!` inverts the status. */
  readonly negated: boolean;
  /** False when an earlier command may have ended the whole instead, as `cd x` in `cd x && grep y`. */
  readonly certain: boolean;
}

const TRANSPARENT = new Set(['env', 'command', 'exec', 'nohup', 'nice', 'time', 'stdbuf', 'setsid', 'builtin']);
const ENDS_EARLY = /\bset\s+(-\w*e|-o\s+(errexit|pipefail))|\bpipefail\b|\berrexit\b|\btrap\b|\bexit\b/;

/** Finds the command that decides the exit status of a text; undefined if the text does not tell. */
export function statusCommand(text: string): StatusCommand | undefined {
  const { script } = parse(text);
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
  const found = last && ofCommand(last);
  return found && negated ? { ...found, negated: !found.negated } : found;
}

function ofCommand(command: Command): StatusCommand | undefined {
  if (command.kind === 'simple') {
    const words = command.words.flatMap((word) => fieldsOf(word, () => false));
    return ofWords(words);
  }
  const [script] = command.scripts;
  return script && (command.kind === 'group' || command.kind === 'subshell') ? ofScript(script) : undefined;
}

/** Skips wrappers without options, whose exit status is that of the command that they run. */
function ofWords(words: readonly string[]): StatusCommand | undefined {
  let at = 0;
  for (; at < words.length - 1; at++) {
    const name = baseName(words[at] ?? '');
    const isAssignment = at > 0 && /^\w+=/.test(words[at] ?? '');
    if (!TRANSPARENT.has(name) && !isAssignment) break;
  }
  const [verb, ...args] = words.slice(at);
  if (verb === undefined || hasHole(verb) || verb.startsWith('-')) return undefined;
  return { words: [baseName(verb), ...args], negated: false, certain: true };
}

function baseName(verb: string): string {
  return verb.slice(verb.lastIndexOf('/') + 1);
}
