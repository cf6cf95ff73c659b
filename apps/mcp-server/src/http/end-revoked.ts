import type { ServerResponse } from 'node:http';
import type { Asker } from '@jinn/team/people/asker';
import type { Identity } from '@jinn/team/people/identity';

const LOOK_MS = 3_000;

interface Holder {
  tokens(): readonly string[];
  end(token: string): void;
  /** Ends what lasts no longer than a token of a provider, if that has expired. */
  endExpired?(): void;
}

/** Ends what expired and revoked tokens let in, until the returned function is called. A token must be gone at two looks, 3 seconds apart. */
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

/** The requests that are not answered yet, by the tokens that let them in. */
export class OpenRequests implements Holder {
  readonly #tokens = new Map<ServerResponse, string>();
  readonly #streams = new Map<ServerResponse, number>();

  add({ token }: Pick<Asker, 'token'>, response: ServerResponse): void {
    if (token === undefined || response.closed) return;
    this.#tokens.set(response, token);
    response.once('close', () => this.#tokens.delete(response));
  }

  /** Notes that a request is a stream of notices, which lasts no longer than the token that let it in. */
  addStream({ expires }: Pick<Asker, 'expires'>, response: ServerResponse): void {
    if (expires === undefined || response.closed) return;
    this.#streams.set(response, expires);
    response.once('close', () => this.#streams.delete(response));
  }

  tokens(): readonly string[] {
    return [...this.#tokens.values()];
  }

  end(token: string): void {
    for (const [response, used] of this.#tokens) if (used === token) response.destroy();
  }

  /** The clients come back with a new token. */
  endExpired(): void {
    for (const [response, expires] of this.#streams) if (expires <= Date.now()) response.destroy();
  }
}
