import { nearestName } from '@jinn/core';

const OPTIONS = {
  root: { type: 'string', short: 'r' },
  output: { type: 'string', short: 'o' },
  'list-only': { type: 'boolean', short: 'l' },
  'list-token': { type: 'boolean', short: 'L' },
  size: { type: 'boolean', short: 'S' },
  'size-limit-mb': { type: 'string', short: 's' },
  overrides: { type: 'string' },
  not: { type: 'string', multiple: true },
  'not-in': { type: 'string', multiple: true },
  'not-files': { type: 'string', multiple: true },
  'keep-only': { type: 'string', multiple: true },
  format: { type: 'string' },
  tree: { type: 'boolean' },
  summary: { type: 'boolean' },
  tokens: { type: 'string' },
  'max-tokens': { type: 'string' },
  'line-numbers': { type: 'boolean' },
  changed: { type: 'string' },
  diff: { type: 'boolean' },
  stdin: { type: 'boolean' },
  'debug-explain': { type: 'boolean' },
  'no-copy': { type: 'boolean' },
  usage: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const FORMATS = ['fences', 'xml', 'markdown', 'json'] as const;
/** Below so many tokens, nothing but the frame of a document would fit. */
const MIN_TOKENS = 100;
const TAKES_VALUE = Object.entries(OPTIONS).filter(([, { type }]) => type === 'string');

/** What a document has and a list has not. */
const OF_DOCUMENTS = ['line-numbers', 'tree', 'summary', 'max-tokens', 'diff'] as const;

/** What the command line asks for; a message of it is for the user. */
export class FlagError extends Error {}

export interface Flags {
  /** As they were written; none when nothing was named. */
  readonly paths: readonly string[];
  readonly do: 'dump' | 'list' | 'tokens' | 'usage' | 'version' | 'help';
  readonly root: string | undefined;
  readonly output: string | undefined;
  readonly sizes: boolean;
  readonly sizeLimitMb: number | undefined;
  readonly overrides: string | undefined;
  readonly not: readonly string[];
  readonly notIn: readonly string[];
  readonly notFiles: readonly string[];
  readonly keepOnly: readonly string[];
  readonly format: (typeof FORMATS)[number];
  readonly tree: boolean;
  readonly summary: boolean;
  readonly exactTokens: boolean;
  readonly maxTokens: number | undefined;
  readonly lineNumbers: boolean;
  /** The commit since which files must have changed. */
  readonly changed: string | undefined;
  readonly diff: boolean;
  readonly stdin: boolean;
  readonly debugExplain: boolean;
  readonly copies: boolean;
  /** Names of flags that change nothing here. */
  readonly idle: readonly string[];
}

/** Reads the arguments after the program's name. `exists` tells a path from the REF of --changed. */
export function parseFlags(argv: readonly string[], exists: (path: string) => boolean): Flags {
  const { values, positionals } = parse(argv.flatMap(expandPrefix), exists);
  if (values['list-only'] && values['list-token']) throw new FlagError('--list-token does not go with --list-only');
  if (values.size && !values['list-only']) throw new FlagError('--size goes with --list-only');
  return {
    paths: positionals,
    do: taskOf(values),
    root: values.root,
    output: values.output === '-' ? undefined : values.output,
    sizes: values.size ?? false,
    sizeLimitMb: toCount('--size-limit-mb', values['size-limit-mb']),
    overrides: values.overrides,
    not: values.not ?? [],
    notIn: values['not-in'] ?? [],
    notFiles: values['not-files'] ?? [],
    keepOnly: (values['keep-only'] ?? [])
      .flatMap((list) => list.split(','))
      .map((name) => name.trim())
      .filter(Boolean),
    format: choose('--format', FORMATS, values.format ?? 'fences'),
    tree: values.tree ?? false,
    summary: values.summary ?? false,
    exactTokens: choose('--tokens', ['fast', 'exact'] as const, values.tokens ?? 'fast') === 'exact',
    maxTokens: toCount('--max-tokens', values['max-tokens'], MIN_TOKENS),
    lineNumbers: values['line-numbers'] ?? false,
    changed: values.changed,
    diff: values.diff ?? false,
    stdin: values.stdin ?? false,
    debugExplain: values['debug-explain'] ?? false,
    copies: !values['no-copy'] && values.output === undefined,
    idle: idleOf(values),
  };
}

type Values = ReturnType<typeof parse>['values'];

function parse(argv: readonly string[], exists: (path: string) => boolean) {
  const args = argv.flatMap((argument, i) =>
    argument === '--changed' ? changedSince(argv[i + 1], exists) : [argument],
  );
  const refs = new Set(
    argv.flatMap((argument, i) => (argument === '--changed' && takesRef(argv[i + 1], exists) ? [i + 1] : [])),
  );
  const rest = args.filter((_, i) => !refs.has(i));
  try {
    return process.getBuiltinModule('node:util').parseArgs({ args: rest, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw toFlagError(error as NodeJS.ErrnoException);
  }
}

/** What Node says, but for what it says of values and paths that begin with a dash. */
function toFlagError({ code, message }: NodeJS.ErrnoException): FlagError {
  const [, name = ''] = /'(-[^', ]*)/.exec(message) ?? [];
  const long = longName(name);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const nearest = name.startsWith('--') ? nearestName(name.slice(2), Object.keys(OPTIONS)) : undefined;
    const hint =
      nearest === undefined ? 'a path that begins with a dash is written ./-…' : `did you mean --${nearest}?`;
    return new FlagError(`Unknown option '${name}'; ${hint}`);
  }
  if (!TAKES_VALUE.some(([known]) => long === `--${known}`)) return new FlagError(`${name} takes no value`);
  return new FlagError(`${long} takes a value; one that begins with a dash is written ${long}=-…`);
}

