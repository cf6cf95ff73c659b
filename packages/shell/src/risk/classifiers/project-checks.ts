import { wordsIn } from '../arguments.ts';
import { remembered } from '../by-name.ts';
import type { Call } from '../context.ts';
import { programName } from '../program-name.ts';
import CHECKS from '../rules/checks.table';
import { CHECKING, RUNNERS } from '../rules/runners.ts';
import { hasHole } from '../syntax/fields.ts';
import { readTable } from '../tables/text-table.ts';

const rowsOf = readTable(CHECKS);
/** An option with a value, and what the value may be. */
const VALUED = /=(\(.*\)|\{\})?$/;
/** A test, or a directory of tests, as its path tells. */
const IS_TEST = /(^|[/._-])(__tests__|tests?|specs?|e2e)\d*([/._:-]|$)|(^|\/)Test|Tests?\b/;
const PATH_LIKE = /[./\ue100\ue101]/;
const checksOf = remembered((name) =>
  rowsOf(name).map(({ subs, is, words }) => ({
    subs: subs.length === 0 ? [wordsIn('')] : subs.map(wordsIn),
    flags: new Set(words.filter((word) => !VALUED.test(word))),
    valued: new Map(words.flatMap((word) => (VALUED.exec(word) ? [word.split(/=(.*)/s) as [string, string]] : []))),
    needs: is.get('needs')?.split(',') ?? [],
    files: ['files', 'paths', 'tests', 'dirs'].find((trait) => is.has(trait)),
  })),
);
type KnownCheck = ReturnType<typeof checksOf>[number];
const MAX_WORDS = 60;

/** Directories of the project in which its tools are installed. */
const OWN_TOOLS = /^(\.\/)?(node_modules\/\.bin|\.?venv\/bin|vendor\/bin|bin)\/[\w.-]+$|^\.\/(gradlew|mvnw)$/;
const ASSIGNS = /^\w+[:+?]?=/;
/** Options whose value is a pattern or a name, and may look like a path. */
const TAKES_TEXT = new Set(
  wordsIn('-t -k -g -R -E -e -m -n -W -run -bench -skip -list --grep --fgrep -f --filter --ext --extensions'),
);
/** A place outside of the project. */
const ELSEWHERE = /(^|[=:,])(\/(?!\/|dev\/null$)|[~$])|(^|[/=:,])\.\.(\/|$)/;
/** A place that is hidden, as git's own files are. */
const HIDDEN = /(^|[/=:,])\.[^./]/;
/** Options whose value is a module if it looks like a path. */
const NAMES_MODULE = /^(--(test-)?reporters?|-[Rf]|--format|--formatter|--environment|--pool)$/;

/** Reports whether a call is a test, a linter or a build that the project in the current directory declares. */
export function isCheck({ verb, name, args }: Call): boolean {
  if (checksOf(name).length === 0 && !RUNNERS.some((runner) => runner.startsWith(name))) return false;
  if (args.length > MAX_WORDS || hasHole(verb) || args.some((word) => hasHole(word.slice(0, 1)))) return false;
  if (verb.includes('/') && !OWN_TOOLS.test(verb)) return false;
  if (checksOf(name).some((check) => applies(check, args))) return true;
  const [tool, ...others] = withoutRunner([name, ...args]) ?? [];
  if (tool === undefined) return false;
  const inner = programName(tool, (candidate) => checksOf(candidate).length > 0);
  return isCheck({ verb: tool, name: inner, args: others, fed: false, input: undefined });
}

function withoutRunner(argv: readonly string[]): readonly string[] | undefined {
  let longest = 0;
  for (const runner of RUNNERS) {
    if (!runner.startsWith(argv[0] ?? '')) continue;
    const words = wordsIn(runner);
    if (words.length > longest && words.every((word, i) => word === argv[i])) longest = words.length;
  }
  const inner = argv.slice(longest);
  return longest > 0 && inner.length > 0 && !inner[0]?.startsWith('-') ? inner : undefined;
}

function applies(known: KnownCheck, args: readonly string[]): boolean {
  if (known.needs.length > 0 && !known.needs.some((option) => args.includes(option))) return false;
  const operands = operandsOf(known, args);
  if (!operands || operands.some((operand) => ELSEWHERE.test(operand) || ASSIGNS.test(operand))) return false;
  return known.subs.some((sub) => fits(known, operands, sub));
}

function operandsOf({ flags, valued }: KnownCheck, args: readonly string[]): string[] | undefined {
  const operands: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') continue;
    if (!arg.startsWith('-')) operands.push(arg);
    else if (valued.has(arg) && !(flags.has(arg) && /^-|^$/.test(args[i + 1] ?? ''))) {
      if (!isValue(arg, args[i + 1] ?? '', valued.get(arg))) return undefined;
      i++;
    } else if (!isOption(arg, flags, valued)) return undefined;
  }
  return operands;
}

function isValue(option: string, value: string, known = ''): boolean {
  if (known === '{}') return value.split(',').every((name) => CHECKING.test(name));
  if (known !== '') return new RegExp(`^${known}$`).test(value) && !ELSEWHERE.test(value);
  if (NAMES_MODULE.test(option) && /^\.{0,2}\/|\.[cm]?js$/.test(value)) return false;
  return TAKES_TEXT.has(option) || (!value.startsWith('--') && !ELSEWHERE.test(value) && !HIDDEN.test(value));
}

/** Accepts a listed option, one with a value after `=` or at its end, or a cluster of listed letters. */
function isOption(arg: string, flags: ReadonlySet<string>, valued: ReadonlyMap<string, string>): boolean {
  if (flags.has(arg)) return true;
  const equals = arg.indexOf('=');
  const name = arg.slice(0, equals);
  if (equals > 0) return valued.has(name) && isValue(name, arg.slice(equals + 1), valued.get(name));
  if (arg.startsWith('--')) return false;
  if (/^-[a-zA-Z]\d+$/.test(arg)) return valued.has(arg.slice(0, 2)) || flags.has(arg.slice(0, 2));
  return arg.length <= 8 && [...arg.slice(1)].every((letter) => flags.has(`-${letter}`));
}

function fits({ files, subs }: KnownCheck, operands: readonly string[], sub: readonly string[]): boolean {
  const matches = (word: string, operand = '') =>
    word === '*' || word === operand || (word === '{}' && CHECKING.test(operand));
  if (sub.length > operands.length || !sub.every((word, i) => matches(word, operands[i]))) return false;
  const others = operands.slice(sub.length);
  const isDirectory = (operand: string) => files === 'dirs' && !/[^./]\./.test(operand);
  if (files === 'tests' || files === 'dirs') {
    return others.every((operand) => IS_TEST.test(operand.split('::')[0] ?? '') || isDirectory(operand));
  }
  // Without a subcommand, a bare word may be one that the row does not name.
  if (files === 'paths' && sub.length === 0) return others.every((operand) => PATH_LIKE.test(operand));
  const isListed = (operand: string) => subs.some((words) => words.length === 1 && matches(words[0] ?? '', operand));
  return files !== undefined || others.every(isListed);
}
