import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import type { ChangedFile } from '@jinn/workspace';
import { openWorkspace } from '@jinn/workspace';
import { expect, onTestFinished, test } from 'vitest';
import { createSession } from './registry.ts';

/** A session that has read `a`, and a way to ask whether a path is stale by now. */
function scene() {
  const root = makeTempDirectory();
  makeTree(root, { a: 'one', b: 'one', link: { symlink: 'a' } });
  fs.utimesSync(`${root}/a`, 1, 1);
  const workspace = openWorkspace({ root });
  onTestFinished(() => workspace.close());
  const { reads } = createSession();
  workspace.withFile('a', reads.record);
  return { root, workspace, reads, isStale: (asked: string) => workspace.withFile(asked, reads.isStale) };
}

test('knows nothing of files that it never read', () => {
  const { root, isStale } = scene();
  fs.writeFileSync(`${root}/b`, 'changed');
  expect(isStale('b')).toBe(false);
  expect(isStale('a')).toBe(false);
});

test.each<[string, (file: string) => void]>([
  ['grew, though its time was set back', (file) => keepTime(file, () => fs.appendFileSync(file, '!'))],
  ['was written with as many bytes', (file) => fs.writeFileSync(file, 'two')],
  ['only has an older time', (file) => fs.utimesSync(file, 0, 0)],
  ['gave place to another of the same size and time', replaceAlike],
])('calls a file stale that %s, by each of its names', (_, change) => {
  const { root, workspace, reads, isStale } = scene();
  change(`${root}/a`);
  expect([isStale('a'), isStale('link'), isStale('./a')]).toEqual([true, true, true]);
  workspace.withFile('link', reads.record);
  expect(isStale('a')).toBe(false);
});

test('forgets what was deleted', () => {
  const { root, reads, isStale } = scene();
  fs.writeFileSync(`${root}/a`, 'other');
  reads.forget('a');
  expect(isStale('a')).toBe(false);
});

test('keeps the contents of the files that were read last, within a bound', () => {
  const { reads, workspace, root } = scene();
  expect(reads.contentOf('a')?.toString()).toBe('one');
  const content = Buffer.alloc(1024 * 1024);
  const stat = { mtimeNs: 0n, size: 0n, ino: 0n };
  for (const path of ['1', '2', '3', '4', '5', '6', '7', '8', '8']) reads.record({ path, stat, content });
  expect([reads.contentOf('a'), reads.contentOf('1')?.length]).toEqual([undefined, content.length]);
  fs.writeFileSync(`${root}/b`, Buffer.alloc(content.length + 1));
  workspace.withFile('b', reads.record);
  expect(reads.contentOf('b')).toBe(undefined);
  const { reads: onlyCall } = createSession({ endsWithCall: true });
  workspace.withFile('a', onlyCall.record);
  expect(onlyCall.contentOf('a')).toBe(undefined);
});

function keepTime(file: string, change: () => void): void {
  change();
  fs.utimesSync(file, 1, 1);
}

function replaceAlike(file: string): void {
  fs.writeFileSync(`${file}.new`, 'two');
  keepTime(file, () => fs.renameSync(`${file}.new`, file));
}

test('gives a service one instance, and each session its own', () => {
  const create = () => ({});
  const session = createSession();
  expect(session.use(create)).toBe(session.use(create));
  expect(session.use(create)).not.toBe(session.use(() => ({})));
  expect(session.use(create)).not.toBe(createSession().use(create));
});

test('closes its services when it ends: the youngest first, once, and also after one that fails', async () => {
  const session = createSession();
  const closed: string[] = [];
  session.use(() => ({ close: () => void closed.push('old') }));
  session.use(() => ({
    close: async () => {
      closed.push('failing');
      throw new Error('no');
    },
  }));
  session.use(() => ({}));
  session.use(() => ({ close: () => void closed.push('young') }));
  await session.close();
  await session.close();
  expect(closed).toEqual(['young', 'failing', 'old']);
});

test('makes no service after it has ended, since nothing would close it', async () => {
  const session = createSession();
  await session.close();
  expect(() => session.use(() => ({}))).toThrow(expect.objectContaining({ code: 'canceled' }));
});

test('services hear of changed files, and one that fails does not silence the others', async () => {
  const session = createSession();
  const heard: string[] = [];
  session.use(() => ({
    filesChanged: async () => {
      throw new Error('broken');
    },
  }));
  session.use(() => ({}));
  session.use(() => ({
    filesChanged: async (files: readonly ChangedFile[]) => {
      heard.push(...files.map(({ file }) => file.path));
      return { told: true };
    },
  }));
  const file = { asked: 'a', path: 'a', content: undefined, mode: undefined, version: undefined };
  const change = { file, after: Buffer.from('x'), changed: true, version: 'v', undoId: undefined };
  expect(await session.notifyChanged([change], undefined)).toEqual({ told: true });
  expect(heard).toEqual(['a']);
});

test('services have their say of earlier calls, and one that fails does not silence the others', async () => {
  const session = createSession();
  session.use(() => ({ news: () => Promise.reject(new Error('broken')) }));
  session.use(() => ({}));
  session.use(() => ({ news: async () => ({ told: true }) }));
  expect(await session.news()).toEqual({ told: true });
});

test('works between calls while a service does that keeps more than data', () => {
  const session = createSession();
  expect([session.hasServices, session.worksBetweenCalls]).toEqual([false, false]);
  session.use(() => ({ isPassive: true }));
  expect([session.hasServices, session.worksBetweenCalls]).toEqual([true, false]);
  const { isPassive: _, ...job } = session.use(() => ({ isPassive: false, close() {} }));
  expect(session.worksBetweenCalls).toBe(true);
  const other = createSession();
  other.use(() => job);
  expect(other.worksBetweenCalls).toBe(true);
});
