import type { Risk } from '@jinn/core';

/** A row of the table of risks. It applies if all of its conditions hold. Of the rows that apply, the worst decides. */
export interface RiskRule {
  /** Programs, by the last part of their path. */
  readonly verb: string;
  /** The first operands. Several choices are separated by ` | `. */
  readonly sub?: string;
  /** One of these options must be given. Short ones are found in clusters too, long ones shortened or with `=value`. */
  readonly option?: string;
  /** None of these options may be given. */
  readonly without?: string;
  /** A pattern for the value of one of the options in `option`. */
  readonly value?: RegExp;
  /** A pattern for one of the arguments. */
  readonly argument?: RegExp;
  readonly risk: Risk;
  readonly reason: string;
}

/** For each program the options that take the next word, so that it is not held to be an operand. */
export type ValueOptions = Readonly<Record<string, string>>;
