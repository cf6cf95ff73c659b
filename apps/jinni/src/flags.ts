import { type EncodingName, estimate, loadExactCounter, type TokenCounter } from '@jinn/context/tokens';
import { choose, type Flag, FlagError, ParsedFlags } from '@jinn/core/command-line';
import { FORMAT_NAMES, JINNI_FLAGS, type JinniFlagName, LEVELS, MODES, SECRET_MODES, SORTS } from './jinni-spec.ts';

/** With fewer tokens, only the frame of a document would fit. */
export const MIN_TOKENS = 100;

/** Flags that have an effect on a document, but not on a list. */
const OF_DOCUMENTS = [
  ...['line-numbers', 'show-encoding', 'summary', 'max-tokens', 'focus', 'explain', 'outline', 'compress'],
  ...['split-output', 'header-text', 'prompt'],
  ...['secrets', 'cut-base64', 'raw-notebooks', 'git-log', 'level', 'remove-comments', 'remove-empty-lines', 'stdout'],
] as readonly JinniFlagName[];

type Task =
  | ('dump' | 'list' | 'tokens' | 'tree' | 'token-tree' | 'diff')
  | ('usage' | 'version' | 'help' | 'completion' | 'init' | 'schema');

/** Returns what the command line says about settings from a file: which profile it names, and whether none are read. */
export function settingsAsked(argv: readonly string[]) {
  const { given } = parse(argv, () => false);
  const isText = (['help', 'usage', 'version', 'schema', 'init'] as const).some((name) => given.has(name));
  return { profile: given.last('profile'), none: given.has('ignore-config') || given.has('remote') || isText };
}

/** Returns how many values a flag takes, for settings in a file, or undefined if it is not a flag. */
export function valueKindOf(name: string): 'nothing' | 'value' | 'values' | undefined {
  const flag: Flag | undefined = Object.hasOwn(JINNI_FLAGS, name) ? JINNI_FLAGS[name as JinniFlagName] : undefined;
  if (flag?.value === undefined) return flag && 'nothing';
  return flag.isList ? 'values' : 'value';
}

