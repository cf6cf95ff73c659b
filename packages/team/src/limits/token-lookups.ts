import { networkOf } from '../people/asker.ts';
import type { Refusal } from '../people/refusal.ts';
import { Rate } from './rate.ts';

const UNKNOWN_PER_MINUTE = 60;
/** Tokens that nobody was let in by yet and that are still to be looked up. */
const MAX_IN_LINE = 128;
/** Those that were used longest ago are forgotten: then a token waits in line again, and a network starts from zero. */
const MAX_KEPT = 1_000;

type TokenLookup<T> = (hash: string) => Promise<T | undefined>;

/**
 * Bounds what lookups take. A token that somebody was let in by before is looked up at once. All others wait in one line, so that
 * whoever makes up tokens holds up nobody else, and each network is refused after some that are not known.
 */
export function boundLookups<T>(
  look: TokenLookup<T>,
): (hash: string, address: string) => Promise<T | Refusal | undefined> {
  const share = shareLookups(look);
  const known = new Map<string, true>();
  const rates = new Map<string, Rate>();
  let inLine = 0;
  const findNew = async (hash: string, network: string): Promise<T | Refusal | undefined> => {
    const rate = rates.get(network) ?? new Rate(UNKNOWN_PER_MINUTE, performance.now());
    keep(rates, network, rate);
    const wait = Math.ceil(rate.waitFor(1, performance.now()) / 1_000);
    if (wait > 0) {
      const message = `too many tokens from this address are not known here; wait ${wait} seconds`;
      return { status: 429, message, retryAfter: wait };
    }
    const places = share.isWaiting(hash) ? 0 : 1;
    if (inLine + places > MAX_IN_LINE) {
      return { status: 503, message: 'too many tokens are looked up at once; send it again in a moment' };
    }
    inLine += places;
    const found = await share.look(hash, 'of strangers').finally(() => {
      inLine -= places;
    });
    if (found === undefined) rate.take(1, performance.now());
    else keep(known, hash, true);
    return found;
  };
  return async (hash, address) => {
    if (!known.has(hash)) return findNew(hash, networkOf(address));
    const found = await share.look(hash, hash);
    if (found !== undefined) keep(known, hash, true);
    else known.delete(hash);
    return found;
  };
}

/**
 * Runs the lookups of a line one after the other. If one fails, so do those behind it: each would wait as long. Who asks for the same
 * token shares one that has not begun, and never one that has: the token may have been revoked since.
 */
function shareLookups<T>(look: TokenLookup<T>) {
  const waiting = new Map<string, Promise<T | undefined>>();
  const lines = new Map<string, Promise<unknown>>();
  return {
    isWaiting: (hash: string) => waiting.has(hash),
    look: (hash: string, line: string): Promise<T | undefined> => {
      const shared = waiting.get(hash);
      if (shared !== undefined) return shared;
      const begin = () => {
        waiting.delete(hash);
        return look(hash);
      };
      const fail = (error: unknown) => {
        waiting.delete(hash);
        throw error;
      };
      const found = (lines.get(line) ?? Promise.resolve()).then(begin, fail);
      waiting.set(hash, found);
      lines.set(line, found);
      const leave = () => {
        if (lines.get(line) === found) lines.delete(line);
      };
      found.then(leave, leave);
      return found;
    },
  };
}

function keep<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.delete(name);
  kept.set(name, value);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}
