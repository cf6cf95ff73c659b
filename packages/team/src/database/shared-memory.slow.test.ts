import { testMemory, text } from '@jinn/store/fixture/test-memory';
import { findPostgres, sharePostgres, startPostgres } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const openShared = (url: string, { root = '/w', person = '', workspace = 'shop' } = {}) =>
  openSharedState({ url, workspace }).stateOf({ root, person, directory: undefined }).memory();

describe.skipIf(bin === undefined)('PostgreSQL', () => {
  const makeDatabase = sharePostgres(bin);
  testMemory(() => {
    const url = makeDatabase();
    return (root, person = '') => openShared(url, { root, person });
  });
});

test.skipIf(bin === undefined)('each workspace has its own texts, the global ones too', async () => {
  const { url } = startPostgres(bin as string);
  const shop = await openShared(url, { person: 'ann' });
  for (const scope of ['/w', 'global']) await shop.save(scope, text('k', 'v'));
  for (const workspace of ['shop2', 'sho', 'shop.w']) {
    const other = await openShared(url, { person: 'ann', workspace });
    expect([await other.recall('/w', 'k'), await other.recall('global', 'k'), await other.scopes()]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  }
});

test.skipIf(bin === undefined)('while the database is away it is refused, and afterwards it goes on', async () => {
  const { url, start, stop } = startPostgres(bin as string);
  const memory = await openShared(url);
  await memory.save('/w', text('k', 'one'));
  stop();
  const away = { code: 'unavailable', message: "the team's database does not answer" };
  for (const work of [
    () => memory.save('/w', text('k', 'two')),
    () => memory.recall('/w', 'k'),
    () => memory.list('/w', 'one'),
    () => memory.forget('/w', 'k'),
    () => memory.scopes(),
    () => memory.move('/w', 'global'),
  ]) {
    await expect(work()).rejects.toMatchObject(away);
  }
  start();
  expect((await memory.recall('/w', 'k'))?.value).toBe('one');
  expect(await memory.scopes()).toMatchObject([{ scope: '/w', count: 1 }]);
});

test.skipIf(bin === undefined)('says that it cannot keep U+0000', async () => {
  const memory = await openShared(startPostgres(bin as string).url);
  await expect(memory.save('/w', text('k', 'a\0b'))).rejects.toMatchObject({
    code: 'invalid_args',
    message: "the team's database keeps no text with U+0000",
  });
});
