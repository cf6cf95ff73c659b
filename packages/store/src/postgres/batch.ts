import pg from 'pg';
import type { Query } from '../statements.ts';

type Done = (error: Error | null | undefined, results: unknown) => void;

/** Statements that are sent at once. PostgreSQL makes one transaction of what comes before the sync. */
class Batch extends pg.Query {
  constructor(queries: readonly Query[], done: Done) {
    super('', done as never);
    const statements = queries.map(([text, ...values]) => ({
      text: toNumbered(text),
      values: values.map(toParameter),
    }));
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

/** Writes `$1`, `$2`… for each `?`. No statement of ours has one in a text. */
function toNumbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}

function toParameter(value: unknown): Buffer | string | null {
  if (value === undefined) throw new TypeError('undefined is no value of a statement');
  return value === null || Buffer.isBuffer(value) ? value : String(value);
}
