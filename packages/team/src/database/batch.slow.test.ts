import { findPostgres, startPostgres } from '@jinn/testkit';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { doAtOnce } from './batch.ts';

const bin = findPostgres();
const unwritable = {
  toString() {
    throw new Error('no text');
  },
};

test.skipIf(bin === undefined).for([
  ['has no text', unwritable, 'no text'],
  ['is not there', undefined, 'undefined is no value of a statement'],
] as const)('a value that %s is refused, and the connection goes on', async ([, value, message]) => {
  const client = new pg.Client({ connectionString: startPostgres(bin as string).url, query_timeout: 2_000 });
  await client.connect();
  onTestFinished(() => client.end());
  await expect(doAtOnce(client, [['SELECT ?::text', value]])).rejects.toThrow(message);
  const [result] = await doAtOnce(client, [['SELECT ?::text AS found', null]]);
  expect(result?.rows).toEqual([{ found: null }]);
});
