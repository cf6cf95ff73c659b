import { connect, createServer, type Server } from 'node:net';
import { findPostgres, makeTempDirectory, startPostgres } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';

const bin = findPostgres();
const SOCKET = '.s.PGSQL.5432';
const INSERT = "INSERT INTO spent (answer, until) VALUES ('a', 1)";

/** Passes on what goes to a database. Once it is told to, it cuts the connection in front of the answer to a statement. */
async function startRelay(place: string) {
  const directory = makeTempDirectory();
  let awaited: string | undefined;
  const server: Server = createServer((client) => {
    const upstream = connect(`${place}/${SOCKET}`);
    let isCut = false;
    client.on('data', (chunk) => {
      if (awaited !== undefined && chunk.includes(awaited)) {
        isCut = true;
        awaited = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => (isCut ? client.destroy() : client.write(chunk)));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy());
      one.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(`${directory}/${SOCKET}`, resolve);
  });
  onTestFinished(() => void server.close());
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`,
    cutAt: (statement: string) => {
      awaited = statement;
    },
  };
}

test.skipIf(bin === undefined).for([
  ['a transaction', 'COMMIT', true],
  ['a statement that writes by itself', 'INSERT INTO spent', false],
] as const)('%s is not repeated if the answer to it is lost', async ([, statement, isTransaction]) => {
  const { url, query } = startPostgres(bin as string);
  const relay = await startRelay(new URL(url).searchParams.get('host') as string);
  const statements = openPostgres(relay.url);
  await statements.read('SELECT 1');
  relay.cutAt(statement);
  const work = isTransaction ? statements.writeAll([[INSERT]]) : statements.write(INSERT);
  await expect(work).rejects.toMatchObject({ code: 'unavailable' });
  await expect.poll(() => query('SELECT count(*) AS n FROM spent')).toEqual([{ n: 1 }]);
  expect(await statements.read('SELECT count(*) AS n FROM spent')).toEqual([{ n: 1 }]);
});
