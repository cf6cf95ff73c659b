import type { Risk } from '@jinn/core';
import ROWS from './wrappers.json' with { type: 'json' };

/** A program that runs the command which its arguments hold. */
export interface Wrapper {
  readonly verb: string;
  /** The first operands, which are not part of the command. Several choices are separated by ` | `. */
  readonly sub?: string;
  /** Options that take the next word. */
  readonly valued?: string;
  /** Options that take none. One that is in neither list may take a word or not: both are looked at. */
  readonly flags?: string;
  /** Options whose word a shell runs. */
  readonly code?: string;
  /** Options whose word is the program that is run instead of another (`docker --entrypoint`). */
  readonly program?: string;
  /** Options that only ask for something, so that nothing runs. */
  readonly asks?: string;
  /** The number of words before the command. */
  readonly skip?: number;
  /** The words of the command are joined and handed to a shell. */
  readonly joins?: true;
  /** Every word is a text that a shell runs. */
  readonly texts?: true;
  /** The risk of the wrapper itself, no matter what it runs. */
  readonly risk?: Risk;
  readonly reason?: string;
  /** The risk without a command. */
  readonly alone?: Risk;
  /** Options are too many to list: every word that names a dangerous program counts. */
  readonly loose?: true;
}

export const WRAPPERS = ROWS as readonly Wrapper[];
