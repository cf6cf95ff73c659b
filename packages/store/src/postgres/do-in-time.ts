import type pg from 'pg';
import type { Query } from '../statements.ts';
import { doAtOnce } from './batch.ts';
import { codeOf } from './explain-fault.ts';

/** A division by zero: no statement of ours has another one. */
const TOO_LATE = '22012';
const NOW = 'extract(epoch FROM clock_timestamp()) * 1000';

/** What the clock of the database shows less what ours does, by the connection. */
const offsets = new WeakMap<pg.ClientBase, number>();

/**
 * Does all of them or none, and none if they reach the database after `latest`, of the clock of `performance`: what nobody waits for
 * any more may still be on its way, and would be done a minute later.
 */
export async function doInTime(
  client: pg.ClientBase,
  queries: readonly Query[],
  latest: number,
): Promise<readonly pg.QueryResult[]> {
  const offset = offsets.get(client) ?? (await readOffset(client));
  offsets.set(client, offset);
  const check: Query = [`SELECT 1 / (${NOW} < ?)::int`, latest + offset];
  try {
    return (await doAtOnce(client, [check, ...queries])).slice(1);
  } catch (error) {
    // Somebody may have set the clock.
    if (codeOf(error) === TOO_LATE) offsets.delete(client);
    throw error;
  }
}

async function readOffset(client: pg.ClientBase): Promise<number> {
  const [found] = await doAtOnce(client, [[`SELECT ${NOW} AS now`]]);
  return Number(found?.rows[0].now) - performance.now();
}
