import { nearestName } from '@jinn/errors';

/**
 * What follows a flag: nothing, a value, a value each time, or a value that may be omitted: a commit, a glob with a
 * wildcard, or one of the ways to count.
 */
type FlagValueKind = 'nothing' | 'value' | 'values' | 'ref' | 'glob' | 'mode';

const OPTIONS = {
  root: 'value',
  output: 'value',
  'list-only': 'nothing',
  'list-token': 'nothing',
  size: 'nothing',
  'size-limit-mb': 'value',
  overrides: 'value',
  not: 'values',
  'not-in': 'values',
  'not-files': 'values',
  'keep-only': 'values',
  include: 'values',
  'no-defaults': 'nothing',
  format: 'value',
  tree: 'nothing',
  summary: 'nothing',
  tokens: 'mode',
  'max-tokens': 'value',
  outline: 'glob',
  'split-output': 'value',
  'header-text': 'value',
  prompt: 'value',
  secrets: 'value',
  'cut-base64': 'nothing',
  'raw-notebooks': 'nothing',
  sort: 'value',
  'git-log': 'value',
  remote: 'value',
  profile: 'value',
  'ignore-config': 'nothing',
  compress: 'nothing',
  'line-numbers': 'nothing',
  changed: 'ref',
  diff: 'nothing',
  stdin: 'nothing',
  'debug-explain': 'nothing',
  'no-copy': 'nothing',
  usage: 'nothing',
  version: 'nothing',
  help: 'nothing',
} as const satisfies Record<string, FlagValueKind>;

type Name = keyof typeof OPTIONS;

const NAMES = Object.keys(OPTIONS) as Name[];
const SHORT: Readonly<Record<string, Name>> = {
  r: 'root',
  o: 'output',
  l: 'list-only',
  L: 'list-token',
  S: 'size',
  s: 'size-limit-mb',
  h: 'help',
};

const FORMATS = ['fences', 'xml', 'markdown', 'json'] as const;
/** With fewer tokens, only the frame of a document would fit. */
const MIN_TOKENS = 100;

/** Flags that have an effect on a document, but not on a list. */
const OF_DOCUMENTS = [
  ...['line-numbers', 'summary', 'max-tokens', 'outline', 'compress', 'split-output', 'header-text', 'prompt'],
  ...['secrets', 'cut-base64', 'raw-notebooks', 'git-log'],
] as readonly Name[];
const MODES = ['fast', 'exact'] as const;
const SECRET_MODES = ['warn', 'omit', 'fail'] as const;
const SORTS = ['path', 'change'] as const;

/** The command line is wrong; the message is for the user. */
export class FlagError extends Error {}

export interface Flags {
  /** The paths as they were written; empty when none was named. */
  readonly paths: readonly string[];
  readonly do: 'dump' | 'list' | 'tokens' | 'tree' | 'token-tree' | 'diff' | 'usage' | 'version' | 'help';
  readonly root: string | undefined;
  readonly output: string | undefined;
  readonly sizes: boolean;
  readonly sizeLimitMb: number | undefined;
  readonly overrides: string | undefined;
  readonly not: readonly string[];
  readonly notIn: readonly string[];
  readonly notFiles: readonly string[];
  readonly keepOnly: readonly string[];
  readonly include: readonly string[];
  readonly noDefaults: boolean;
  readonly format: (typeof FORMATS)[number];
  readonly tree: boolean;
  readonly summary: boolean;
  readonly exactTokens: boolean;
  readonly maxTokens: number | undefined;
  readonly compress: boolean;
  readonly lineNumbers: boolean;
  /** Globs of the files that are replaced by their outlines; undefined for none. */
  readonly outline: readonly string[] | undefined;
  /** The bytes of each part of the output. */
  readonly splitBytes: number | undefined;
  readonly headerText: string | undefined;
  /** A file with a text for the head. */
  readonly prompt: string | undefined;
  readonly secrets: (typeof SECRET_MODES)[number] | undefined;
  readonly cutsBase64: boolean;
  readonly keepsNotebooks: boolean;
  readonly sort: (typeof SORTS)[number];
  /** How many commits stand at the head. */
  readonly gitLog: number | undefined;
  /** The repository to clone, instead of the working directory. */
  readonly remote: string | undefined;
  /** The commit since which files must have changed. */
  readonly changed: string | undefined;
  /** The word after --changed that was taken for a path, because there is one. */
  readonly afterChanged: string | undefined;
  readonly diff: boolean;
  readonly stdin: boolean;
  readonly debugExplain: boolean;
  readonly copies: boolean;
  /** The flags that have no effect here. */
  readonly idle: readonly string[];
}

/** Returns what the command line says of settings from a file: which profile it names, and whether none are read. */
export function settingsAsked(argv: readonly string[]): {
  readonly profile: string | undefined;
  readonly none: boolean;
} {
  const given = new ParsedFlags(argv, () => false);
  const isText = given.has('help') || given.has('usage') || given.has('version');
  return { profile: given.last('profile'), none: given.has('ignore-config') || given.has('remote') || isText };
}

