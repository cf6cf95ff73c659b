import type { Risk } from '@jinn/core';
import TABLE from './variables.table';

/** Judges an environment variable by its name and value. The first row that names a variable decides. */
export interface VariableRule {
  readonly name: RegExp;
  /** Values that do no harm. */
  readonly harmless: RegExp | undefined;
  /** Values that do harm. All others are harmless, or `caution` if the rule says which are harmless. */
  readonly harmful: RegExp | undefined;
  readonly risk: Risk;
  readonly reason: string;
  /** The risk of a harmless value. Safe if absent. */
  readonly otherwise: Risk | undefined;
}

export const ORDINARY = 'has an ordinary value';
export const FINDS_OTHERS = 'changes what later commands find';

let rules: readonly VariableRule[] | undefined;

/** Returns the rules in their order. Most commands set no variable, and the expressions take a part of a millisecond to make. */
export function variableRules(): readonly VariableRule[] {
  rules ??= TABLE.trim().split('\n\n').slice(1).map(toRule);
  return rules;
}

function toRule(text: string): VariableRule {
  const members = Object.fromEntries(text.split('\n').map((line) => line.split(/ (.*)/s)));
  const { name, harmless, harmful, risk, otherwise, reason } = members;
  return {
    name: new RegExp(name),
    harmless: harmless === undefined ? undefined : new RegExp(harmless),
    harmful: harmful === undefined ? undefined : new RegExp(harmful),
    risk,
    otherwise,
    reason,
  };
}
