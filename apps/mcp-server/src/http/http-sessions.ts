/** What is kept for a client between its requests. */
interface ClosableSession {
  close(): Promise<void>;
}

interface Entry<T> {
  readonly kept: T;
  /** The requests that use it now. */
  users: number;
  /** When the last request ended. */
  freeSince: number;
}

const SWEEP_MS = 10_000;

export interface TableLimits {
  readonly max: number;
  /** How long something is kept that no request uses, in milliseconds. */
  readonly idleMs: number;
}

/** What is kept for clients, by a key: at most so many, the least recently used out first, and none for ever. */
export class HttpSessions<T extends ClosableSession> {
  /** The least recently used come first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limits: TableLimits;
  readonly #timer: NodeJS.Timeout;

  constructor(limits: TableLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#sweep(), Math.min(limits.idleMs, SWEEP_MS)).unref();
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.kept;
  }

  /** Ends the least recently used one if there is no room; one that a request uses only if all are used. */
  add(key: string, kept: T): void {
    if (this.#entries.size >= this.#limits.max) {
      const keys = [...this.#entries.keys()];
      const free = keys.find((known) => this.#entries.get(known)?.users === 0);
      void this.end(free ?? (keys[0] as string));
    }
    this.#entries.set(key, { kept, users: 0, freeSince: Date.now() });
  }

  /** Keeps it from being idle until the signal aborts. */
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

  /** Forgets and closes it. */
  async end(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    await entry?.kept.close();
  }

  /** Ends all. */
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
