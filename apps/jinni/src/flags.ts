import type { EncodingName } from '@jinn/context/tokens';
import { choose, type Flag, FlagError, ParsedFlags } from '@jinn/core/command-line';
import { type GlobLevel, toBytes, toCount, toLevel, toNames, toText } from './flags/flag-values.ts';
import { FLAGS, type FlagName, FORMATS, MODES, SECRET_MODES, SORTS } from './flags/jinni-spec.ts';

/** With fewer tokens, only the frame of a document would fit. */
export const MIN_TOKENS = 100;

/** Flags that have an effect on a document, but not on a list. */
const OF_DOCUMENTS = [
  ...['line-numbers', 'summary', 'max-tokens', 'focus', 'explain', 'outline', 'compress'],
  ...['split-output', 'header-text', 'prompt'],
  ...['secrets', 'cut-base64', 'raw-notebooks', 'git-log', 'level', 'remove-comments', 'remove-empty-lines', 'stdout'],
] as readonly FlagName[];

export interface Flags {
  /** The paths as they were written; empty when none was named. */
  readonly paths: readonly string[];
  readonly do:
    | 'dump'
    | 'list'
    | 'tokens'
    | 'tree'
    | 'token-tree'
    | 'diff'
    | 'usage'
    | 'version'
    | 'help'
    | 'completion'
    | 'init'
    | 'schema';
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
  /** The tokenizer that counts; undefined to estimate. */
  readonly encoding: EncodingName | undefined;
  readonly maxTokens: number | undefined;
  /** What the files of a budget are ranked by. */
  readonly focus: string | undefined;
  readonly explain: boolean;
  readonly compress: boolean;
  readonly lineNumbers: boolean;
  /** Globs of the files that are replaced by their outlines; undefined for none. */
  readonly outline: readonly string[] | undefined;
  readonly levels: readonly GlobLevel[];
  readonly removesComments: boolean;
  readonly removesEmptyLines: boolean;
  /** The bytes of each part of the output. */
  readonly splitBytes: number | undefined;
  readonly headerText: string | undefined;
  /** A file with a text for the head. */
  readonly prompt: string | undefined;
  readonly secrets: (typeof SECRET_MODES)[number];
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
  /** True to copy, and not to print. */
  readonly clip: boolean;
  /** True to print a document of any length, also to a terminal. */
  readonly stdout: boolean;
  /** True to write again whenever something changes. */
  readonly watch: boolean;
  /** The flags that have no effect here. */
  readonly idle: readonly string[];
}

/** Returns what the command line says about settings from a file: which profile it names, and whether none are read. */
export function settingsAsked(argv: readonly string[]): {
  readonly profile: string | undefined;
  readonly none: boolean;
} {
  const { given } = parse(argv, () => false);
  const isText = (['help', 'usage', 'version', 'schema', 'init'] as const).some((name) => given.has(name));
  return { profile: given.last('profile'), none: given.has('ignore-config') || given.has('remote') || isText };
}

/**
 * Returns whether a flag takes nothing, a value or several values, for settings in a file; undefined if it is not a
 * flag.
 */
export function valueKindOf(name: string): 'nothing' | 'value' | 'values' | undefined {
  const flag: Flag | undefined = Object.hasOwn(FLAGS, name) ? FLAGS[name as FlagName] : undefined;
  if (flag?.value === undefined) return flag && 'nothing';
  return flag.isList ? 'values' : 'value';
}