function parse(argv: readonly string[], exists: (path: string) => boolean) {
  let afterChanged: string | undefined;
  const isValue = (flag: string, word: string) => {
    if (exists(word)) {
      if (flag === 'changed') afterChanged = word;
      return false;
    }
    return flag !== 'outline' || /[*?[{]/.test(word);
  };
  const hint = 'write a path that starts with a dash as ./-…';
  const onEmpty = (flag: string) => {
    if (flag === 'changed') throw new FlagError('--changed= takes a commit');
  };
  const given = new ParsedFlags<JinniFlagName>(JINNI_FLAGS, argv, { isValue, onEmpty, abbreviates: true, hint });
  return { given, afterChanged };
}

/** Parses the arguments after those that come from settings. `exists` distinguishes a path from the REF of --changed. */
export function parseJinniFlags(
  argv: readonly string[],
  exists: (path: string) => boolean,
  settings: readonly string[] = [],
) {
  const { given, afterChanged } = parse([...settings, ...argv], exists);
  if (given.has('list-only') && given.has('list-token')) {
    throw new FlagError('--list-token does not go with --list-only');
  }
  if (given.has('focus') && !given.has('max-tokens')) throw new FlagError('--focus goes with --max-tokens');
  if (given.has('explain') && !given.has('max-tokens'))
    throw new FlagError('--explain needs --max-tokens. For rules, use --debug-explain');
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
    includeFrom: given.all('include-from'),
    noDefaults: given.has('no-defaults'),
    format: choose('--format', FORMAT_NAMES, given.last('format') ?? 'fences'),
    tree: given.has('tree'),
    summary: given.has('summary'),
    /** The tokenizer that counts, or undefined to estimate. */
    encoding: encodingOf(given.last('tokens') || 'fast'),
    maxTokens: toCount('--max-tokens', given.last('max-tokens'), MIN_TOKENS),
    focus: toPhrase('--focus', given.last('focus')),
    explain: given.has('explain'),
    compress: given.has('compress'),
    lineNumbers: given.has('line-numbers'),
    showsEncoding: given.has('show-encoding'),
    /** Globs. Undefined for no outlines. */
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
    /** The word after --changed that was taken for a path, because there is one. */
    afterChanged,
    diff: given.has('diff'),
    stdin: given.has('stdin'),
    debugExplain: given.has('debug-explain'),
    copies: given.has('clip') || (!given.has('no-copy') && output === undefined),
    clip: given.has('clip'),
    stdout: given.has('stdout'),
    watch: given.has('watch'),
    /** The flags that have no effect here. */
    idle: idleOf(taskOf(given, exists), parse(argv, exists).given),
  };
}

function encodingOf(mode: string): EncodingName | undefined {
  const known = choose('--tokens', MODES, mode.replace(/_base$/, ''));
  if (known === 'fast') return undefined;
  return known === 'exact' ? 'o200k' : known;
}

function rejectPairs(given: ParsedFlags<JinniFlagName>, output: string | undefined): void {
  if (given.has('stdout') && given.has('clip')) throw new FlagError('--stdout does not go with --clip');
  if (given.has('stdout') && output !== undefined && output !== '-') {
    throw new FlagError('--stdout does not go with -o FILE');
  }
  const readsPatterns = given.all('include-from').includes('-');
  if (readsPatterns && given.has('stdin')) throw new FlagError('--stdin does not go with --include-from -');
  if (!given.has('watch')) return;
  if (!given.has('clip') && (output === undefined || output === '-')) {
    throw new FlagError('--watch goes with -o FILE or --clip');
  }
  if (given.has('remote') || given.has('stdin') || readsPatterns)
    throw new FlagError('--watch goes with the files of this machine');
}

export type Flags = ReturnType<typeof parseJinniFlags>;

function taskOf(given: ParsedFlags<JinniFlagName>, exists: (path: string) => boolean): Task {
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

const LISTS: ReadonlySet<Task> = new Set(['list', 'tokens', 'tree', 'token-tree', 'diff']);

/** Returns the flags of the command line without effect. Settings apply to lists and documents alike. */
function idleOf(task: Task, given: ParsedFlags<JinniFlagName>): string[] {
  if (!LISTS.has(task)) return [];
  const names: JinniFlagName[] = OF_DOCUMENTS.filter((name) => name !== 'secrets' || task !== 'diff');
  if (given.last('format') !== 'json' || (task !== 'list' && task !== 'tokens')) names.push('format');
  if (task === 'list' || task === 'tree' || task === 'diff') names.push('tokens');
  if (task !== 'diff') names.push('diff');
  if (task !== 'list') names.push('sort');
  if (task === 'diff' || task === 'tree') names.push('size');
  return names.filter((name) => given.has(name)).map((name) => `--${name}`);
}

function toNames(flag: string, list: string): string {
  if (/[^\s,]/.test(list)) return list;
  throw new FlagError(`${flag} takes names, such as src,docs`);
}

function toPhrase(flag: string, value: string | undefined): string | undefined {
  if (value?.trim() === '') throw new FlagError(`${flag} takes words, a path or a name`);
  return value;
}

function toCount(flag: string, value: string | undefined, least = 1): number | undefined {
  if (value === undefined) return undefined;
  const digits = value.replace(/k$/i, '000');
  const count = Number(digits);
  if (/^\d+$/.test(digits) && count >= least && Number.isSafeInteger(count)) return count;
  throw new FlagError(`${flag} takes a whole number, ${least} or more, not ${JSON.stringify(value)}`);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2 };

function toBytes(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,9})\s?([kmb]{0,2})$/i.exec(value) ?? [];
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (bytes >= 1024) return bytes;
  throw new FlagError(`${flag} takes a size of 1kb or more, such as 500kb or 2mb, not ${JSON.stringify(value)}`);
}

function toLevel(flag: string, value: string) {
  const colon = value.lastIndexOf(':');
  if (colon <= 0) throw new FlagError(`${flag} takes GLOB:${LEVELS.join('|')}, not ${JSON.stringify(value)}`);
  return { glob: value.slice(0, colon), level: choose(flag, LEVELS, value.slice(colon + 1)) };
}

/** Returns the counter of a run. */
export function counterOf({ encoding }: Pick<Flags, 'encoding'>): TokenCounter | Promise<TokenCounter> {
  return encoding === undefined ? estimate : loadExactCounter(encoding);
}

/** Returns the counter of what is written. A budget needs an exact count. */
export function writtenCounterOf({ encoding, maxTokens }: Flags): TokenCounter | Promise<TokenCounter> {
  return counterOf({ encoding: encoding ?? (maxTokens === undefined ? undefined : 'o200k') });
}
