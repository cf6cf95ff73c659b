import { Arguments, ByName, possibleValuesOf, wordsIn } from './arguments.ts';
import type { Call, Context } from './context.ts';
import type { RiskRule } from './rule.ts';
import { FILES, FILES_VALUED } from './rules/files.ts';
import { GIT, GIT_VALUED } from './rules/git.ts';
import { REMOTE, REMOTE_VALUED } from './rules/remote.ts';
import { SYSTEM, SYSTEM_VALUED } from './rules/system.ts';
import { TOOL_RULES, TOOLS_VALUED } from './rules/tools.ts';
import { BUILTINS } from './rules/variables.ts';

const VALUED = { ...FILES_VALUED, ...SYSTEM_VALUED, ...GIT_VALUED, ...TOOLS_VALUED, ...REMOTE_VALUED };

interface Row {
  readonly rule: RiskRule;
  readonly subs: readonly (readonly string[])[];
  readonly options: readonly string[];
  readonly without: readonly string[];
}

const RULES = new ByName<RiskRule>([...BUILTINS, ...FILES, ...SYSTEM, ...GIT, ...TOOL_RULES, ...REMOTE]);
/** The prepared rules of each program. They are prepared at first use, since a command needs few of them. */
const ROWS = new Map<string, readonly Row[]>();
const VALUED_SETS = new Map<string, ReadonlySet<string>>();

function rowsOf(verb: string): readonly Row[] {
  const known = ROWS.get(verb);
  if (known) return known;
  const rows = RULES.get(verb).map((rule) => ({
    rule,
    subs: rule.sub?.split('|').map(wordsIn) ?? [],
    options: wordsIn(rule.option),
    without: wordsIn(rule.without),
  }));
  if (rows.length > 0) ROWS.set(verb, rows);
  return rows;
}

function valuedOf(verb: string): ReadonlySet<string> {
  const known = VALUED_SETS.get(verb);
  if (known) return known;
  if (!Object.hasOwn(VALUED, verb)) return NONE;
  const valued = new Set(wordsIn(VALUED[verb as keyof typeof VALUED]));
  VALUED_SETS.set(verb, valued);
  return valued;
}

const NONE: ReadonlySet<string> = new Set();

export function isInTable(name: string): boolean {
  return RULES.has(name);
}

/** Reports whether a program is dangerous regardless of its arguments. */
export function isAlwaysDangerous(name: string): boolean {
  return RULES.get(name).some(({ risk, sub, option, without, argument }) => {
    return risk === 'dangerous' && [sub, option, without, argument].every((condition) => condition === undefined);
  });
}

/** Separates the arguments of a call, as far as the table knows which options take a word. */
export function argumentsOf({ name, args }: Call): Arguments {
  return new Arguments(args, valuedOf(name));
}

export function classifyByTable(call: Call, context: Context): void {
  const args = argumentsOf(call);
  for (const row of rowsOf(call.name)) if (applies(row, call, args)) context.report(row.rule.risk, row.rule.reason);
}

function applies({ rule, subs, options, without }: Row, call: Call, args: Arguments): boolean {
  if (subs.length > 0 && !subs.some((sub) => beginsWith(args.operands, sub))) return false;
  if (options.length > 0 && !options.some((option) => args.has(option))) return false;
  if (without.some((option) => args.has(option))) return false;
  const { argument, value } = rule;
  if (value && !possibleValuesOf(call.args, options).some((given) => value.test(given))) return false;
  return argument === undefined || call.args.some((arg) => argument.test(arg));
}

export function beginsWith(operands: readonly string[], sub: readonly string[]): boolean {
  return sub.length <= operands.length && sub.every((word, i) => word === '*' || word === operands[i]);
}
