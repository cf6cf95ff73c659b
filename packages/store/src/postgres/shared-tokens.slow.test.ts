import { findPostgres, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const token = (hash: string, person: string) => ({ hash, person, scopes: 'read,write', expires: 1_900_000_000_000 });
const away = { code: 'unavailable', message: "the team's database does not answer" };

test.skipIf(bin === undefined)('keeps tokens of a workspace, which open no other one', async () => {
  const { url } = startPostgres(bin as string);
  const { tokens } = openSharedState({ url, workspace: 'shop' });
  const other = openSharedState({ url, workspace: 'bank' }).tokens;
  const [ann, bob] = [token('aa', 'ann'), { ...token('bb', 'bob'), expires: null }];
  await tokens.add(ann);
  await tokens.add(bob);
  expect(await tokens.list()).toEqual([ann, bob]);
  expect([await tokens.find('aa'), await tokens.find('bb'), await tokens.find('a')]).toEqual([ann, bob, undefined]);
  expect([await other.find('aa'), await other.list(), await other.remove(['aa', 'bb'])]).toEqual([undefined, [], 0]);
  expect(await tokens.remove(['aa', 'cc'])).toBe(1);
  expect(await tokens.list()).toEqual([bob]);
});

test.skipIf(bin === undefined)(
  'tokens and audit are refused while the database is away, and go on afterwards',
  async () => {
    const { url, start, stop, query } = startPostgres(bin as string);
    const { tokens, audit } = openSharedState({ url, workspace: 'shop' });
    await tokens.add(token('aa', 'ann'));
    const row = { id: 'a', time: new Date(), event: 'call', person: 'ann', facts: '{"text":"\\u0000"}' };
    await audit.add([row, { ...row, id: 'b' }]);
    stop();
    for (const work of [
      () => tokens.add(token('bb', 'bob')),
      () => tokens.find('aa'),
      () => tokens.list(),
      () => tokens.remove(['aa']),
      () => audit.add([row]),
    ]) {
      await expect(work()).rejects.toMatchObject(away);
    }
    start();
    expect(await tokens.list()).toMatchObject([{ hash: 'aa' }]);
    await audit.add([row, { ...row, id: 'c' }]);
    expect(query('SELECT row_id FROM audit ORDER BY id')).toEqual(['a', 'b', 'c'].map((id) => ({ row_id: id })));
  },
);

test.skipIf(bin === undefined)('a database with the audit log of an older version keeps its rows', async () => {
  const { url, execute, query } = startPostgres(bin as string);
  await openSharedState({ url, workspace: 'shop' }).tokens.list();
  execute('ALTER TABLE audit DROP COLUMN row_id');
  execute('UPDATE jinn_schema SET version = 2');
  const insert =
    "INSERT INTO audit (workspace, time, event, person, facts) VALUES ('shop', now(), 'call', 'ann', '{}')";
  for (let i = 0; i < 2; i++) execute(insert);
  const { audit } = openSharedState({ url, workspace: 'shop' });
  await audit.add([{ id: 'a', time: new Date(), event: 'call', person: 'bob', facts: '{}' }]);
  expect(query('SELECT person, row_id FROM audit ORDER BY id')).toEqual([
    { person: 'ann', row_id: null },
    { person: 'ann', row_id: null },
    { person: 'bob', row_id: 'a' },
  ]);
});
