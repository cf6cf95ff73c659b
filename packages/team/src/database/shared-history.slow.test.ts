import fs from 'node:fs';
import { change, prepare, record, testHistory } from '@jinn/store/fixture/test-history';
import { findPostgres, makeTempDirectory, sharePostgres, startPostgres, startRelay } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
type Options = Partial<Parameters<ReturnType<typeof openSharedState>['stateOf']>[0]> & { readonly workspace?: string };
const openShared = (url: string, { workspace = 'shop', ...owner }: Options = {}) =>
  openSharedState({ url, workspace })
    .stateOf({ root: '/w', person: '', directory: makeTempDirectory(), ...owner })
    .history();

const filesIn = (directory: string) =>
  fs
    .readdirSync(`${directory}/snapshots`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\/[0-9a-f]{10}$/.test(name));

describe.skipIf(bin === undefined)('PostgreSQL', () => {
  const makeDatabase = sharePostgres(bin);
  testHistory(() => {
    const url = makeDatabase();
    const directory = makeTempDirectory();
    return (root, options) => openShared(url, { root, directory, ...options });
  });
});

test.skipIf(bin === undefined)('lists what another server changed, and says where its content is', async () => {
  const { url } = startPostgres(bin as string);
  const [here, there] = [await openShared(url, { person: 'ann' }), await openShared(url, { person: 'bob' })];
  const { id, entry } = await record(here, [change('a', 'text'), change('new', undefined)]);
  const archive = await there.archive();
  expect(await archive.list()).toMatchObject([
    { path: 'new', otherPerson: 'ann' },
    { path: 'a', otherPerson: 'ann' },
  ]);
  expect(await archive.find(id)).toHaveLength(2);
  expect(await archive.snapshot(entry('new'))).toBeUndefined();
  await expect(archive.snapshot(entry('a'))).rejects.toMatchObject({
    code: 'not_found',
    message: `the content of ${entry('a')} is not on this server (nothing was changed)`,
  });
  expect((await (await here.archive()).snapshot(entry('a')))?.content.toString()).toBe('text');
});

test.skipIf(bin === undefined)('each workspace and each root has its own entries', async () => {
  const { url } = startPostgres(bin as string);
  const directory = makeTempDirectory();
  const own = await openShared(url, { directory });
  const { id, entry } = await record(own, [change('a', 'text')]);
  const left = await prepare(own, [change('b', 'text')]);
  for (const other of [{ workspace: 'shop2' }, { root: '/v' }, { workspace: 'shop', root: '/w/a' }]) {
    const history = await openShared(url, { directory, ...other });
    const archive = await history.archive();
    expect([await archive.list(), await archive.count(), await archive.clear()]).toEqual([[], 0, 0]);
    for (const name of [id, entry('a')]) await expect(archive.find(name)).rejects.toThrow('no snapshot');
    expect([await archive.snapshot(entry('a')), await history.unsettled()]).toEqual([undefined, []]);
    await history.settle(left.entries.get('b') ?? '', 'v2');
    expect(await history.commit(left.id, ['b'])).toBe(false);
  }
  expect(await own.unsettled()).toHaveLength(1);
  expect(await (await own.archive()).count()).toBe(1);
});

test.skipIf(bin === undefined)('leaves to each server what its own processes left', async () => {
  const { url } = startPostgres(bin as string);
  const directory = makeTempDirectory();
  const here = await openShared(url, { directory });
  await prepare(here, [change('a', 'x')]);
  expect(await (await openShared(url)).unsettled()).toEqual([]);
  expect(await (await openShared(url, { directory })).unsettled()).toMatchObject([{ path: 'a' }]);
});

test.skipIf(bin === undefined)(
  'while the database is away nothing is recorded, and afterwards it goes on',
  async () => {
    const { url, start, stop } = startPostgres(bin as string);
    const directory = makeTempDirectory();
    const history = await openShared(url, { directory });
    const { entry } = await record(history, [change('a', 'one')]);
    const running = await prepare(history, [change('b', 'two')]);
    stop();
    const away = { code: 'unavailable', message: "the team's database does not answer" };
    const archive = await history.archive();
    for (const work of [
      () => history.prepare('t', [change('c', 'three')]),
      () => history.commit(running.id, ['b']),
      () => history.unsettled(),
      () => archive.list(),
      () => archive.find(entry('a')),
      () => archive.snapshot(entry('a')),
      () => archive.clear(),
    ]) {
      await expect(work()).rejects.toMatchObject(away);
    }
    start();
    expect(await history.unsettled()).toMatchObject([{ path: 'b' }]);
    expect(await history.commit(running.id, ['b'])).toBe(true);
    expect((await archive.snapshot(entry('a')))?.content.toString()).toBe('one');
  },
);

