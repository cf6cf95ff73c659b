import type { Identity } from '../people/identity.ts';

const LOOK_MS = 3_000;

/** What tokens let in, and what goes on after the request: streams, calls, sessions with their background jobs. */
interface Holder {
  /** Returns the tokens that it has something of. */
  tokens(): readonly string[];
  /** Ends what a token let in. */
  end(token: string): void;
  /** Ends what lasts no longer than a token of a provider, if that has expired. */
  endExpired?(): void;
}

/**
 * Looks every few seconds which tokens were taken back or have expired, and ends what they let in. Returns what ends that. A token
 * must be gone at two looks: whoever writes the file of tokens anew may empty it, or take it away, for a moment.
 */
export function endRevoked(identity: Pick<Identity, 'counts'>, holders: readonly Holder[]): () => void {
  let isLooking = false;
  let gone: ReadonlySet<string> = new Set();
  const look = async () => {
    const gonePreviously = gone;
    const goneNow = new Set<string>();
    const judge = async (token: string) => {
      if (await identity.counts(token)) return;
      goneNow.add(token);
      if (gonePreviously.has(token)) for (const holder of holders) holder.end(token);
    };
    await Promise.all([...new Set(holders.flatMap((holder) => holder.tokens()))].map(judge));
    gone = goneNow;
  };
  const timer = setInterval(() => {
    for (const holder of holders) holder.endExpired?.();
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
