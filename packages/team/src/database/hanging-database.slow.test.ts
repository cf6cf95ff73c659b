import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgres, startPostgres, startRelay } from '@jinn/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres } from './open-postgres.ts';

const bin = findPostgres();
// Each waits several times for what is given up.
vi.setConfig({ testTimeout: 180_000 });
/** What the documentation says, and what a busy machine may add. */
const BOUND_MS = 7_000;
const SLACK_MS = 3_000;

/** Returns what became of some work, and how long that took. */
async function timed(work: Promise<unknown>) {
  const start = performance.now();
  const code = await work.then(
    () => 'done',
    ({ code: thrown }: { code: string }) => thrown,
  );
  return { code, ms: performance.now() - start };
}

const insert = (answer: string) => ['INSERT INTO spent (answer, until) VALUES (?, 1)', answer] as const;

test.skipIf(bin === undefined).for([
  ['that were used before', 'open'],
  ['that are new', 'none'],
] as const)('over connections %s, a database that hangs is given up in time', async ([, before]) => {
  const { url, query } = startPostgres(bin as string);
  const relay = await startRelay(url);
  const statements = openPostgres(relay.url);
  const read = () => statements.read('SELECT 1');
  const write = (answer: string) => statements.write(...insert(answer));
  const all = () => Promise.all(Array.from({ length: 20 }, (_, i) => timed(i % 2 ? read() : write(`${i}`))));
  if (before === 'open') await Promise.all(Array.from({ length: 4 }, () => statements.write('DELETE FROM spent')));
  relay.freeze();
  const rounds = await Promise.all([0, 4_000, 6_500, 8_000].map((ms) => sleep(ms).then(all)));
  for (const { code, ms } of rounds.flat()) {
    expect(code).toBe('unavailable');
    expect(ms).toBeLessThan(BOUND_MS + SLACK_MS);
  }
  relay.thaw();
  expect((await timed(write('later'))).code).toBe('done');
  expect(query('SELECT answer FROM spent')).toEqual([{ answer: 'later' }]);
});

test.skipIf(bin === undefined)(
  'connections that were dropped while nobody used them cost one call, and others are opened',
  async () => {
    const relay = await startRelay(startPostgres(bin as string).url);
    const statements = openPostgres(relay.url);
    await Promise.all(Array.from({ length: 4 }, () => statements.read('SELECT 1')));
    relay.freezeOpen();
    const { code, ms } = await timed(statements.write(...insert('first')));
    expect(code).toBe('unavailable');
    expect(ms).toBeLessThan(BOUND_MS + SLACK_MS);
    for (const answer of ['second', 'third']) {
      expect((await timed(statements.write(...insert(answer)))).code).toBe('done');
    }
  },
);

test.skipIf(bin === undefined)('a connection that nobody uses is closed', async () => {
  const { url, query } = startPostgres(bin as string);
  await openPostgres(url).read('SELECT 1');
  const connected = () => query("SELECT pid FROM pg_stat_activity WHERE application_name = 'jinn-mcp'").length;
  expect(connected()).toBe(1);
  await expect.poll(connected, { timeout: 30_000 }).toBe(0);
});

test.skipIf(bin === undefined)('what was refused is not done when the database goes on', async () => {
  const { url, query } = startPostgres(bin as string);
  const statements = openPostgres(url);
  await Promise.all(Array.from({ length: 4 }, () => statements.write('DELETE FROM spent')));
  const backends = query("SELECT pid FROM pg_stat_activity WHERE application_name = 'jinn-mcp'");
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of backends) process.kill(pid as number, name);
  };
  let isStopped = true;
  onTestFinished(() => {
    if (isStopped) signal('SIGCONT');
  });
  signal('SIGSTOP');
  const refused = await Promise.all(
    Array.from({ length: 8 }, (_, i) => timed(statements.writeAll([insert(`${i}`), insert(`${i} too`)]))),
  );
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['unavailable']));
  signal('SIGCONT');
  isStopped = false;
  await expect
    .poll(() => query(`SELECT pid FROM pg_stat_activity WHERE pid IN (${backends.map(({ pid }) => pid)})`))
    .toEqual([]);
  expect(query('SELECT answer FROM spent')).toEqual([]);
  expect((await timed(statements.write(...insert('later')))).code).toBe('done');
});
