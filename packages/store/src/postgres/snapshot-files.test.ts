import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openSnapshotFiles } from './snapshot-files.ts';

test('an id neither reads nor removes what is elsewhere', () => {
  const state = makeTempDirectory();
  const files = openSnapshotFiles(state, '/shop/w');
  files.keep([['0123456789', Buffer.from('text')]]);
  fs.writeFileSync(`${state}/state.db`, 'kept');
  for (const id of ['../../state.db', `${state}/state.db`, '', '.', '0123456789/..']) {
    expect(files.read(id)).toBeUndefined();
    files.remove([id]);
  }
  expect(fs.readFileSync(`${state}/state.db`, 'utf8')).toBe('kept');
  expect(files.read('0123456789')?.toString()).toBe('text');
});

test('each workspace has its own files, and servers of one state directory count as one', () => {
  const state = makeTempDirectory();
  const [shop, other] = ['/shop/w', '/shop/v'].map((workspace) => openSnapshotFiles(state, workspace));
  shop?.keep([['0123456789', Buffer.from('text')]]);
  expect(other?.read('0123456789')).toBeUndefined();
  expect(other?.placeId()).toBe(shop?.placeId());
  expect(openSnapshotFiles(makeTempDirectory(), '/shop/w').placeId()).not.toBe(shop?.placeId());
});
