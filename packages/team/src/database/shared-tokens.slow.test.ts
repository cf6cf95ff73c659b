import { findPostgres, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { Token } from '../people/bearer-tokens.ts';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const token = (hash: string, person: string): Token => ({
  hash,
  person,
  scopes: ['jinn:read', 'jinn:write'],
  expires: 1_900_000_000_000,
});
const away = { code: 'unavailable', message: "the team's database does not answer" };

test.skipIf(bin === undefined)('keeps tokens of a workspace, which open no other one', async () => {
  const { url } = startPostgres(bin as string);
  const { tokens } = openSharedState({ url, workspace: 'shop' });
  const other = openSharedState({ url, workspace: 'bank' }).tokens;
  const [ann, bob] = [token('aa', 'ann'), { ...token('bb', 'bob'), expires: Infinity }];
  await tokens.add(ann);
  await tokens.add(bob);
  expect(await tokens.list()).toEqual([ann, bob]);
  expect([await tokens.find('aa'), await tokens.find('bb'), await tokens.find('a')]).toEqual([ann, bob, undefined]);
  expect([await other.find('aa'), await other.list(), await other.remove([ann, bob])]).toEqual([undefined, [], 0]);
  expect(await tokens.remove([ann, token('cc', 'ann')])).toBe(1);
  expect(await tokens.list()).toEqual([bob]);
});

test.skipIf(bin === undefined)(
  'tokens and audit are refused while the database is away, and go on afterwards',
  async () => {
    const { url, start, stop, query } = startPostgres(bin as string);
    const { tokens, audit } = openSharedState({ url, workspace: 'shop' });
    await tokens.add(token('aa', 'ann'));
    const log = audit(() => undefined);
    const record = (text: string) => log.assure('call', { person: 'ann', text });
    await record('\u0000');
    stop();
    for (const work of [
      () => tokens.add(token('bb', 'bob')),
      () => tokens.find('aa'),
      () => tokens.list(),
      () => tokens.remove([token('aa', 'ann')]),
    ]) {
      await expect(work()).rejects.toMatchObject(away);
    }
    await expect(record('b')).rejects.toMatchObject({ code: 'unavailable' });
    start();
    expect(await tokens.list()).toMatchObject([{ hash: 'aa' }]);
    await record('c');
    const texts = query("SELECT facts ->> 'text' AS text FROM audit WHERE facts::text NOT LIKE '%u0000%' ORDER BY id");
    expect([texts, query('SELECT count(*) AS n FROM audit')]).toEqual([[{ text: 'c' }], [{ n: 2 }]]);
  },
);