/** `--root` for `-r`, and for `--root`. */
function longName(name: string): string {
  const short = Object.entries(OPTIONS).find(([, option]) => 'short' in option && name === `-${option.short}`);
  return short ? `--${short[0]}` : name;
}

function takesRef(next: string | undefined, exists: (path: string) => boolean): boolean {
  return next !== undefined && !next.startsWith('-') && !exists(next);
}

function changedSince(next: string | undefined, exists: (path: string) => boolean): string[] {
  return [`--changed=${takesRef(next, exists) ? next : 'HEAD'}`];
}

/** Long options may be cut, as long as only one begins so. */
function expandPrefix(argument: string, i: number, argv: readonly string[]): string {
  const end = argv.indexOf('--');
  const match = /^--([a-z][a-z-]*)(=.*)?$/s.exec(argument);
  const follows = TAKES_VALUE.some(([name]) => argv[i - 1] === `--${name}`);
  if (!match || follows || (end >= 0 && i > end)) return argument;
  const [, name = '', value = ''] = match;
  const names = Object.keys(OPTIONS);
  const longer = names.includes(name) ? [name] : names.filter((known) => known.startsWith(name));
  if (longer.length > 1) throw new FlagError(`--${name} could be ${longer.map((known) => `--${known}`).join(' or ')}`);
  return longer[0] === undefined ? argument : `--${longer[0]}${value}`;
}

function taskOf(values: Values): Flags['do'] {
  if (values.help) return 'help';
  if (values.version) return 'version';
  if (values.usage) return 'usage';
  if (values['list-token']) return 'tokens';
  return values['list-only'] ? 'list' : 'dump';
}

function idleOf(values: Values): string[] {
  const task = taskOf(values);
  if (task !== 'list' && task !== 'tokens') return [];
  const hasForm = values.format !== undefined && values.format !== 'json' && values.format !== 'fences';
  return [
    ...OF_DOCUMENTS.filter((name) => values[name] !== undefined),
    ...(hasForm ? ['format'] : []),
    ...(task === 'list' && values.tokens !== undefined ? ['tokens'] : []),
  ].map((name) => `--${name}`);
}

function toCount(flag: string, value: string | undefined, least = 1): number | undefined {
  if (value === undefined) return undefined;
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= least && Number.isSafeInteger(count)) return count;
  throw new FlagError(`${flag} takes a whole number, ${least} or more, not ${JSON.stringify(value)}`);
}

function choose<T extends string>(flag: string, known: readonly T[], value: string): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  throw new FlagError(`${flag} takes ${known.join(', ')}, not ${JSON.stringify(value)}`);
}
