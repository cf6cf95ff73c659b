import pg from 'pg';

/** The database ends the connection. Its word for that depends on its language, and the codes do not name each cause. */
const FATAL = 'FATAL';
const ENDS = /^(08|57P)/;

interface Lease {
  readonly client: Promise<pg.PoolClient>;
  users: number;
  isLost: boolean;
}

/**
 * Shares the connections of a pool, which send without waiting (`pipeline`). A caller gets a free connection while there are some, and
 * else shares the one with the fewest users.
 */
export class SharedClients {
  readonly #pool: pg.Pool;
  readonly #max: number;
  #leases: Lease[] = [];

  constructor(pool: pg.Pool, max: number) {
    this.#pool = pool;
    this.#max = max;
  }

  async use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const lease = this.#join();
    lease.users++;
    try {
      return await work(await lease.client);
    } catch (error) {
      // An error of the database concerns one statement. After any other, the connection gets no new users.
      if (!(error instanceof pg.DatabaseError) || isEnd(error)) this.#lose(lease);
      throw error;
    } finally {
      lease.users--;
      if (lease.users === 0) await this.#end(lease);
    }
  }

  #join(): Lease {
    const [quietest] = this.#leases.length < this.#max ? [] : this.#leases.toSorted((a, b) => a.users - b.users);
    if (quietest) return quietest;
    const lease = { client: this.#pool.connect(), users: 0, isLost: false };
    this.#leases.push(lease);
    return lease;
  }

  #lose(lease: Lease): void {
    lease.isLost = true;
    this.#leases = this.#leases.filter((other) => other !== lease);
  }

  async #end(lease: Lease): Promise<void> {
    this.#leases = this.#leases.filter((other) => other !== lease);
    const client = await lease.client.catch(() => undefined);
    client?.release(lease.isLost);
  }
}

function isEnd({ severity, code = '' }: pg.DatabaseError): boolean {
  return severity === FATAL || ENDS.test(code);
}
