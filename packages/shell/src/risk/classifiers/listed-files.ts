import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import { hasHole } from '../syntax/fields.ts';
import { isSecretPath } from './named-paths.ts';

/** What the output of a command, or of a pipeline, lists: one line per file. */
export interface Listing {
  /** The secret files that may be among the listed ones, by the patterns that name them. */
  readonly secrets: readonly string[];
  /** True if it lists hidden files regardless of their names. */
  readonly showsHidden: boolean;
}

const NO_FILES: Listing = { secrets: [], showsHidden: false };

const FIND_NAMES = ['-name', '-iname', '-path', '-ipath', '-wholename', '-iwholename', '-regex', '-iregex'];
const GLOBS = ['-g', '--glob', '--iglob'];
const GREP_VALUED = new Set(wordsIn('-e --regexp -m --max-count -A -B -C'));
const PASSES_LINES = /^(head|tail|sort|uniq|tac|shuf|cut|sed|[gm]?awk|tr|tee|cat)$/;
const SHOWS_HIDDEN = /^(-\w*[aAHuI.]\w*|--(all|almost-all|hidden|unrestricted|no-ignore))$/;
/** Shorter names say too little of a file. */
const SHORTEST = 3;

/** Returns what a command lists. `before` is the listing on its standard input. Undefined if it is not piped into. */
export function listingAfter([verb = '', ...args]: readonly string[], before: Listing | undefined): Listing {
  if (before && /^([ef]?grep|rg)$/.test(verb) && !args.includes('--files')) return filtered(args, before);
  if (before && PASSES_LINES.test(verb)) return before;
  return { secrets: secretsNamed(verb, args), showsHidden: showsHidden(verb, args) };
}

/** Returns the secret files that the arguments of a command name, of those that it lists. */
export function secretsNamed(verb: string, args: readonly string[]): string[] {
  const patterns = patternsOf(verb, args).map((pattern) => pattern.replace(/\[([^\]^])[^\]]*\]/g, '$1'));
  const paths = patterns.flatMap((pattern) =>
    ['', 'x'].map((any) => pattern.replace(/\.?\*|[\ue100\ue101]/g, any).replace(/[\\^$?]/g, '')),
  );
  return [...new Set(paths)].filter((path) => path !== '' && isSecretPath(path));
}

function patternsOf(verb: string, args: readonly string[]): readonly string[] {
  const operands = args.filter((arg) => !arg.startsWith('-'));
  if (/^g?find$/.test(verb)) return namesWanted(args);
  if (/^fd(find)?$/.test(verb)) return operands.slice(0, 1);
  if (verb === 'rg') return valuesOf(args, GLOBS).filter((glob) => !glob.startsWith('!'));
  if (verb === 'git') return operands[0] === 'ls-files' ? operands.slice(1) : [];
  return /^(ls|echo|printf)$/.test(verb) ? operands : [];
}

/** Returns the patterns of `find` for the names of files. Entries that it passes over do not count. */
function namesWanted(args: readonly string[]): string[] {
  const wanted = args.slice(args.lastIndexOf('-prune') + 1);
  return wanted.filter((_, i) => FIND_NAMES.includes(wanted[i - 1] ?? '') && !/^(!|-not)$/.test(wanted[i - 2] ?? ''));
}

function showsHidden(verb: string, args: readonly string[]): boolean {
  if (/^g?find$/.test(verb)) return namesWanted(args).length === 0;
  if (verb === 'rg') return valuesOf(args, GLOBS).length === 0 && args.some((arg) => SHOWS_HIDDEN.test(arg));
  if (verb === 'git') return args[0] === 'ls-files' && patternsOf(verb, args).length === 0;
  if (/^[ef]?grep$/.test(verb)) return args.some((arg) => /^(-\w*[rR]|--(dereference-)?recursive$)/.test(arg));
  return /^(ls|tree|fd|fdfind)$/.test(verb) && args.some((arg) => SHOWS_HIDDEN.test(arg));
}

/** A name without a dot that is no secret file with one: code is called so, or it is a directory. */
const NO_FILE = /^env\w|^(aws|ssh|gnupg)$/;

/** Returns the lines of a listing that `grep` passes. A pattern such as `env` names `.env` among hidden files. */
function filtered(args: readonly string[], before: Listing): Listing {
  const given = new Arguments(args, GREP_VALUED);
  const patterns = valuesOf(args, ['-e', '--regexp']);
  const [pattern = patterns[0] ?? '', ...files] = patterns.length > 0 ? [undefined, ...given.operands] : given.operands;
  if (files.length > 0 || given.has('-r') || given.has('-R')) return NO_FILES;
  if (given.has('-v') || before.secrets.length > 0 || hasHole(pattern)) return before;
  const names = pattern
    .split('|')
    .map((choice) => choice.replace(/\\|\.?\*|[()$]/g, '').replace(/^.*[/^]/, ''))
    .filter((name) => name.length >= SHORTEST)
    .map((name) => (before.showsHidden && !name.startsWith('.') && !NO_FILE.test(name) ? `.${name}` : name));
  return { secrets: names.filter(isSecretPath), showsHidden: false };
}
