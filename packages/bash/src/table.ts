import { Arguments, valuesOf, wordsIn } from './arguments.ts';
import type { Call, Context } from './context.ts';
import { startsUnknown } from './fields.ts';
import type { Rule } from './rule.ts';
import { BUILTINS } from './rules/builtins.ts';
import { FILES, FILES_VALUED } from './rules/files.ts';
import { GIT, GIT_VALUED } from './rules/git.ts';
import { REMOTE, REMOTE_VALUED } from './rules/remote.ts';
import { SYSTEM, SYSTEM_VALUED } from './rules/system.ts';
import { TOOLS, TOOLS_VALUED } from './rules/tools.ts';

const VALUED = { ...FILES_VALUED, ...SYSTEM_VALUED, ...GIT_VALUED, ...TOOLS_VALUED, ...REMOTE_VALUED };

interface Row {
  readonly rule: Rule;
  readonly subs: readonly (readonly string[])[];
  readonly options: readonly string[];
  readonly without: readonly string[];
}

const ROWS = new Map<string, Row[]>();
for (const rule of [...BUILTINS, ...FILES, ...SYSTEM, ...GIT, ...TOOLS, ...REMOTE]) {
  const row = {
    rule,
    subs: rule.sub?.split('|').map(wordsIn) ?? [],
    options: wordsIn(rule.option),
    without: wordsIn(rule.without),
  };
  for (const verb of wordsIn(rule.verb)) {
    const rows = ROWS.get(verb);
    if (rows) rows.push(row);
    else ROWS.set(verb, [row]);
  }
}

const VALUED_SETS = new Map(Object.entries(VALUED).map(([verb, options]) => [verb, new Set(wordsIn(options))]));
const NONE: ReadonlySet<string> = new Set();

export function isInTable(name: string): boolean {
  return ROWS.has(name);
}

/** True for a program that is dangerous whatever its arguments. */
export function isAlwaysDangerous(name: string): boolean {
  return ROWS.get(name)?.some(({ rule }) => rule.risk === 'dangerous' && isUnconditional(rule)) ?? false;
}

function isUnconditional({ sub, option, without, argument }: Rule): boolean {
  return sub === undefined && option === undefined && without === undefined && argument === undefined;
}

/** The arguments of a call, apart, as far as the table knows which options take a word. */
export function argumentsOf({ name, args }: Call): Arguments {
  return new Arguments(args, VALUED_SETS.get(name) ?? NONE);
}

/** Notes what the table says of a call. */
export function judgeByTable(call: Call, context: Context): void {
  const rows = ROWS.get(call.name) ?? [];
  const args = argumentsOf(call);
  for (const row of rows) {
    if (!applies(row, call, args)) continue;
    const { rule } = row;
    context.note(rule.risk, rule.reason);
    if (rule.risk === 'safe' && !rule.anyArguments && call.args.some(startsUnknown)) {
      context.note('caution', 'has arguments that cannot be told, which may be options');
    }
  }
}

function applies({ rule, subs, options, without }: Row, call: Call, args: Arguments): boolean {
  if (subs.length > 0 && !subs.some((sub) => beginsWith(args.operands, sub))) return false;
  if (options.length > 0 && !options.some((option) => args.has(option))) return false;
  if (without.some((option) => args.has(option))) return false;
  const { argument, value } = rule;
  if (value && !valuesOf(call.args, options).some((given) => value.test(given))) return false;
  return argument === undefined || call.args.some((arg) => argument.test(arg));
}

export function beginsWith(operands: readonly string[], sub: readonly string[]): boolean {
  return sub.length <= operands.length && sub.every((word, i) => word === '*' || word === operands[i]);
}
