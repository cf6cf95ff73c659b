import { estimate, loadExactCounter, type TokenCounter } from '@jinn/context/tokens';
import type { Flags } from '../flags.ts';

/** Returns what counts the tokens of a run. */
export function counterOf({ encoding }: Pick<Flags, 'encoding'>): TokenCounter | Promise<TokenCounter> {
  return encoding === undefined ? estimate : loadExactCounter(encoding);
}

/** Returns what counts a document that is written. A budget needs an exact count. */
export function writtenCounterOf({ encoding, maxTokens }: Flags): TokenCounter | Promise<TokenCounter> {
  return counterOf({ encoding: encoding ?? (maxTokens === undefined ? undefined : 'o200k') });
}
