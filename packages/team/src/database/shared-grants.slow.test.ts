import { later, subject, testGrants } from '@jinn/store/fixture/test-grants';
import { findPostgres, sharePostgres, startPostgres } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const openShared = (url: string, { root = '/w', person = '', workspace = 'shop' } = {}) =>
  openSharedState({ url, workspace }).stateOf({ root, person, directory: undefined });

describe.skipIf(bin === undefined)('PostgreSQL', () => {
  const makeDatabase = sharePostgres(bin);
  testGrants(() => {
    const url = makeDatabase();
    return (root, person = '') => openShared(url, { root, person }).grants();
  });
});

test.skipIf(bin === undefined)(
  'while the database is away nothing is approved, and afterwards it goes on',
  async () => {
    const { url, start, stop } = startPostgres(bin as string);
    const grants = await openShared(url, { person: 'ann' }).grants();
    await grants.add(subject);
    stop();
    expect(await grants.find(subject)).toBeUndefined();
    const away = { code: 'unavailable', message: "the team's database does not answer" };
    await expect(grants.spend('a', later())).rejects.toMatchObject(away);
    await expect(grants.add(subject)).rejects.toMatchObject(away);
    start();
    expect(await grants.find(subject)).toBeDefined();
    expect(await grants.spend('a', later())).toBe(true);
  },
);

test.skipIf(bin === undefined)('refuses a newer schema with both numbers, and a damaged row', async () => {
  const { url, execute } = startPostgres(bin as string);
  const grants = await openShared(url).grants();
  await grants.add(subject);
  execute("UPDATE grants SET key = 'rm -rf /'");
  expect([await grants.find({ ...subject, key: 'rm -rf /' }), await grants.list()]).toEqual([undefined, []]);
  execute('UPDATE jinn_schema SET version = 99');
  const other = await openShared(url).grants();
  await expect(other.list()).rejects.toMatchObject({
    message: expect.stringMatching(/schema 99, and this jinn knows \d+$/),
  });
});

test.skipIf(bin === undefined)('what is too long for the database is not remembered', async () => {
  const { url } = startPostgres(bin as string);
  const grants = await openShared(url).grants();
  const key = Array.from({ length: 4_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join('');
  await expect(grants.add({ ...subject, key })).rejects.toMatchObject({ message: 'this is too long to be remembered' });
});
