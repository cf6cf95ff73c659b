import { estimate, loadExactCounter, type TokenCounter } from '@jinn/context/tokens';
import type { Flags } from '../flags.ts';

/** Returns what counts the tokens of a run. */
export function counterOf({ encoding }: Flags): TokenCounter | Promise<TokenCounter> {
  return encoding === undefined ? estimate : loadExactCounter(encoding);
}
