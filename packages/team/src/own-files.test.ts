import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { ownFilesOf } from './own-files.ts';

type Given = Partial<Parameters<typeof ownFilesOf>[0]>;

function find(given: Given, roots: readonly string[] = []) {
  const none = { tokenFile: undefined, team: undefined, approvalKeyFile: undefined, logFile: undefined };
  const all = { ...none, isHttp: false, database: undefined, passwordFile: undefined, ...given };
  return ownFilesOf(all, { roots, home: '/nowhere' });
}

/** Makes a directory with logs; returns its real path. */
function makeLogs(...others: string[]): string {
  const place = fs.realpathSync(makeTempDirectory());
  const names = ['audit.log', 'audit.log.2.gz', 'audit.log-20260101.gz', ...others];
  makeTree(place, Object.fromEntries(names.map((name) => [name, ''])));
  return place;
}

test('a directory with a log and its older parts is hidden whole, and in another one each of them', () => {
  const own = makeLogs();
  expect(find({ logFile: `${own}/audit.log` })).toContain(own);
  const mixed = makeLogs('auditor', 'audit.logs');
  const found = find({ logFile: `${mixed}/audit.log` });
  const names = ['audit.log', 'audit.log.1', 'audit.log-20260101.gz', 'audit.log.2.gz'];
  expect(found.toSorted()).toEqual(names.map((name) => `${mixed}/${name}`).toSorted());
});

test('what begins with the name of a log in a project stays open, and no root is hidden', () => {
  const [root, other] = [makeLogs(), makeLogs('auditor')];
  expect(find({ logFile: `${root}/audit.log` }, [other, root])).toEqual([`${root}/audit.log`, `${root}/audit.log.1`]);
  const named = `${makeLogs('audit.log.d/a.txt')}/audit.log.d`;
  const found = find({ logFile: `${path.dirname(named)}/audit.log` }, [named]);
  expect([found.includes(named), found.includes(path.dirname(named))]).toEqual([false, false]);
});

test('the private key that the URL of a database names is among them, and lies in no root of a server', () => {
  const key = `${makeTempDirectory()}/client.key`;
  const database = {
    url: `postgres://ann@db.example.org/x?sslmode=verify-full&sslkey=${key}`,
    workspace: 'x',
    audit: false,
  };
  expect(find({ database })).toEqual([key]);
  const root = fs.realpathSync(makeTempDirectory());
  const inRoot = { url: `postgres:///x?sslkey=${root}/client.key`, workspace: 'x', audit: false };
  expect(() => find({ database: inRoot, isHttp: true }, [root])).toThrow(`sslkey: ${root}/client.key is in ${root}`);
});