/** Returns whether a flag takes nothing, a value or several values, for settings in a file; undefined for no flag. */
export function valueKindOf(name: string): 'nothing' | 'value' | 'values' | undefined {
  const takes = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as Name] : undefined;
  if (takes === 'ref' || takes === 'mode') return 'value';
  return takes === 'glob' ? 'values' : takes;
}

/**
 * Parses the arguments after the program's name, behind those that come from settings. `exists` tells a path from the REF
 * of --changed.
 */
export function parseFlags(
  argv: readonly string[],
  exists: (path: string) => boolean,
  settings: readonly string[] = [],
): Flags {
  const given = new ParsedFlags([...settings, ...argv], exists);
  if (given.has('list-only') && given.has('list-token')) {
    throw new FlagError('--list-token does not go with --list-only');
  }
  if (given.has('size') && !given.has('list-only')) throw new FlagError('--size goes with --list-only');
  const output = given.last('output');
  if (given.has('split-output') && (output === undefined || output === '-')) {
    throw new FlagError('--split-output goes with -o FILE');
  }
  return {
    paths: given.paths,
    do: taskOf(given),
    root: given.last('root'),
    output: output === '-' ? undefined : output,
    sizes: given.has('size'),
    sizeLimitMb: toCount('--size-limit-mb', given.last('size-limit-mb')),
    overrides: given.last('overrides'),
    not: given.all('not'),
    notIn: given.all('not-in'),
    notFiles: given.all('not-files'),
    keepOnly: given.all('keep-only').flatMap((list) => toNames('--keep-only', list)),
    include: given.all('include').flatMap((list) => toNames('--include', list)),
    noDefaults: given.has('no-defaults'),
    format: choose('--format', FORMATS, given.last('format') ?? 'fences'),
    tree: given.has('tree'),
    summary: given.has('summary'),
    exactTokens: choose('--tokens', MODES, given.last('tokens') || 'fast') === 'exact',
    maxTokens: toCount('--max-tokens', given.last('max-tokens'), MIN_TOKENS),
    compress: given.has('compress'),
    lineNumbers: given.has('line-numbers'),
    outline: given.has('outline') ? given.all('outline').filter(Boolean) : undefined,
    splitBytes: toBytes('--split-output', given.last('split-output')),
    headerText: given.last('header-text'),
    prompt: given.last('prompt'),
    secrets: given.has('secrets') ? choose('--secrets', SECRET_MODES, given.last('secrets') ?? '') : undefined,
    cutsBase64: given.has('cut-base64'),
    keepsNotebooks: given.has('raw-notebooks'),
    sort: choose('--sort', SORTS, given.last('sort') ?? 'path'),
    gitLog: toCount('--git-log', given.last('git-log')),
    remote: given.last('remote'),
    changed: given.last('changed'),
    afterChanged: given.afterChanged,
    diff: given.has('diff'),
    stdin: given.has('stdin'),
    debugExplain: given.has('debug-explain'),
    copies: !given.has('no-copy') && output === undefined,
    idle: idleOf(taskOf(given), new ParsedFlags(argv, exists)),
  };
}

/**
 * Parses flags and paths in any order. Node's own parser knows neither abbreviated flags nor values that may be
 * omitted.
 */
class ParsedFlags {
  readonly paths: string[] = [];
  afterChanged: string | undefined;
  readonly #values = new Map<Name, string[]>();
  readonly #rest: string[];
  readonly #exists: (path: string) => boolean;

  constructor(argv: readonly string[], exists: (path: string) => boolean) {
    this.#rest = [...argv];
    this.#exists = exists;
    for (let argument = this.#rest.shift(); argument !== undefined; argument = this.#rest.shift()) {
      if (argument === '--') this.paths.push(...this.#rest.splice(0));
      else if (argument.startsWith('--')) this.#takeLong(argument);
      else if (argument.startsWith('-') && argument !== '-') this.#takeShort(argument);
      else this.paths.push(argument);
    }
  }

  has(name: Name): boolean {
    return this.#values.has(name);
  }

  last(name: Name): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  all(name: Name): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  #takeLong(argument: string): void {
    const equals = argument.indexOf('=');
    const name = toName(equals < 0 ? argument : argument.slice(0, equals));
    const value = equals < 0 ? undefined : argument.slice(equals + 1);
    if (value === '' && name === 'changed') throw new FlagError('--changed= takes a commit');
    if (value !== undefined && OPTIONS[name] === 'nothing') throw new FlagError(`--${name} takes no value`);
    this.#add(name, value ?? this.#valueOf(name));
  }

