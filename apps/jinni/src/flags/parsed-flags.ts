import { nearestName } from '@jinn/errors';
import { FlagError } from './flag-values.ts';

/**
 * What follows a flag: nothing, a value, a value each time, or a value that may be omitted: a commit, a glob with a
 * wildcard, or one of the ways to count.
 */
type FlagValueKind = 'nothing' | 'value' | 'values' | 'ref' | 'glob' | 'mode';

export const OPTIONS = {
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
  focus: 'value',
  explain: 'nothing',
  outline: 'glob',
  level: 'values',
  'remove-comments': 'nothing',
  'remove-empty-lines': 'nothing',
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
  clip: 'nothing',
  stdout: 'nothing',
  watch: 'nothing',
  init: 'nothing',
  schema: 'nothing',
  usage: 'nothing',
  version: 'nothing',
  help: 'nothing',
} as const satisfies Record<string, FlagValueKind>;

export type FlagName = keyof typeof OPTIONS;

const NAMES = Object.keys(OPTIONS) as FlagName[];
const SHORT: Readonly<Record<string, FlagName>> = {
  r: 'root',
  o: 'output',
  l: 'list-only',
  L: 'list-token',
  S: 'size',
  s: 'size-limit-mb',
  h: 'help',
  v: 'version',
};

/**
 * Parses flags and paths in any order. Node's own parser knows neither abbreviated flags nor values that may be
 * omitted.
 */
export class ParsedFlags {
  readonly paths: string[] = [];
  afterChanged: string | undefined;
  readonly #values = new Map<FlagName, string[]>();
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

  has(name: FlagName): boolean {
    return this.#values.has(name);
  }

  last(name: FlagName): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  all(name: FlagName): readonly string[] {
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
  #valueOf(name: FlagName): string {
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
  #optionalValue(name: FlagName, next: string | undefined): string {
    if (next === undefined || next.startsWith('-') || this.#exists(next)) return '';
    const isValue = OPTIONS[name] === 'mode' || /[*?[]/.test(next);
    return isValue ? (this.#rest.shift() ?? '') : '';
  }

  #add(name: FlagName, value: string): void {
    const known = this.#values.get(name);
    if (known) known.push(value);
    else this.#values.set(name, [value]);
  }
}

/** Finds a long flag by its beginning, if only one has it. */
function toName(flag: string): FlagName {
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
