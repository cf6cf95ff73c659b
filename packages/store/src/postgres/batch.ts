import pg from 'pg';
import type { Query } from '../statements.ts';

type Done = (error: Error | null | undefined, results: unknown) => void;

/** Statements that are sent at once. PostgreSQL makes one transaction of what comes before the sync. */
class Batch extends pg.Query {
  constructor(queries: readonly Query[], done: Done) {
    super('', done as never);
    this.submit = (connection) => {
      connection.stream.cork();
      for (const [text, ...values] of queries) {
        connection.parse({ name: '', text: toNumbered(text), types: [] }, true);
        connection.bind({ values: values.map(toParameter) }, true);
        connection.describe({ type: 'P' }, true);
        connection.execute({}, true);
      }
      connection.sync();
      connection.stream.uncork();
    };
  }
}

/** Does all of them or none, in one round trip, and returns what each did. */
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
  return value === null || Buffer.isBuffer(value) ? value : String(value);
}
