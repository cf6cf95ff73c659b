import { wordsIn } from '../arguments.ts';
import { ByName } from '../by-name.ts';
import type { Call } from '../context.ts';
import { nameOf } from '../program-name.ts';
import { CHECKS, type Check } from '../rules/checks.ts';
import { CHECKING, RUNNERS } from '../rules/runners.ts';
import { hasHole } from '../syntax/fields.ts';

interface KnownCheck {
  readonly subs: readonly (readonly string[])[];
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly needs: readonly string[];
  readonly files: boolean;
}

const BY_NAME = new ByName<Check>(CHECKS);
const KNOWN = new Map<Check, KnownCheck>();
const MAX_WORDS = 60;

/** Directories of the project in which its tools are installed. */
const OWN_TOOLS = /^(\.\/)?(node_modules\/\.bin|\.?venv\/bin|vendor\/bin|bin)\/[\w.-]+$|^\.\/(gradlew|mvnw)$/;
const ASSIGNS = /^\w+[:+?]?=/;
/** Options whose value is a pattern or a name, and may look like a path. */
const TAKES_TEXT = new Set(wordsIn('-t -k -g -R -E -e -m -n -W -run -bench -skip -list --grep --fgrep -f --filter'));
/** A value of an option that names a program or a place elsewhere. */
const ELSEWHERE = /^(\/(?!\/|dev\/null$)|[~$])|(^|[/=])\.\.(\/|$)/;

/** Reports whether a call is a test, a linter or a build that the project in the current directory declares. */
export function isCheck({ verb, name, args }: Call): boolean {
  if (!BY_NAME.has(name) && !RUNNERS.some((runner) => runner.startsWith(name))) return false;
  if (args.length > MAX_WORDS || hasHole(verb) || args.some((word) => hasHole(word.slice(0, 1)))) return false;
  if (verb.includes('/') && !OWN_TOOLS.test(verb)) return false;
  if (BY_NAME.get(name).some((check) => applies(knownOf(check), args))) return true;
  const [tool, ...others] = withoutRunner([name, ...args]) ?? [];
  if (tool === undefined) return false;
  const inner = nameOf(tool, (candidate) => BY_NAME.has(candidate));
  return isCheck({ verb: tool, name: inner, args: others, fed: false, input: undefined });
}

/** Returns the command behind `npx`, `uv run` and their kin. */
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

function knownOf(check: Check): KnownCheck {
  const before = KNOWN.get(check);
  if (before) return before;
  const known = {
    subs: (check.sub ?? '').split('|').map(wordsIn),
    flags: new Set(wordsIn(check.flags)),
    valued: new Set(wordsIn(check.valued)),
    needs: wordsIn(check.needs),
    files: check.files ?? false,
  };
  KNOWN.set(check, known);
  return known;
}

function applies(known: KnownCheck, args: readonly string[]): boolean {
  if (known.needs.length > 0 && !known.needs.some((option) => args.includes(option))) return false;
  const operands = operandsOf(known, args);
  if (!operands || operands.some((operand) => ELSEWHERE.test(operand) || ASSIGNS.test(operand))) return false;
  return known.subs.some((sub) => fits(known, operands, sub));
}

/** Returns the words that are no options; undefined if an option is not listed, or names a place elsewhere. */
function operandsOf({ flags, valued }: KnownCheck, args: readonly string[]): string[] | undefined {
  const operands: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') continue;
    if (!arg.startsWith('-')) operands.push(arg);
    else if (valued.has(arg)) {
      if (!TAKES_TEXT.has(arg) && ELSEWHERE.test(args[i + 1] ?? '')) return undefined;
      i++;
    } else if (!isOption(arg, flags, valued)) return undefined;
  }
  return operands;
}

/** Accepts a listed option, one with a value after `=` or at its end, or a cluster of listed letters. */
function isOption(arg: string, flags: ReadonlySet<string>, valued: ReadonlySet<string>): boolean {
  if (flags.has(arg)) return true;
  const equals = arg.indexOf('=');
  if (equals > 0) return valued.has(arg.slice(0, equals)) && !ELSEWHERE.test(arg.slice(equals + 1));
  if (arg.startsWith('--')) return false;
  if (/^-[a-zA-Z]\d+$/.test(arg)) return valued.has(arg.slice(0, 2)) || flags.has(arg.slice(0, 2));
  return arg.length <= 8 && [...arg.slice(1)].every((letter) => flags.has(`-${letter}`));
}

/** Reports whether the operands begin with the words of `sub`, and the others are files or further words of the row. */
function fits({ files, subs }: KnownCheck, operands: readonly string[], sub: readonly string[]): boolean {
  const matches = (word: string, operand = '') =>
    word === '*' || word === operand || (word === '{}' && CHECKING.test(operand));
  if (sub.length > operands.length || !sub.every((word, i) => matches(word, operands[i]))) return false;
  const others = operands.slice(sub.length);
  return (
    files || others.every((operand) => subs.some((words) => words.length === 1 && matches(words[0] ?? '', operand)))
  );
}
