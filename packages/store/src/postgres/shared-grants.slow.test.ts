import { findPostgres, startPostgres } from '@jinn/testkit';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { later, subject, testGrants } from '../fixture/grants-contract.ts';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();

describe.skipIf(bin === undefined)('PostgreSQL', () => {
  testGrants(() => {
    const { url } = startPostgres(bin as string);
    return (root, person = '') => openSharedState({ url, workspace: 'shop' }).grantsOf(root, person);
  });
});

test.skipIf(bin === undefined)(
  'while the database is away nothing is approved, and afterwards it goes on',
  async () => {
    const { url, start, stop } = startPostgres(bin as string);
    const grants = await openSharedState({ url, workspace: 'shop' }).grantsOf('/w', 'ann');
    await grants.add(subject);
    stop();
    expect(await grants.find(subject)).toBeUndefined();
    const away = { code: 'write_failed', message: "the team's database does not answer" };
    await expect(grants.spend('a', later())).rejects.toMatchObject(away);
    await expect(grants.add(subject)).rejects.toMatchObject(away);
    start();
    expect(await grants.find(subject)).toBeDefined();
    expect(await grants.spend('a', later())).toBe(true);
  },
);

test.skipIf(bin === undefined)('refuses a newer schema with both numbers, and a damaged row', async () => {
  const { url } = startPostgres(bin as string);
  const grants = await openSharedState({ url, workspace: 'shop' }).grantsOf('/w', '');
  await grants.add(subject);
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("UPDATE grants SET key = 'rm -rf /'");
  expect([await grants.find({ ...subject, key: 'rm -rf /' }), await grants.list()]).toEqual([undefined, []]);
  await client.query('UPDATE jinn_schema SET version = 99');
  const other = await openSharedState({ url, workspace: 'shop' }).grantsOf('/w', '');
  await expect(other.list()).rejects.toMatchObject({
    message: expect.stringMatching(/schema 99, and this jinn knows 1$/),
  });
});

test.skipIf(bin === undefined)('what is too long for the database is not remembered', async () => {
  const { url } = startPostgres(bin as string);
  const grants = await openSharedState({ url, workspace: 'shop' }).grantsOf('/w', '');
  const key = Array.from({ length: 4_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join('');
  await expect(grants.add({ ...subject, key })).rejects.toMatchObject({ message: 'this is too long to be remembered' });
});
