import type pg from 'pg';
import type { Query } from '../statements.ts';
import { doAtOnce } from './batch.ts';
import { codeOf } from './explain-fault.ts';

/** A division by zero: no statement of ours has another one. */
export const TOO_LATE = '22012';
const NOW = 'extract(epoch FROM clock_timestamp()) * 1000';
/** Fails if the time is over. */
const IS_BEFORE = `1 / (${NOW} < ?)::int`;
const ON_ITS_WAY_MS = 3_000;
const STATEMENT_MS = 4_000;
/**
 * Sets how long each statement of a transaction may take. It is set in the transaction: a pooler such as PgBouncer refuses it as a
 * parameter of the connection, and gives each transaction another session.
 */
export const SET_LIMIT = `set_config('statement_timeout', '${STATEMENT_MS}', true)`;
/** Clocks go at different speeds, and somebody may set one. */
const KEPT_MS = 60_000;
/** A reading that took longer is off by up to half of that, and is used once. */
const QUICK_MS = 100;

/** The clock of the database minus ours, in milliseconds, and when that was read. */
interface Offset {
  readonly offset: number;
  readonly at: number;
}

const offsets = new WeakMap<pg.ClientBase, Offset>();

/**
 * Does all of them or none. It does none if they take more than 3 seconds to reach the database, or if the database is not done with
 * them before `deadline`, of the clock of `performance`: what nobody waits for any more may still be on its way, or wait for a lock, and
 * would be done later.
 */
export async function doInTime(
  client: pg.ClientBase,
  queries: readonly Query[],
  deadline: number,
): Promise<readonly pg.QueryResult[]> {
  const offset = await offsetOf(client);
  const begin: Query = [`SELECT ${SET_LIMIT}, ${IS_BEFORE}`, performance.now() + ON_ITS_WAY_MS + offset];
  const end: Query = [`SELECT ${IS_BEFORE}`, deadline + offset];
  try {
    return (await doAtOnce(client, [begin, ...queries, end])).slice(1, -1);
  } catch (error) {
    // Somebody may have set the clock.
    if (codeOf(error) === TOO_LATE) offsets.delete(client);
    throw error;
  }
}

async function offsetOf(client: pg.ClientBase): Promise<number> {
  const known = offsets.get(client);
  const start = performance.now();
  if (known && start - known.at < KEPT_MS) return known.offset;
  const [found] = await doAtOnce(client, [[`SELECT ${NOW} AS now`]]);
  const end = performance.now();
  const offset = Number(found?.rows[0].now) - (start + end) / 2;
  if (end - start < QUICK_MS) offsets.set(client, { offset, at: end });
  return offset;
}