/** Parses a command line. Also returns the word after --changed that was taken for a path, because there is one. */
function parse(argv: readonly string[], exists: (path: string) => boolean) {
  let afterChanged: string | undefined;
  const isValue = (flag: string, word: string) => {
    if (exists(word)) {
      if (flag === 'changed') afterChanged = word;
      return false;
    }
    return flag !== 'outline' || /[*?[{]/.test(word);
  };
  const hint = 'a path that begins with a dash is written ./-…';
  const onEmpty = (flag: string) => {
    if (flag === 'changed') throw new FlagError('--changed= takes a commit');
  };
  const given = new ParsedFlags<FlagName>(FLAGS, argv, { isValue, onEmpty, abbreviates: true, hint });
  return { given, afterChanged };
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
  const { given, afterChanged } = parse([...settings, ...argv], exists);
  if (given.has('list-only') && given.has('list-token')) {
    throw new FlagError('--list-token does not go with --list-only');
  }
  if (given.has('focus') && !given.has('max-tokens')) throw new FlagError('--focus goes with --max-tokens');
  if (given.has('explain') && !given.has('max-tokens'))
    throw new FlagError('--explain goes with --max-tokens; --debug-explain tells of rules');
  if (given.has('size') && !given.has('list-only')) throw new FlagError('--size goes with --list-only');
  const output = given.last('output');
  if (given.has('split-output') && (output === undefined || output === '-')) {
    throw new FlagError('--split-output goes with -o FILE');
  }
  rejectPairs(given, output);
  return {
    paths: given.words,
    do: taskOf(given, exists),
    root: given.last('root'),
    output: output === '-' ? undefined : output,
    sizes: given.has('size'),
    sizeLimitMb: toCount('--size-limit-mb', given.last('size-limit-mb')),
    overrides: given.last('overrides'),
    not: given.all('not'),
    notIn: given.all('not-in'),
    notFiles: given.all('not-files'),
    keepOnly: given.all('keep-only').map((list) => toNames('--keep-only', list)),
    include: given.all('include').map((list) => toNames('--include', list)),
    noDefaults: given.has('no-defaults'),
    format: choose('--format', FORMATS, given.last('format') ?? 'fences'),
    tree: given.has('tree'),
    summary: given.has('summary'),
    encoding: encodingOf(given.last('tokens') || 'fast'),
    maxTokens: toCount('--max-tokens', given.last('max-tokens'), MIN_TOKENS),
    focus: toText('--focus', given.last('focus')),
    explain: given.has('explain'),
    compress: given.has('compress'),
    lineNumbers: given.has('line-numbers'),
    outline: given.has('outline') ? given.all('outline').filter(Boolean) : undefined,
    levels: given.all('level').map((value) => toLevel('--level', value)),
    removesComments: given.has('remove-comments'),
    removesEmptyLines: given.has('remove-empty-lines'),
    splitBytes: toBytes('--split-output', given.last('split-output')),
    headerText: given.last('header-text'),
    prompt: given.last('prompt'),
    secrets: choose('--secrets', SECRET_MODES, given.last('secrets') ?? 'omit'),
    cutsBase64: given.has('cut-base64'),
    keepsNotebooks: given.has('raw-notebooks'),
    sort: choose('--sort', SORTS, given.last('sort') ?? 'path'),
    gitLog: toCount('--git-log', given.last('git-log')),
    remote: given.last('remote'),
    changed: given.last('changed') === '' ? 'HEAD' : given.last('changed'),
    afterChanged,
    diff: given.has('diff'),
    stdin: given.has('stdin'),
    debugExplain: given.has('debug-explain'),
    copies: given.has('clip') || (!given.has('no-copy') && output === undefined),
    clip: given.has('clip'),
    stdout: given.has('stdout'),
    watch: given.has('watch'),
    idle: idleOf(taskOf(given, exists), parse(argv, exists).given),
  };
}

function encodingOf(mode: string): EncodingName | undefined {
  const known = choose('--tokens', MODES, mode.replace(/_base$/, ''));
  if (known === 'fast') return undefined;
  return known === 'exact' ? 'o200k' : known;
}

/** Throws FlagError for flags that contradict each other. */
function rejectPairs(given: ParsedFlags<FlagName>, output: string | undefined): void {
  if (given.has('stdout') && given.has('clip')) throw new FlagError('--stdout does not go with --clip');
  if (given.has('stdout') && output !== undefined && output !== '-') {
    throw new FlagError('--stdout does not go with -o FILE');
  }
  if (!given.has('watch')) return;
  if (!given.has('clip') && (output === undefined || output === '-')) {
    throw new FlagError('--watch goes with -o FILE or --clip');
  }
  if (given.has('remote') || given.has('stdin')) throw new FlagError('--watch goes with the files of this machine');
}

function taskOf(given: ParsedFlags<FlagName>, exists: (path: string) => boolean): Flags['do'] {
  const [first, ...others] = given.words;
  const asksForHelp = first === 'help' && others.length === 0 && !exists(first);
  if (first === 'completion' && others.length === 1 && !exists(first)) return 'completion';
  if (given.has('help') || asksForHelp) return 'help';
  if (given.has('version')) return 'version';
  if (given.has('usage')) return 'usage';
  if (given.has('schema')) return 'schema';
  if (given.has('init')) return 'init';
  if (given.has('tree') && (given.last('tokens') === '' || given.has('list-token'))) return 'token-tree';
  if (given.has('list-token')) return 'tokens';
  if (!given.has('list-only')) return 'dump';
  if (given.has('tree')) return 'tree';
  return given.has('diff') ? 'diff' : 'list';
}

const LISTS: ReadonlySet<Flags['do']> = new Set(['list', 'tokens', 'tree', 'token-tree', 'diff']);

/** Returns flags of the command line that have no effect on a list. Settings hold for lists and documents alike. */
function idleOf(task: Flags['do'], given: ParsedFlags<FlagName>): string[] {
  if (!LISTS.has(task)) return [];
  const names: FlagName[] = OF_DOCUMENTS.filter((name) => name !== 'secrets' || task !== 'diff');
  if (given.last('format') !== 'json' || (task !== 'list' && task !== 'tokens')) names.push('format');
  if (task === 'list' || task === 'tree' || task === 'diff') names.push('tokens');
  if (task !== 'diff') names.push('diff');
  if (task !== 'list') names.push('sort');
  if (task === 'diff' || task === 'tree') names.push('size');
  return names.filter((name) => given.has(name)).map((name) => `--${name}`);
}
