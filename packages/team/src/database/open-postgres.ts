import { setTimeout } from 'node:timers/promises';
import { lazy } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Query, Statements } from '@jinn/store/statements';
import pg from 'pg';
import { doAtOnce, doInTime, TOO_LATE } from './batch.ts';
import { codeOf, explainFault } from './explain-fault.ts';
import { ensureSchema } from './schema.ts';

const MAX_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** How long a caller waits in all. A connection without an answer for so long is given up. A stopping server allows more. */
const ANSWER_MS = 7_000;
const COMMIT_MS = 1_000;
/** A firewall forgets idle connections, and drops what is sent over them. */
const IDLE_MS = 5_000;
/** What ends one connection often ends the others, a little later. */
const REPEAT_AFTER_MS = 50;
const INT8 = 20;
/** The server ends, starts, or cannot be reached. Two transactions were in each other's way, or a clock was set. Nothing was done. */
const NOTHING_DONE = new RegExp(
  `^(57P0[123]|40001|40P01|23505|${TOO_LATE}|ECONNREFUSED|ENOENT|Client .* is not queryable)$`,
);
const LOST = /^(08\w{3}|ECONN\w+|EPIPE|Connection terminated unexpectedly)$/;
const TOO_LONG = '54000';
const NO_TEXT = '22021';
/** For changes that a power loss may undo. A setting of its transaction. */
const UNSYNCED: Query = ["SELECT set_config('synchronous_commit', 'off', true)"];

export interface DatabaseFigures {
  readonly connections: number;
  readonly statements: number;
  readonly failures: number;
  readonly seconds: number;
}

export interface PostgresStatements extends Statements {
  /** Returns what the database was asked so far, and how long that took. */
  figures(): DatabaseFigures;
}

/** Opens a PostgreSQL database that several servers share. It connects at the first statement. Its statements throw ToolError. */
export function openPostgres(url: string): PostgresStatements {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    idleTimeoutMillis: IDLE_MS,
    pipeline: true,
    application_name: 'jinn-mcp',
    allowExitOnIdle: true,
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never },
  });
  // A lost connection is replaced when one is needed. Statements that run on it fail by themselves.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const ready = lazy(() => ensureSchema(pool));
  const clients = new SharedClients(pool, MAX_CONNECTIONS);
  const tryOnce = async (queries: readonly Query[], deadline: number | undefined) => {
    await ready();
    return clients.use((client) =>
      deadline === undefined ? doAtOnce(client, queries) : doInTime(client, queries, deadline),
    );
  };
  // What writes is not repeated if it may have been done, and not done after `deadline`.
  const repeat = async (queries: readonly Query[], deadline: number | undefined) => {
    try {
      return await tryOnce(queries, deadline);
    } catch (error) {
      const code = codeOf(error);
      if (!NOTHING_DONE.test(code) && (deadline !== undefined || !LOST.test(code))) throw error;
    }
    await setTimeout(REPEAT_AFTER_MS);
    return tryOnce(queries, deadline);
  };
  const asked = { statements: 0, failures: 0, seconds: 0 };
  const run = async (queries: readonly Query[], { writes }: { readonly writes: boolean }) => {
    const start = performance.now();
    const deadline = writes ? start + ANSWER_MS - COMMIT_MS : undefined;
    try {
      return await Promise.race([repeat(queries, deadline), noAnswer()]);
    } catch (error) {
      asked.failures++;
      throw explained(error);
    } finally {
      asked.statements++;
      asked.seconds += (performance.now() - start) / 1_000;
    }
  };
  const change = async (queries: readonly Query[]) =>
    (await run(queries, { writes: true })).map(({ rowCount }) => rowCount ?? 0);
  return {
    figures: () => ({ connections: pool.totalCount, ...asked }),
    read: async (...query) => (await run([query], { writes: false }))[0]?.rows ?? [],
    write: async (...query) => (await change([query]))[0] as number,
    writeAll: async (queries, { isSynced = true } = {}) => {
      if (queries.length === 0) return [];
      return isSynced ? change(queries) : (await change([UNSYNCED, ...queries])).slice(1);
    },
  };
}

function ignore(): void {}

async function noAnswer(): Promise<never> {
  await setTimeout(ANSWER_MS, undefined, { ref: false });
  throw new Error('no answer came in time');
}

function explained(cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  if (codeOf(cause) === TOO_LONG) {
    const suggestion = 'use a shorter one, or approve the call once';
    return new ToolError('write_failed', 'this is too long to be remembered', { suggestion, cause });
  }
  if (codeOf(cause) === NO_TEXT) {
    const suggestion = 'leave that character out';
    return new ToolError('invalid_args', "the team's database keeps no text with U+0000", { suggestion, cause });
  }
  const passing = "the team's database does not answer";
  const suggestion = 'send it again in a moment. If it fails again, tell the operator';
  return explainFault(cause) ?? new ToolError('unavailable', passing, { suggestion, cause });
}

/** The database ends the connection. Its word for that depends on its language, and the codes do not name each cause. */
const FATAL = 'FATAL';
const ENDS = /^(08|57P)/;

interface Lease {
  readonly client: Promise<pg.PoolClient>;
  users: number;
  isLost: boolean;
}

/** Shares the connections of a pool: a free one, or else the one with the fewest users. They send without waiting (`pipeline`). */
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
      // An error of the database concerns one statement.
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

  /** None that is open gets new users: what ended one often ended the others, which may not have noticed yet. */
  #lose(lease: Lease): void {
    if (!lease.isLost) for (const open of this.#leases.splice(0)) open.isLost = true;
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
