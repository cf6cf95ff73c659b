import { findPostgres, makeTempDirectory, startPostgres } from '@jinn/testkit';
import type { Grants } from '@jinn/tool';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openGrants } from '../open-grants.ts';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const subject = { tool: 'run_shell', type: 'command', key: 'npm test', fingerprint: 'f1' };
const later = () => new Date(Date.now() + 60_000);

type Open = (root: string, person?: string) => Promise<Grants>;

/** Each way to keep grants; each call of what it returns is another process. */
const WAYS: [string, () => Open][] = [
  [
    'SQLite',
    () => {
      const directory = makeTempDirectory();
      return async (root, person) => openGrants(directory, root, person);
    },
  ],
  [
    'PostgreSQL',
    () => {
      const { url } = startPostgres(bin as string);
      return (root, person = '') => openSharedState({ url, workspace: 'shop' }).grantsOf(root, person);
    },
  ],
];

const both = test.for(bin === undefined ? WAYS.slice(0, 1) : WAYS);

both('%s: finds a grant for exactly what was approved, in another process too', async ([, start]) => {
  const open = start();
  await (await open('/w')).add(subject);
  const grants = await open('/w');
  expect(await grants.find(subject)).toEqual({ ...subject, created: expect.any(Date) });
  for (const other of [
    { tool: 'x' },
    { type: 'x' },
    { key: 'npm test ' },
    { key: 'NPM TEST' },
    { fingerprint: 'f2' },
  ]) {
    expect(await grants.find({ ...subject, ...other })).toBeUndefined();
  }
  expect(await (await open('/w/below')).find(subject)).toBeUndefined();
});

both('%s: the grants of a person neither count for others nor are listed or revoked by them', async ([, start]) => {
  const open = start();
  await (await open('/w', 'alice')).add(subject);
  for (const person of ['bob', '']) {
    const other = await open('/w', person);
    expect([await other.find(subject), await other.list(), await other.revoke({})]).toEqual([undefined, [], 0]);
  }
  expect(await (await open('/w', 'alice')).find(subject)).toBeDefined();
});

both('%s: replaces, lists in order, and revokes what matches', async ([, start]) => {
  const grants = await start()('/w');
  await grants.add(subject);
  await grants.add({ ...subject, fingerprint: 'f2' });
  expect(await grants.list()).toMatchObject([{ fingerprint: 'f2' }]);
  for (const tool of ['b', 'B', 'ä', 'a']) await grants.add({ ...subject, tool });
  expect((await grants.list()).map(({ tool }) => tool)).toEqual(['B', 'a', 'b', 'run_shell', 'ä']);
  expect(await grants.revoke({ tool: 'b', type: 'command', key: 'npm test' })).toBe(1);
  expect(await grants.revoke({ type: 'network' })).toBe(0);
  expect(await grants.revoke({})).toBe(4);
});

both('%s: an answer is spent once, by whoever is first, until its time is over', async ([, start]) => {
  const open = start();
  const processes = await Promise.all(['/w', '/w', '/v'].map((root) => open(root)));
  const spent = await Promise.all(processes.map((grants) => grants.spend('a', later())));
  expect(spent.filter(Boolean)).toHaveLength(1);
  const [one] = processes as [Grants];
  expect([await one.spend('a', later()), await one.spend('b', later())]).toEqual([false, true]);
  await one.spend('c', new Date(0));
  expect(await one.spend('c', later())).toBe(true);
});

both('%s: keeps one grant a key when processes add at once', async ([, start]) => {
  const open = start();
  const processes = await Promise.all(Array.from({ length: 8 }, () => open('/w')));
  await Promise.all(processes.map((grants, i) => grants.add({ ...subject, fingerprint: `f${i}` })));
  expect(await (await open('/w')).list()).toHaveLength(1);
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
