import { expect, test } from 'vitest';
import { boundLookups } from './database-tokens.ts';

/** Lookups that are answered when the test says so. */
function openTable(people: Record<string, string> = {}) {
  let count = 0;
  const asked: { hash: string; answer(): void; fail(): void }[] = [];
  const find = boundLookups(
    (hash) =>
      new Promise<string | undefined>((resolve, reject) => {
        count++;
        asked.push({ hash, answer: () => resolve(people[hash]), fail: () => reject(new Error('away')) });
      }),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    people,
    find,
    count: () => count,
    hashes: () => asked.map(({ hash }) => hash),
    /** Answers what was asked, and what is asked then, one after the other. */
    answerAll: async (how: 'answer' | 'fail' = 'answer') => {
      await settle();
      for (let next = asked.shift(); next; next = asked.shift()) {
        next[how]();
        await settle();
      }
    },
    settle,
  };
}

const names = (count: number, start = 0) => Array.from({ length: count }, (_, i) => `made-up-${start + i}`);

test('a token that was known before is looked up beside those that wait in line', async () => {
  const { find, hashes, answerAll, settle } = openTable({ ann: 'Ann' });
  const first = find('ann', '::1');
  await answerAll();
  expect(await first).toBe('Ann');
  const strangers = names(10).map((hash) => find(hash, '10.0.0.1'));
  const again = find('ann', '::1');
  await settle();
  expect(hashes()).toEqual(['made-up-0', 'ann']);
  await answerAll();
  expect(await again).toBe('Ann');
  expect(new Set(await Promise.all(strangers))).toEqual(new Set([undefined]));
});

test('lookups of one token are shared until they begin, so that a token that was taken back is refused', async () => {
  const { people, find, hashes, count, answerAll, settle } = openTable({ ann: 'Ann' });
  const warm = find('ann', '::1');
  await answerAll();
  await warm;
  const running = find('ann', '::1');
  await settle();
  const later = [find('ann', '::1'), find('ann', '::1')];
  await settle();
  expect(hashes()).toEqual(['ann']);
  await answerAll();
  expect([await running, ...(await Promise.all(later))]).toEqual(['Ann', 'Ann', 'Ann']);
  expect(count()).toBe(3);
  delete people['ann'];
  const refused = find('ann', '::1');
  await answerAll();
  expect(await refused).toBeUndefined();
  // From now on it waits with the others.
  const [stranger, next] = [find('made-up', '::1'), find('ann', '::1')];
  await settle();
  expect(hashes()).toEqual(['made-up']);
  await answerAll();
  expect([await stranger, await next]).toEqual([undefined, undefined]);
});

test('an address is refused after 60 tokens that nobody knows, and others are not', async () => {
  const { find, answerAll } = openTable({ ann: 'Ann' });
  for (const some of [names(30), names(30, 30)]) {
    const found = Promise.all(some.map((hash) => find(hash, '10.0.0.1')));
    await answerAll();
    expect(new Set(await found)).toEqual(new Set([undefined]));
  }
  expect(await find('made-up', '10.0.0.1')).toEqual({
    status: 429,
    message: 'too many tokens from this address are unknown here: wait 1 seconds',
    retryAfter: 1,
  });
  const other = find('ann', '10.0.0.2');
  await answerAll();
  expect(await other).toBe('Ann');
  const known = find('ann', '10.0.0.1');
  await answerAll();
  expect(await known).toBe('Ann');
});

test('whoever has a whole network of IPv6 is refused as one address is', async () => {
  const { find, answerAll } = openTable({});
  for (const some of [names(30), names(30, 30)]) {
    const found = Promise.all(some.map((hash, i) => find(hash, `2001:db8:1:2:${i.toString(16)}::${i}`)));
    await answerAll();
    await found;
  }
  expect(await find('made-up', '2001:db8:1:2:ffff::1')).toMatchObject({ status: 429 });
  const other = find('made-up', '2001:db8:1:3::1');
  await answerAll();
  expect(await other).toBeUndefined();
});

test('what was found does not count', async () => {
  const people = Object.fromEntries(names(100).map((hash) => [hash, 'Ann']));
  const { find, answerAll } = openTable(people);
  const found = Promise.all(Object.keys(people).map((hash) => find(hash, '::1')));
  await answerAll();
  expect(await found).toEqual(Object.values(people));
  const stranger = find('made-up', '::1');
  await answerAll();
  expect(await stranger).toBeUndefined();
});

test('at most 128 tokens wait in line, and who asks for one of them joins', async () => {
  const { find, answerAll } = openTable();
  const waiting = names(128).map((hash, i) => find(hash, `10.0.0.${i}`));
  const joined = names(128).map((hash, i) => find(hash, `10.0.1.${i}`));
  expect(await find('one-more', '::1')).toMatchObject({ status: 503 });
  await answerAll();
  expect(new Set(await Promise.all([...waiting, ...joined]))).toEqual(new Set([undefined]));
  const later = find('one-more', '::1');
  await answerAll();
  expect(await later).toBeUndefined();
});

test('a lookup that fails counts for nobody, and those behind it fail at once', async () => {
  const { find, count, answerAll } = openTable();
  const failed = names(100).map((hash) => find(hash, '::1').catch((error: Error) => error.message));
  await answerAll('fail');
  expect(new Set(await Promise.all(failed))).toEqual(new Set(['away']));
  expect(count()).toBe(1);
  const next = find('made-up', '::1');
  await answerAll();
  expect(await next).toBeUndefined();
});

test('of what is kept, the oldest is forgotten', async () => {
  const people = Object.fromEntries(names(1_001).map((hash) => [hash, 'Ann']));
  const { find, hashes, answerAll, settle } = openTable(people);
  for (let start = 0; start < 1_001; start += 100) {
    const found = Object.keys(people)
      .slice(start, start + 100)
      .map((hash) => find(hash, '::1'));
    await answerAll();
    await Promise.all(found);
  }
  const all = [find('a stranger', '::1'), find('made-up-0', '::1'), find('made-up-1', '::1')];
  await settle();
  expect(hashes().toSorted()).toEqual(['a stranger', 'made-up-1']);
  await answerAll();
  await Promise.all(all);
});
