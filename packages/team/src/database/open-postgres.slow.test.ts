import { change, record } from '@jinn/store/fixture/test-history';
import { findPostgres, makeTempDirectory, startPostgres, startRelay } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const insert = (answer: string | null) => ['INSERT INTO spent (answer, until) VALUES (?, ?)', answer, 1] as const;

/** What would be there twice if it was done twice. */
const addOne = ['INSERT INTO spent (answer, until) VALUES (? || gen_random_uuid(), 1)', 'a'] as const;

test.skipIf(bin === undefined).for([
  ['a statement that writes', 1],
  ['what is done all at once', 2],
] as const)('%s is not repeated if the answer to it is lost', async ([, count]) => {
  const { url, query } = startPostgres(bin as string);
  const relay = await startRelay(url);
  const statements = openPostgres(relay.url);
  await statements.read('SELECT 1');
  relay.cutAt('INSERT INTO spent');
  const work = count === 1 ? statements.write(...addOne) : statements.writeAll([addOne, addOne]);
  await expect(work).rejects.toMatchObject({ code: 'unavailable' });
  await expect.poll(() => query('SELECT count(*) AS n FROM spent')).toEqual([{ n: count }]);
  expect(await statements.read('SELECT count(*) AS n FROM spent')).toEqual([{ n: count }]);
});

test.skipIf(bin === undefined)('what reads is asked again if the answer to it is lost', async () => {
  const relay = await startRelay(startPostgres(bin as string).url);
  const statements = openPostgres(relay.url);
  await statements.read('SELECT 1');
  relay.cutAt('SELECT 2');
  expect(await statements.read('SELECT 2 AS n')).toEqual([{ n: 2 }]);
});

test.skipIf(bin === undefined)('of statements one of which fails, none is done', async () => {
  const { url, query } = startPostgres(bin as string);
  const statements = openPostgres(url);
  for (const isSynced of [true, false]) {
    for (const queries of [
      [insert('a'), insert(null)],
      [insert(null), insert('a')],
      [insert('a'), insert('a')],
    ]) {
      await expect(statements.writeAll(queries, { isSynced })).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(query('SELECT answer FROM spent')).toEqual([]);
  }
  expect(await statements.writeAll([insert('a'), insert('b'), ['DELETE FROM spent']])).toEqual([1, 1, 2]);
});

test.skipIf(bin === undefined)('for no statements, the database is not asked', async () => {
  const relay = await startRelay(startPostgres(bin as string).url);
  const statements = openPostgres(relay.url);
  expect(await relay.countAnswers(async () => expect(await statements.writeAll([])).toEqual([]))).toBe(0);
});

test.skipIf(bin === undefined)('a connection that the database ends as it becomes ready is replaced', async () => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mended\0\0');
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  const relay = await startRelay(startPostgres(bin as string).url, Buffer.concat([head, fields]));
  expect(await openPostgres(relay.url).read('SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test.skipIf(bin === undefined)(
  'what a power loss may take is not waited for, and that holds for it alone',
  async () => {
    const { url, query } = startPostgres(bin as string);
    const statements = openPostgres(url);
    const note = `INSERT INTO spent (answer, until) VALUES (? || current_setting('synchronous_commit'), 1)`;
    expect(await statements.writeAll([[note, '1 ']], { isSynced: false })).toEqual([1]);
    expect(await statements.writeAll([[note, '2 ']])).toEqual([1]);
    await statements.write(note, '3 ');
    expect(query('SELECT answer FROM spent ORDER BY answer')).toEqual([
      { answer: '1 off' },
      { answer: '2 on' },
      { answer: '3 on' },
    ]);
  },
);

test.skipIf(bin === undefined)('nobody waits for the answers to others, on at most four connections', async () => {
  const { url, query } = startPostgres(bin as string);
  const statements = openPostgres(url);
  await statements.read('SELECT 1');
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, i) => statements.writeAll([insert(i % 10 === 9 ? null : `${i}`)])),
  );
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  expect(query('SELECT count(*) AS n FROM spent')).toEqual([{ n: 90 }]);
  expect(query("SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'jinn-mcp'")).toEqual([{ n: 4 }]);
  const sleeps = Array.from({ length: 40 }, () => statements.read('SELECT pg_sleep(0.3)'));
  await expect(Promise.all(sleeps)).resolves.toHaveLength(40);
});

test.skipIf(bin === undefined)(
  'when connections are ended, nothing is done twice or told as done that is not',
  async () => {
    const { url, query, execute } = startPostgres(bin as string);
    const statements = openPostgres(url);
    const done: string[] = [];
    const failures: unknown[] = [];
    const unread: unknown[] = [];
    let isOver = false;
    const write = async (name: string) => {
      for (let i = 0; !isOver; i++) {
        const answer = `${name} ${i}`;
        const work = statements.writeAll([[addOne[0], `${answer} `], ['SELECT pg_sleep(0.01)']]);
        await work.then(
          () => done.push(answer),
          (error) => failures.push(error),
        );
      }
    };
    let waiting = new Set<number>();
    const read = async (reader: number) => {
      for (; !isOver; waiting.delete(reader)) {
        await statements.read('SELECT pg_sleep(0.01)').catch((error) => unread.push(error));
      }
    };
    const writers = Array.from({ length: 20 }, (_, i) => write(`w${i}`));
    const readers = Array.from({ length: 5 }, (_, i) => read(i));
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      // What reads is asked again once: nothing that was cut off before may be cut off again.
      await expect.poll(() => waiting.size).toBe(0);
      waiting = new Set(readers.keys());
      execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'jinn-mcp'");
    }
    isOver = true;
    await Promise.all([...writers, ...readers]);
    expect(done.length).toBeGreaterThan(20);
    expect(unread).toEqual([]);
    for (const error of failures) expect(error).toMatchObject({ code: 'unavailable' });
    const kept = query("SELECT regexp_replace(answer, ' [^ ]*$', '') AS answer FROM spent").map(({ answer }) => answer);
    expect(kept).toHaveLength(new Set(kept).size);
    expect(done.filter((answer) => !kept.includes(answer))).toEqual([]);
  },
);

test.skipIf(bin === undefined)(
  'a change takes two round trips, and to look for what it left and what is too much one each',
  async () => {
    const relay = await startRelay(startPostgres(bin as string).url);
    const owner = { root: '/w', person: 'ann', directory: makeTempDirectory() };
    const history = await openSharedState({ url: relay.url, workspace: 'shop' }).stateOf(owner).history();
    await record(history, [change('a', 'x')]);
    // Each may read the clock of the database again, where that is slow.
    const trips = (work: () => Promise<unknown>) => expect.poll(() => relay.countAnswers(work));
    await trips(() => history.unsettled()).toBe(1);
    await trips(() => history.prepare('t', [change('a', 'x'), change('b', 'x')])).toBe(1);
    await trips(() => record(history, [change('a', 'x'), change('b', 'x')])).toBe(3);
  },
);