test.skipIf(bin === undefined)(
  'keeps the contents of entries that are there although the answer was lost',
  async () => {
    const relay = await startRelay(startPostgres(bin as string).url);
    const history = await openShared(relay.url);
    await history.unsettled();
    relay.cutAt('INSERT INTO entries');
    await expect(history.prepare('t', [change('a', 'text')])).rejects.toMatchObject({ code: 'unavailable' });
    await expect.poll(() => history.unsettled()).toMatchObject([{ path: 'a' }]);
    const [{ id } = { id: '' }] = await history.unsettled();
    // Somebody else has changed the file since.
    await history.settle(id, 'another version');
    expect((await (await history.archive()).snapshot(id))?.content.toString()).toBe('text');
  },
);

test.skipIf(bin === undefined)('keeps contents closed to others, and no longer than their entries', async () => {
  const { url } = startPostgres(bin as string);
  const directory = makeTempDirectory();
  const open = () => openShared(url, { directory, limits: { entries: 2, bytes: 10_000 } });
  const history = await open();
  for (const path of ['a', 'b', 'c']) await record(history, [change(path, 'text')]);
  const [, second = ''] = filesIn(directory);
  expect(filesIn(directory)).toHaveLength(2);
  for (const name of ['', ...fs.readdirSync(`${directory}/snapshots`, { recursive: true, encoding: 'utf8' })]) {
    expect(fs.statSync(`${directory}/snapshots/${name}`).mode & 0o077).toBe(0);
  }
  // What a killed process left goes when it is old.
  const [folder = ''] = second.split('/');
  for (const [id, hours] of [
    ['0123456789', 2],
    ['abcdef0123', 0],
  ] as const) {
    const file = `${directory}/snapshots/${folder}/${id}`;
    fs.writeFileSync(file, '');
    const time = new Date(Date.now() - hours * 3_600_000);
    fs.utimesSync(file, time, time);
  }
  const old = new Date(0);
  fs.utimesSync(`${directory}/snapshots/${second}`, old, old);
  await open();
  expect(filesIn(directory).toSorted()).toContain(second);
  expect(filesIn(directory).map((name) => name.split('/')[1])).not.toContain('0123456789');
  expect(filesIn(directory)).toHaveLength(3);
  expect(await (await history.archive()).clear()).toBe(2);
  expect(filesIn(directory)).toEqual([`${folder}/abcdef0123`]);
});

test.skipIf(bin === undefined)('refuses an entry that is not as it was written, and a content', async () => {
  const { url, execute } = startPostgres(bin as string);
  const directory = makeTempDirectory();
  const history = await openShared(url, { directory, person: 'ann' });
  const { entry } = await record(history, [change('a', 'text')]);
  const archive = await history.archive();
  fs.writeFileSync(`${directory}/snapshots/${filesIn(directory)[0]}`, 'tex!');
  await expect(archive.snapshot(entry('a'))).rejects.toThrow('damaged');
  execute("UPDATE entries SET person = 'bob'");
  await expect(archive.find(entry('a'))).rejects.toThrow('damaged');
  expect([await archive.list(), await archive.count()]).toEqual([[], 1]);
});

test.skipIf(bin === undefined)('goes on without undo where contents have no place, and says so once', async () => {
  const { url } = startPostgres(bin as string);
  const file = `${makeTempDirectory()}/file`;
  fs.writeFileSync(file, '');
  for (const [directory, reason] of [
    [undefined, 'neither JINN_CONFIG_DIR nor HOME is set'],
    [file, 'the directory of the snapshot store cannot be made'],
  ] as const) {
    const history = await openSharedState({ url, workspace: 'shop' })
      .stateOf({ root: '/w', person: '', directory })
      .history();
    expect([await history.unsettled(), await history.prepare('t', [change('a', 'x')])]).toEqual([[], undefined]);
    expect(history.takeWarnings()).toEqual([expect.stringContaining(`changed without undo: ${reason}`)]);
  }
});
