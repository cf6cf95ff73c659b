import type { Identity } from '../people/identity.ts';

const LOOK_MS = 3_000;

/** What tokens let in, and what goes on after the request: streams, calls, sessions with their background jobs. */
interface Holder {
  /** Returns the tokens that it has something of. */
  tokens(): readonly string[];
  /** Ends what a token let in. */
  end(token: string): void;
}

/** Looks every few seconds which tokens were taken back or have expired, and ends what they let in. Returns what ends that. */
export function endRevoked(identity: Identity, holders: readonly Holder[]): () => void {
  let isLooking = false;
  const look = async () => {
    for (const token of new Set(holders.flatMap((holder) => holder.tokens()))) {
      if (await identity.counts(token)) continue;
      for (const holder of holders) holder.end(token);
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
