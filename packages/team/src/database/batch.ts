import type { Query } from '@jinn/store/statements';
import pg from 'pg';
import { codeOf } from './explain-fault.ts';

/** Statements that are sent at once. PostgreSQL makes one transaction of what comes before the sync. */
class Batch extends pg.Query {
  constructor(queries: readonly Query[], done: (error: Error | null | undefined, results: unknown) => void) {
    super('', done as never);
    const statements = queries.map(([text, ...values]) => {
      let count = 0;
      // No statement of ours has a question mark in a text.
      return { text: text.replace(/\?/g, () => `$${++count}`), values: values.map(toParameter) };
    });
    this.submit = (connection) => {
      connection.stream.cork();
      try {
        for (const { text, values } of statements) {
          connection.parse({ name: '', text, types: [] }, true);
          connection.bind({ values }, true);
          connection.describe({ type: 'P' }, true);
          connection.execute({}, true);
        }
        connection.sync();
      } finally {
        connection.stream.uncork();
      }
    };
  }
}

/** Runs all statements or none, in one round trip, and returns the result of each. */
export async function doAtOnce(client: pg.ClientBase, queries: readonly Query[]): Promise<readonly pg.QueryResult[]> {
  const results = await new Promise((resolve, reject) => {
    client.query(new Batch(queries, (error, done) => (error ? reject(error) : resolve(done))));
  });
  return [results as pg.QueryResult | pg.QueryResult[]].flat();
}

function toParameter(value: unknown): Buffer | string | null {
  if (value === undefined) throw new TypeError('undefined is no value of a statement');
  return value === null || Buffer.isBuffer(value) ? value : String(value);
}

/** A division by zero: no statement of ours has another one. */
export const TOO_LATE = '22012';
const NOW = 'extract(epoch FROM clock_timestamp()) * 1000';
const IS_BEFORE = `1 / (${NOW} < ?)::int`;
const ON_ITS_WAY_MS = 3_000;
const STATEMENT_MS = 4_000;
/** How long each statement may take. It is set in the transaction, since a pooler such as PgBouncer refuses it as a parameter. */
export const SET_LIMIT = `set_config('statement_timeout', '${STATEMENT_MS}', true)`;
/** Clocks run at different speeds, and an operator may set one. */
const KEPT_MS = 60_000;
/** A reading that took longer is off by up to half of that, and is used once. */
const QUICK_MS = 100;

const offsets = new WeakMap<pg.ClientBase, { readonly offset: number; readonly at: number }>();

/** Runs all statements or none: none if they arrive after 3 seconds, or end after `deadline` (of `performance`). */
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
    // The clock may have been set.
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
