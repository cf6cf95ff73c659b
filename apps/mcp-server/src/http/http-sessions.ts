import type { ServerResponse } from 'node:http';
import type { Asker } from '@jinn/team/people/asker';
import type { Identity } from '@jinn/team/people/identity';

interface Entry<T> {
  readonly kept: T;
  readonly owner: string;
  users: number;
  freeSince: number;
  onEnd(): void;
}

const SWEEP_MS = 10_000;

/** Whose a session is, and how many they may have. */
export interface Seat {
  readonly owner: string;
  readonly most: number;
}

interface TableLimits<T> {
  readonly max: number;
  readonly idleMs: number;
  /** Gets each one that is kept, and whose it is, and returns a function for its end. */
  onBegin(kept: T, owner: string): () => void;
}

/** Sessions by keys. If there are too many, the owner with the most loses the least recently used one. */
export class HttpSessions<T extends { close(): Promise<void> }> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limits: TableLimits<T>;
  readonly #timer: NodeJS.Timeout;

  constructor(limits: TableLimits<T>) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#sweep(), Math.min(limits.idleMs, SWEEP_MS)).unref();
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.kept;
  }

  all(): readonly (readonly [string, T])[] {
    return [...this.#entries].map(([key, { kept }]) => [key, kept] as const);
  }

  /** Reports whether the owner may have another one: not if each has one alone, and there is no room. */
  hasRoom(seat: Seat): boolean {
    return this.#entries.size < this.#limits.max || this.#crowded(seat) !== undefined;
  }

  /** Ends one if there is no room. One that a request uses only if its owner has no other. */
  add(key: string, kept: T, seat: Seat): void {
    const crowded = this.#crowded(seat);
    const { owner } = seat;
    if (crowded !== undefined) void this.end(crowded);
    this.#entries.set(key, { kept, owner, users: 0, freeSince: Date.now(), onEnd: this.#limits.onBegin(kept, owner) });
  }

  /** Returns the key of the one that makes room for another of this owner, or undefined if none must, or none may. */
  #crowded({ owner, most: maxEach }: Seat): string | undefined {
    const counts = new Map([[owner, 0]]);
    for (const entry of this.#entries.values()) counts.set(entry.owner, (counts.get(entry.owner) ?? 0) + 1);
    const own = counts.get(owner) ?? 0;
    if (own >= maxEach) return this.#leastUsed(owner);
    if (this.#entries.size < this.#limits.max) return undefined;
    const [largest, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    return this.#leastUsed(most > own + 1 ? largest : owner);
  }

  #leastUsed(owner: string): string | undefined {
    const own = [...this.#entries].filter(([, entry]) => entry.owner === owner);
    const [key] = own.find(([, { users }]) => users === 0) ?? own[0] ?? [];
    return key;
  }

  hold(key: string, until: AbortSignal): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || until.aborted) return;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users++;
    const release = () => {
      entry.users--;
      entry.freeSince = Date.now();
    };
    until.addEventListener('abort', release, { once: true });
  }

  async end(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.onEnd();
    await entry?.kept.close();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled([...this.#entries.keys()].map((key) => this.end(key)));
  }

  #sweep(): void {
    const oldest = Date.now() - this.#limits.idleMs;
    for (const [key, { users, freeSince }] of this.#entries) {
      if (users === 0 && freeSince <= oldest) void this.end(key);
    }
  }
}

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

/** The requests that are not answered yet, and what let them in. */
export class OpenRequests implements Holder {
  readonly #open = new Map<ServerResponse, Pick<Asker, 'token' | 'expires'>>();

  /** Notes a request. `expires` is for a stream of notices, which lasts no longer than the token that let it in. */
  add({ token, expires }: Pick<Asker, 'token' | 'expires'>, response: ServerResponse): void {
    if (response.closed) return;
    if (!this.#open.has(response)) response.once('close', () => this.#open.delete(response));
    this.#open.set(response, { token, expires });
  }

  tokens(): readonly string[] {
    return [...this.#open.values()].flatMap(({ token }) => token ?? []);
  }

  end(token: string): void {
    for (const [response, used] of this.#open) if (used.token === token) response.destroy();
  }

  /** The clients come back with a new token. */
  endExpired(): void {
    for (const [response, { expires = Infinity }] of this.#open) if (expires <= Date.now()) response.destroy();
  }
}
