import type { Risk } from '@jinn/core';
import { Arguments, possibleValuesOf, remembered, wordsIn } from './arguments.ts';
import type { Call, Context } from './context.ts';
import RISKS from './rules/risks.table';
import { readTable } from './tables/known-calls.ts';

const rowsOf = readTable(RISKS);
const rulesOf = remembered((name) => {
  const rows = rowsOf(name).filter(({ is }) => !is.has('valued'));
  return rows.map(({ subs, is, words, reason }) => {
    const [risk, why = ''] = reason.split(/: (.*)/);
    return {
      risk: risk as Risk,
      reason: why,
      subs: subs.map(wordsIn),
      options: words,
      without: is.get('without')?.split(',') ?? [],
      value: toPattern(is.get('value')),
      argument: toPattern(is.get('argument')),
    };
  });
});
type Rule = ReturnType<typeof rulesOf>[number];

const valuedOf = remembered((name): ReadonlySet<string> => {
  return new Set(rowsOf(name).flatMap(({ is, words }) => (is.has('valued') ? words : [])));
});

function toPattern(text: string | undefined): RegExp | undefined {
  const [, source, flags] = /^\/(.*)\/(\w*)$/.exec(text ?? '') ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

export function isInTable(name: string): boolean {
  return rulesOf(name).length > 0;
}

/** Reports whether a program is dangerous regardless of its arguments. */
export function isAlwaysDangerous(name: string): boolean {
  return rulesOf(name).some(({ risk, subs, options, without, argument }) => {
    return risk === 'dangerous' && [subs, options, without].every(({ length }) => length === 0) && !argument;
  });
}

/** Separates the arguments of a call, as far as the table knows which options take a word. */
export function argumentsOf({ name, args }: Call): Arguments {
  return new Arguments(args, valuedOf(name));
}

export function classifyByTable(call: Call, context: Context): void {
  const args = argumentsOf(call);
  for (const rule of rulesOf(call.name)) if (applies(rule, call, args)) context.report(rule.risk, rule.reason);
}

function applies({ subs, options, without, value, argument }: Rule, call: Call, args: Arguments): boolean {
  if (subs.length > 0 && !subs.some((sub) => beginsWith(args.operands, sub))) return false;
  if (options.length > 0 && !options.some((option) => args.has(option))) return false;
  if (without.some((option) => args.has(option))) return false;
  if (value && !possibleValuesOf(call.args, options).some((given) => value.test(given))) return false;
  return argument === undefined || call.args.some((arg) => argument.test(arg));
}

export function beginsWith(operands: readonly string[], sub: readonly string[]): boolean {
  return sub.length <= operands.length && sub.every((word, i) => word === '*' || word === operands[i]);
}