  /** Parses short flags, as in `-lS`, `-s5` and `-s=5`. */
  #takeShort(argument: string): void {
    for (let i = 1; i < argument.length; i++) {
      const name = SHORT[argument.charAt(i)] ?? unknown(`-${argument.charAt(i)}`);
      const isLast = i === argument.length - 1;
      if (OPTIONS[name] === 'nothing' || isLast) this.#add(name, this.#valueOf(name));
      else {
        this.#add(name, argument.slice(i + (argument[i + 1] === '=' ? 2 : 1)));
        return;
      }
    }
  }

  /** Takes the value of a flag from what follows it. */
  #valueOf(name: Name): string {
    if (OPTIONS[name] === 'nothing') return '';
    const next = this.#rest[0];
    if (OPTIONS[name] === 'glob' || OPTIONS[name] === 'mode') return this.#optionalValue(name, next);
    const isFlag = next?.startsWith('-') && next !== '-';
    if (next === undefined || isFlag) {
      if (OPTIONS[name] === 'ref') return 'HEAD';
      throw new FlagError(`--${name} takes a value; one that begins with a dash is written --${name}=-…`);
    }
    if (OPTIONS[name] === 'ref' && this.#exists(next)) {
      this.afterChanged = next;
      return 'HEAD';
    }
    this.#rest.shift();
    return next;
  }

  /** Takes what follows only if it is no path: a way to count, or a glob with a wildcard. */
  #optionalValue(name: Name, next: string | undefined): string {
    if (next === undefined || next.startsWith('-') || this.#exists(next)) return '';
    const isValue = OPTIONS[name] === 'mode' || /[*?[]/.test(next);
    return isValue ? (this.#rest.shift() ?? '') : '';
  }

  #add(name: Name, value: string): void {
    const known = this.#values.get(name);
    if (known) known.push(value);
    else this.#values.set(name, [value]);
  }
}

/** Finds a long flag by its beginning, if only one has it. */
function toName(flag: string): Name {
  const cut = flag.slice(2);
  const names = NAMES.filter((name) => name.startsWith(cut));
  const name = names.find((known) => known === cut) ?? names[0];
  if (name === undefined || cut === '') return unknown(flag);
  if (name === cut || names.length === 1) return name;
  throw new FlagError(`${flag} could be ${names.map((known) => `--${known}`).join(' or ')}`);
}

function unknown(flag: string): never {
  const nearest = flag.startsWith('--') ? nearestName(flag.slice(2), NAMES) : undefined;
  const hint = nearest === undefined ? 'a path that begins with a dash is written ./-…' : `did you mean --${nearest}?`;
  throw new FlagError(`Unknown option '${flag}'; ${hint}`);
}

function taskOf(given: ParsedFlags): Flags['do'] {
  if (given.has('help')) return 'help';
  if (given.has('version')) return 'version';
  if (given.has('usage')) return 'usage';
  if (given.has('tree') && (given.last('tokens') === '' || given.has('list-token'))) return 'token-tree';
  if (given.has('list-token')) return 'tokens';
  if (!given.has('list-only')) return 'dump';
  if (given.has('tree')) return 'tree';
  return given.has('diff') ? 'diff' : 'list';
}

const LISTS: ReadonlySet<Flags['do']> = new Set(['list', 'tokens', 'tree', 'token-tree', 'diff']);

/** Returns flags of the command line that have no effect on a list. Settings hold for lists and documents alike. */
function idleOf(task: Flags['do'], given: ParsedFlags): string[] {
  if (!LISTS.has(task)) return [];
  const names: Name[] = [...OF_DOCUMENTS];
  if (given.last('format') !== 'json' || (task !== 'list' && task !== 'tokens')) names.push('format');
  if (task === 'list' || task === 'tree' || task === 'diff') names.push('tokens');
  if (task !== 'diff') names.push('diff');
  if (task !== 'list') names.push('sort');
  if (task === 'diff' || task === 'tree') names.push('size');
  return names.filter((name) => given.has(name)).map((name) => `--${name}`);
}

function toNames(flag: string, list: string): string[] {
  const names = list.split(',').map((name) => name.trim());
  const left = names.filter(Boolean);
  if (left.length === 0) throw new FlagError(`${flag} takes names, such as src,docs`);
  return left;
}

function toCount(flag: string, value: string | undefined, least = 1): number | undefined {
  if (value === undefined) return undefined;
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= least && Number.isSafeInteger(count)) return count;
  throw new FlagError(`${flag} takes a whole number, ${least} or more, not ${JSON.stringify(value)}`);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2 };

/** Converts a size such as 500kb or 2mb to bytes. */
function toBytes(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,9})\s?([kmb]{0,2})$/i.exec(value) ?? [];
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (bytes >= 1024) return bytes;
  throw new FlagError(`${flag} takes a size of 1kb or more, such as 500kb or 2mb, not ${JSON.stringify(value)}`);
}

function choose<T extends string>(flag: string, known: readonly T[], value: string): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  throw new FlagError(`${flag} takes ${known.join(', ')}, not ${JSON.stringify(value)}`);
}
